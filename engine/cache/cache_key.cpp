#include "cache/cache_key.h"

#include "aot/versions/versions.h"
#include "ir/json/graph_json.h"
#include "load/md5.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace aotscope::cache {

namespace {

using Json = nlohmann::ordered_json;

std::string compact(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The graph as JSON without the values of its symbols.
std::string canonicalText(const ir::Graph& graph) {
    if (graph.symbolHints().empty()) {
        return ir::graphToJson(graph);
    }
    ir::Graph plain = graph.clone();
    plain.editSymbolHints().clear();
    return ir::graphToJson(*ir::Graph::freeze(std::move(plain)));
}

Json symIntsJson(const std::optional<ir::SymInts>& sizes) {
    if (!sizes) {
        return nullptr;
    }
    Json list = Json::array();
    for (const ir::SymInt& size : *sizes) {
        list.push_back(size.text());
    }
    return list;
}

template<typename T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json tensorJson(const ir::TensorMeta& meta) {
    return {{"dtype", ir::dtypeName(meta.dtype)},
            {"shape", symIntsJson(meta.shape)},
            {"stride", symIntsJson(meta.stride)},
            {"offset", meta.storageOffset ? Json(meta.storageOffset->text()) : Json(nullptr)},
            {"device", meta.device ? Json(meta.device->text()) : Json(nullptr)},
            {"requires_grad", orNull(meta.requiresGrad)},
            {"parameter", meta.isParameter},
            {"layout", meta.layout},
            {"subclass", meta.subclass ? Json(meta.subclass->className) : Json(nullptr)}};
}

Json inputJson(const aot::RetraceInput& input) {
    return {{"requires_grad", input.requiresGrad},
            {"leaf", input.isLeaf},
            {"parameter", input.isParameter},
            {"storage", input.storage},
            {"storage_offset", input.storageOffset},
            {"storage_bytes", orNull(input.storageBytes)},
            {"view_base", input.viewBase ? tensorJson(*input.viewBase) : Json(nullptr)},
            {"static", input.isStatic},
            {"duplicate_of", orNull(input.duplicateOf)}};
}

/// Inputs that share memory and have symbolic sizes: whether they overlap is computed from the symbols'
/// values, without a guard.
bool overlapDependsOnValues(const aot::RetraceRequest& request) {
    if (request.program->symbols().empty()) {
        return false;
    }
    std::set<std::int64_t> storages;
    return std::ranges::any_of(request.inputs, [&](const aot::RetraceInput& input) {
        return input.storage >= 0 && !storages.insert(input.storage).second;
    });
}

std::string inputsText(const aot::RetraceRequest& request) {
    Json json{{"inputs", Json::array()}, {"attributes", Json::array()}};
    for (const aot::RetraceInput& input : request.inputs) {
        json["inputs"].push_back(inputJson(input));
    }
    for (const aot::RetraceAttribute& attribute : request.attributes) {
        json["attributes"].push_back({{"name", attribute.name},
                                      {"buffer", attribute.isBuffer},
                                      {"input", inputJson(attribute.input)}});
    }
    json["symbol_guards"] = request.symbolGuards;
    json["number_symbols"] = request.numberSymbols;
    json["float_values"] = request.floatHints;
    json["unbacked"] = {request.unbackedNumbers, request.unbackedFloats};
    json["values"] = overlapDependsOnValues(request) ? Json(request.symbolHints) : Json(nullptr);
    return compact(json);
}

Json autocastsJson(const std::vector<aot::AmbientAutocast>& autocasts) {
    Json list = Json::array();
    for (const aot::AmbientAutocast& autocast : autocasts) {
        list.push_back({{"device", autocast.device}, {"dtype", ir::dtypeName(autocast.dtype)}});
    }
    return list;
}

/// All that a trace or a call can depend on: not the number of threads, and not `__torch_function__`, which
/// Dynamo's graph no longer has.
Json stateJson(const aot::GlobalState& state) {
    return {{"default_dtype", ir::dtypeName(state.defaultDtype)},
            {"grad_enabled", state.gradEnabled},
            {"inference_mode", state.inferenceMode},
            {"autocasts", autocastsJson(state.autocasts)},
            {"autocast_cache", state.autocastCache},
            {"deterministic", {state.deterministic, state.deterministicWarnOnly}},
            {"fill_uninitialized_memory", state.fillUninitializedMemory},
            {"cuda_matmul",
             {state.allowTf32, static_cast<int>(state.fp16Sums), static_cast<int>(state.bf16Sums),
              state.matmulPrecision}}};
}

Json exportJson(const aot::ExportOptions& options) {
    return {{"simple", options.simple},
            {"joint", options.joint},
            {"loss", orNull(options.loss)},
            {"pre_dispatch", options.preDispatch}};
}

/// Every option, also those that change nothing: a person who looks at two keys sees which one differs.
Json functorchJson(const aot::FunctorchConfig& config) {
    Json options = Json::object();
    for (const aot::ConfigOption& option : aot::configOptions()) {
        options[std::string(option.name)] = aot::optionText(config, option);
    }
    for (const auto& [name, text] : config.unknown) {
        options[name] = text;
    }
    return options;
}

std::string configurationText(const aot::RetraceRequest& request) {
    Json assigned = Json::array();
    for (const aot::AssignedAttribute& attribute : request.assignedAttributes) {
        assigned.push_back(attribute.name);
    }
    return compact({{"state", stateJson(request.state)},
                    {"keep_inference_input_mutations", request.keepInputMutations},
                    {"lazy_arithmetic", request.lazyArithmetic},
                    {"returns_tree", request.returnsTree},
                    {"earlier_checkpoints", request.earlierCheckpoints},
                    {"export", request.exported ? exportJson(*request.exported) : Json(nullptr)},
                    {"assigned_attributes", std::move(assigned)}});
}

std::string partitionText(const std::optional<passes::PartitionOptions>& options) {
    if (!options) {
        return "none";
    }
    Json choices = Json::array();
    for (const passes::NodeChoice& choice : options->choices) {
        choices.push_back({choice.node, choice.choice == passes::Forced::Save ? "save" : "recompute"});
    }
    Json states = Json::array();
    for (const auto& [bytes, symbol] : options->generatorStateSymbols) {
        states.push_back({bytes, symbol});
    }
    const passes::RecomputeBans& bans = options->bans;
    return compact(
        {{"donates_buffers", options->donatesBuffers},
         {"unlifts_tokens", options->unliftTokens},
         {"budget_is_chosen", options->budgetIsChosen},
         {"budget_requires_full_coverage", options->budgetRequiresFullCoverage},
         {"partitioner", options->partitioner == passes::Partitioner::Default ? "default" : "min_cut"},
         {"forward_outputs", orNull(options->forwardOutputs)},
         {"static_inputs", options->staticInputs},
         {"input_symbols", options->inputSymbols},
         {"generator_states", std::move(states)},
         {"bans",
          {bans.usedFarApart, bans.longFusibleChains, bans.materializedBackward, bans.notInAllowlist,
           bans.reductions}},
         {"max_distance", options->maxDistanceFromBackward},
         {"recompute_views", options->recomputeViews},
         {"aggressive", options->aggressiveRecomputation},
         {"parameters_are_free", options->treatParametersAsFreeToSave},
         {"non_builtin", options->nonBuiltinToInclude},
         {"collectives", options->unsafeAllowOptimizationOfCollectives},
         {"cse", options->mergeCommonSubexpressions},
         {"keep_random", options->keepUnusedRandom},
         {"memory_budget", options->memoryBudget},
         {"solver", static_cast<int>(options->solver)},
         {"estimator", static_cast<int>(options->estimator)},
         {"choices", std::move(choices)}});
}

std::string hooksText(const CompileEnvironment& environment) {
    std::string text = environment.chosenHooks;
    for (const aot::SavedTensorsHooks& pair : environment.hooks) {
        text += "pack " + (pair.pack ? canonicalText(*pair.pack) : "none\n");
        text += "unpack " + (pair.unpack ? canonicalText(*pair.unpack) : "none\n");
    }
    return text.empty() ? "none"
                        : text + "filter " + std::string(hookFilterName(environment.hookFilter)) + "\n";
}

std::string devicesText(const ir::Graph& program) {
    std::set<std::string> devices;
    for (const ir::NodeId id : program.placeholders()) {
        const ir::TensorMeta* tensor = ir::asTensor(program.node(id).value);
        if (tensor != nullptr && tensor->device) {
            devices.insert(tensor->device->text());
        }
    }
    std::string text;
    for (const std::string& device : devices) {
        text += (text.empty() ? "" : ", ") + device;
    }
    return text.empty() ? "none" : text;
}

/// The release that made the program is a part of the result, besides that whose rules it was traced by.
std::string rulesOf(aot::TorchVersion torch) {
    const std::string rules = aot::torchVersionText(aot::rulesVersion(torch));
    const std::string made = aot::torchVersionText(torch);
    return rules == made ? rules : rules + " for " + made;
}

std::string hexDigest(std::string_view text) {
    load::Md5 digest;
    digest.update(text);
    return digest.hexDigest();
}

/// A text that is the same for no other list of components.
std::string joined(const std::vector<KeyComponent>& components) {
    std::string text;
    for (const KeyComponent& component : components) {
        text += component.name + " " + std::to_string(component.text.size()) + "\n" + component.text + "\n";
    }
    return text;
}

std::vector<KeyComponent> componentsOf(std::string program, std::string inputs, std::string configuration,
                                       const aot::FunctorchConfig& config,
                                       aot::DecompositionTable decompositions, aot::TorchVersion torch,
                                       std::string devices, const CompileEnvironment& environment) {
    return {{"program", std::move(program)},
            {"inputs", std::move(inputs)},
            {"configuration", std::move(configuration)},
            {"options", compact(functorchJson(config))},
            {"decompositions", std::string(aot::decompositionTableName(decompositions))},
            {"partition", partitionText(environment.partition)},
            {"hooks", hooksText(environment)},
            {"devices", std::move(devices)},
            {"rules", rulesOf(torch)},
            {"libtorch", environment.libTorch},
            {"engine", environment.engine},
            {"format", std::to_string(formatVersion)}};
}

} // namespace

CacheKey keyOf(const aot::RetraceRequest& request, const CompileEnvironment& environment) {
    return keyFrom(
        componentsOf(canonicalText(*request.program), inputsText(request), configurationText(request),
                     request.functorch.value_or(aot::defaultConfig(request.torch)), request.decompositions,
                     request.torch, devicesText(*request.program), environment));
}

CacheKey keyOfPartition(const aot::CompiledFunction& traced, const CompileEnvironment& environment) {
    const aot::CompileConfiguration& configuration = traced.configuration;
    const Json told{{"fakify_first_call", configuration.fakifyFirstCall},
                    {"wrappers", traced.wrappers.size()},
                    {"reason", traced.reason}};
    return keyFrom(componentsOf(ir::graphToJson(*traced.graph), "those of the joint graph", compact(told),
                                configuration.functorch, configuration.decompositions, configuration.torch,
                                devicesText(*traced.graph), environment));
}

CacheKey keyFrom(std::vector<KeyComponent> components) {
    CacheKey key;
    key.components = std::move(components);
    key.digest = hexDigest(joined(key.components));
    key.programDigest = key.components.empty() ? std::string() : hexDigest(key.components.front().text);
    return key;
}

std::string graphKey(const ir::Graph& graph) {
    return hexDigest(canonicalText(graph));
}

std::string componentsApart(const CacheKey& stored, const CacheKey& asked) {
    constexpr std::size_t longest = 60;
    std::string text;
    for (std::size_t i = 0; i < std::max(stored.components.size(), asked.components.size()); ++i) {
        const KeyComponent none;
        const KeyComponent& left = i < stored.components.size() ? stored.components[i] : none;
        const KeyComponent& right = i < asked.components.size() ? asked.components[i] : none;
        if (left == right) {
            continue;
        }
        text += (text.empty() ? "" : ", ") + (right.name.empty() ? left.name : right.name);
        if (left.text.size() <= longest && right.text.size() <= longest) {
            text += " (stored " + left.text + ", asked for " + right.text + ")";
        }
    }
    return text;
}

} // namespace aotscope::cache

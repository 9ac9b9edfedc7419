#include "aot/compiled_function_json.h"

#include "aot/function_fields_json.h"
#include "aot/partition_fields_json.h"

#include "base/hex.h"

#include <algorithm>
#include <cstdint>

namespace aotscope::aot {

namespace detail {

static_assert(listsAllMembers<CompiledFunction>);
static_assert(listsAllMembers<passes::Partition>);
static_assert(listsAllMembers<passes::NodeDecision>);

namespace {

Json partitionJson(const CompiledFunction& function, JsonContext& context) {
    if (!function.partition) {
        return nullptr;
    }
    const passes::Partition& partition = *function.partition;
    context.graph = partition.joint.get();
    Json json = toJson(partition, context);
    // Differs from `function.graph` after floats became tensors or subgraphs were split.
    json["joint"] = partition.joint == function.graph ? Json(nullptr) : toJson(partition.joint, context);
    json["hooks"] = toJson(partition.hooks, context);
    Json decisions = Json::object();
    for (const ir::NodeId id : partition.joint->order()) {
        if (id.index() < partition.report.nodes.size()) {
            decisions[partition.joint->node(id).name] = toJson(partition.report.nodes[id.index()], context);
        }
    }
    json["nodes"] = std::move(decisions);
    context.graph = nullptr;
    return json;
}

/// Bytes as two hexadecimal digits each: JSON has no binary strings.
std::string hexOf(const std::string& bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        base::appendHex(text, static_cast<unsigned char>(byte), 2);
    }
    return text;
}

std::optional<std::string> bytesOf(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        const auto byte = base::hexNumber(std::string_view(hex).substr(i, 2));
        if (!byte) {
            return std::nullopt;
        }
        bytes += static_cast<char>(*byte);
    }
    return hex.size() % 2 == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

/// Null where there is none.
const Json& member(const Json& json, const char* name) {
    static const Json none;
    return json.is_object() && json.contains(name) ? json[name] : none;
}

void readDecisions(const Json& json, passes::Partition& partition, JsonContext& context) {
    if (json.empty()) {
        // Another program's partition: it states no decisions.
        return;
    }
    partition.report.nodes.resize(partition.joint->idBound());
    for (const auto& [name, decision] : json.items()) {
        const auto node = partition.joint->tryFind(name);
        if (!node) {
            context.complain("partition: nodes: there is no node " + name);
            return;
        }
        fromJson(decision, partition.report.nodes[node->index()], context);
    }
}

void readHooks(const Json& json, passes::Partition& partition, JsonContext& context) {
    FieldReader(json, context)("hooks", partition.hooks);
    const bool areWhole = std::ranges::all_of(
        partition.hooks, [](const passes::InlinedHook& hook) { return hook.pack && hook.unpack; });
    if (!areWhole || partition.hooks.empty() != (partition.forwardBeforeHooks == nullptr) ||
        partition.hooks.empty() != (partition.backwardBeforeHooks == nullptr)) {
        context.complain("partition: the hooks, or the halves before hooks");
    }
}

void readPartition(const Json& json, CompiledFunction& function, JsonContext& context) {
    if (json.is_null()) {
        return;
    }
    passes::Partition partition;
    fromJson(member(json, "joint"), partition.joint, context);
    partition.joint = partition.joint ? partition.joint : function.graph;
    if (!partition.joint) {
        context.complain("partition: there is no joint graph");
        return;
    }
    context.graph = partition.joint.get();
    fromJson(json, partition, context);
    readHooks(json, partition, context);
    readDecisions(member(json, "nodes"), partition, context);
    context.graph = nullptr;
    if (!partition.forward || !partition.backward) {
        context.complain("partition: a half is missing");
        return;
    }
    function.partition = std::make_shared<const passes::Partition>(std::move(partition));
}

} // namespace

Json toJson(const FunctorchConfig& config, JsonContext& context) {
    Json options = Json::object();
    for (const ConfigOption& option : configOptions()) {
        options[std::string(option.name)] = optionText(config, option);
    }
    Json json{{"options", std::move(options)}, {"unknown", config.unknown}};
    // No part of a key: who set an option does not change what it does.
    if (!context.forKey) {
        json["chosen"] = config.chosen;
        json["of_backend"] = config.ofBackend;
        json["assumed"] = config.assumed;
    }
    return json;
}

void fromJson(const Json& json, FunctorchConfig& config, JsonContext& context) {
    FieldReader field(json, context);
    std::map<std::string, std::string> options;
    field("options", options);
    field("unknown", config.unknown);
    field("chosen", config.chosen);
    field("of_backend", config.ofBackend);
    field("assumed", config.assumed);
    for (const auto& [name, text] : options) {
        if (!setOption(config, name, text)) {
            context.complain("options: " + name);
        }
    }
}

Json toJson(const Constants& constants, JsonContext&) {
    Json json = Json::object();
    for (const auto& [name, data] : constants) {
        json[name] = {{"dtype", data.dtype}, {"shape", data.shape}, {"bytes", hexOf(data.bytes)}};
    }
    return json;
}

void fromJson(const Json& json, Constants& constants, JsonContext& context) {
    if (!json.is_object()) {
        context.complain("expected tensors by name");
        return;
    }
    for (const auto& [name, value] : json.items()) {
        const Json& dtype = member(value, "dtype");
        const Json& shape = member(value, "shape");
        const Json& hex = member(value, "bytes");
        const auto bytes = hex.is_string() ? bytesOf(hex.get<std::string>()) : std::nullopt;
        const bool isShape = shape.is_array() && std::ranges::all_of(shape, [](const Json& size) {
                                 return size.is_number_integer();
                             });
        if (!dtype.is_string() || !isShape || !bytes) {
            context.complain("tensor " + name);
            return;
        }
        constants.emplace(
            name, TensorData{dtype.get<std::string>(), shape.get<std::vector<std::int64_t>>(), *bytes});
    }
}

Json toJson(const GraphSignature& signature, JsonContext&) {
    return Json::parse(signatureToJson(signature));
}

void fromJson(const Json& json, GraphSignature& signature, JsonContext& context) {
    auto read = signatureFromJson(json.dump());
    read ? void(signature = std::move(read).value()) : context.note(std::move(read).error());
}

Json toJson(const CompiledFunction& function, JsonContext& context) {
    Json json = toJson<CompiledFunction>(function, context);
    json["partition"] = partitionJson(function, context);
    return json;
}

void fromJson(const Json& json, CompiledFunction& function, JsonContext& context) {
    fromJson<CompiledFunction>(json, function, context);
    readPartition(member(json, "partition"), function, context);
}

} // namespace detail

std::string wrappersToJson(const std::vector<WrapperStep>& wrappers) {
    detail::JsonContext context;
    return detail::toJson(wrappers, context).dump();
}

std::string compiledFunctionToJson(const CompiledFunction& function) {
    detail::JsonContext context;
    detail::Json json{{"version", compiledFunctionVersion}};
    json.update(detail::toJson(function, context));
    return json.dump(-1, ' ', false, detail::Json::error_handler_t::replace) + "\n";
}

base::Result<CompiledFunction> compiledFunctionFromJson(std::string_view json) {
    const detail::Json parsed = detail::Json::parse(json, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object()) {
        return base::Error{.code = "aot.json_syntax",
                           .message = "The compiled function is not a JSON object."};
    }
    if (parsed.value("version", 0) != compiledFunctionVersion) {
        return base::Error{.code = "aot.json_version",
                           .message = "The compiled function has a different version than " +
                                      std::to_string(compiledFunctionVersion) + "."};
    }
    detail::JsonContext context;
    CompiledFunction function;
    detail::fromJson(parsed, function, context);
    if (!context.error && !context.wrong.empty()) {
        context.note(
            {.code = "aot.json_form", .message = "The compiled function cannot be read: " + context.wrong});
    }
    return context.error ? base::Result<CompiledFunction>(*std::move(context.error)) : std::move(function);
}

} // namespace aotscope::aot

#include "explore/compiled_autograd_hooks.h"

#include "ir/keywords.h"
#include "load/graph_kind.h"

#include <algorithm>
#include <map>

namespace aotscope::session {
namespace {

constexpr std::string_view callHook = "external_utils_call_hook";
constexpr std::string_view backwardPrologue = "call_aot_bwd_prologue";

/// FX prints the functions of compiled autograd with underscores in place of dots.
bool calls(const ir::Node& node, std::string_view function) {
    return node.op == ir::Opcode::CallFunction && node.target.ends_with(function);
}

/// "primals_3" of "aot0_primals_3": compiled autograd puts the number of the compiled function in front of
/// the names of its backward.
std::string withoutNumber(const std::string& name) {
    constexpr std::string_view prefix = "aot";
    std::size_t end = prefix.size();
    while (name.starts_with(prefix) && end < name.size() && name[end] >= '0' && name[end] <= '9') {
        ++end;
    }
    const bool isNumbered = end > prefix.size() && end < name.size() && name[end] == '_';
    return isNumbered ? name.substr(end + 1) : name;
}

/// The inputs of a compiled backward that the graph runs, by position.
using BackwardInputs = std::map<std::int64_t, std::string>;

/// By the node that begins it.
std::map<ir::NodeId, BackwardInputs> backwardsOf(const ir::Graph& graph) {
    std::map<ir::NodeId, BackwardInputs> backwards;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (calls(node, backwardPrologue)) {
            backwards.try_emplace(id);
        } else if (node.target == "_operator.getitem" && node.args.size() == 2) {
            const auto* of = node.args[0].as<ir::NodeId>();
            const auto* position = node.args[1].as<std::int64_t>();
            const auto found = of == nullptr ? backwards.end() : backwards.find(*of);
            if (found != backwards.end() && position != nullptr) {
                found->second.emplace(*position, withoutNumber(node.name));
            }
        }
    }
    return backwards;
}

/// The saved tensors that hooks unpack, by the node that calls the hook.
std::map<ir::NodeId, std::string> unpackedTensors(const ir::Graph& graph) {
    std::map<ir::NodeId, std::string> unpacked;
    for (const auto& [id, inputs] : backwardsOf(graph)) {
        const ir::Arguments& args = graph.node(id).args;
        const ir::Arguments* tensors = args.empty() ? nullptr : ir::itemsOf(args[0]);
        // Symbolic integers come first among the inputs.
        const ir::Arguments* numbers = args.size() < 2 ? nullptr : ir::itemsOf(args[1]);
        const std::size_t first = numbers == nullptr ? 0 : numbers->size();
        for (std::size_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
            const auto* tensor = (*tensors)[i].as<ir::NodeId>();
            const auto name = inputs.find(static_cast<std::int64_t>(first + i));
            if (tensor != nullptr && name != inputs.end()) {
                unpacked.emplace(*tensor, name->second);
            }
        }
    }
    return unpacked;
}

std::string typeOf(const ir::Node& node) {
    const ir::Argument* type = ir::tryKeyword(node.kwargs, "hook_type");
    const auto* text = type == nullptr ? nullptr : type->as<std::string>();
    return text == nullptr ? std::string("hook") : *text;
}

/// What a hook unpacks, else "AccumulateGrad (NodeCall 5)" of "torch::autograd::AccumulateGrad (NodeCall 5)".
std::string placeOf(const RunTimeHook& hook) {
    const std::size_t scope = hook.autogradNode.rfind("::");
    return !hook.saved.empty()          ? hook.saved
           : scope == std::string::npos ? hook.autogradNode
                                        : hook.autogradNode.substr(scope + 2);
}

} // namespace

std::vector<RunTimeHook> runTimeHooks(const ir::Graph& compiledAutograd) {
    const std::map<ir::NodeId, std::string> unpacked = unpackedTensors(compiledAutograd);
    std::vector<RunTimeHook> hooks;
    for (const ir::NodeId id : compiledAutograd.order()) {
        const ir::Node& node = compiledAutograd.node(id);
        if (!calls(node, callHook)) {
            continue;
        }
        const bool hasPlace = node.origin && node.origin->source;
        RunTimeHook hook{typeOf(node), node.name, hasPlace ? node.origin->source->code : std::string()};
        if (const auto saved = unpacked.find(id); saved != unpacked.end()) {
            hook.saved = saved->second;
        }
        hooks.push_back(std::move(hook));
    }
    return hooks;
}

bool runsBackward(const ir::Graph& compiledAutograd, const ir::Graph& backward) {
    const std::vector<ir::NodeId> placeholders = backward.placeholders();
    const auto isIt = [&](const auto& each) {
        const BackwardInputs& inputs = each.second;
        return !inputs.empty() && inputs.size() <= placeholders.size() &&
               std::ranges::all_of(inputs, [&](const auto& input) {
                   const auto position = static_cast<std::size_t>(input.first);
                   return input.first >= 0 && position < placeholders.size() &&
                          backward.node(placeholders[position]).name == input.second;
               });
    };
    return std::ranges::any_of(backwardsOf(compiledAutograd), isIt);
}

std::vector<CompiledAutogradHooks> compiledAutogradHooks(const LogSnapshot& log, const ReadGraph& read,
                                                         const ir::Graph* backward) {
    std::vector<CompiledAutogradHooks> found;
    const std::span<const load::Compile> compiles = log.compiles();
    for (std::uint32_t i = 0; i < compiles.size(); ++i) {
        const load::Compile& compile = compiles[i];
        if (!compile.id.compiledAutograd) {
            continue;
        }
        for (const load::Artifact& artifact : log.artifacts(load::CompileIndex(i))) {
            if (artifact.kind != load::RecordKind::CompiledAutogradGraph) {
                continue;
            }
            const ArtifactReference reference = referenceTo(log, compile, artifact.name);
            const auto graph = read(reference);
            if (graph && (*graph)->graph &&
                (backward == nullptr || runsBackward(*(*graph)->graph, *backward))) {
                found.push_back({reference, idText(reference), runTimeHooks(*(*graph)->graph)});
            }
        }
    }
    return found;
}

std::string runTimeHooksText(std::span<const RunTimeHook> hooks, std::size_t most) {
    std::vector<std::pair<std::string, std::vector<std::string>>> types;
    for (const RunTimeHook& hook : hooks) {
        auto type = std::ranges::find(types, hook.type, [](const auto& each) { return each.first; });
        if (type == types.end()) {
            types.push_back({hook.type, {}});
            type = types.end() - 1;
        }
        type->second.push_back(placeOf(hook));
    }
    std::string text;
    for (const auto& [type, places] : types) {
        text += (text.empty() ? "" : "; ") + std::to_string(places.size()) + " × " + type;
        std::string named;
        for (std::size_t i = 0; i < std::min(places.size(), most); ++i) {
            named += (named.empty() || places[i].empty() ? "" : ", ") + places[i];
        }
        named += places.size() > most ? ", …" : "";
        text += named.empty() ? "" : ": " + named;
    }
    return text.empty() ? "none" : text;
}

} // namespace aotscope::session

#include "passes/graph_warnings.h"

#include "passes/op_facts.h"

#include "base/joined.h"
#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <map>
#include <set>

namespace aotscope::passes {

namespace {

/// What is known of graphs that were looked at: a body may be called from many places.
using KnownBodies = std::map<const ir::Graph*, bool>;

bool draws(const ir::Graph& graph, const NodeFlags& flags, ir::NodeId id, const PartitionRules& rules,
           KnownBodies& known);

bool bodyDraws(const ir::Graph& body, const PartitionRules& rules, KnownBodies& known) {
    if (const auto found = known.find(&body); found != known.end()) {
        return found->second;
    }
    const NodeFlags flags = nodeFlags(body, rules);
    const bool found = std::ranges::any_of(
        body.order(), [&](ir::NodeId each) { return draws(body, flags, each, rules, known); });
    known.emplace(&body, found);
    return found;
}

/// Whether the node, or a graph inside of it, draws random numbers.
bool draws(const ir::Graph& graph, const NodeFlags& flags, ir::NodeId id, const PartitionRules& rules,
           KnownBodies& known) {
    if ((flags[id.index()] & OpDraws) != 0) {
        return true;
    }
    const ir::Node& node = graph.node(id);
    const ir::HigherOrderOperator* called = ir::tryHigherOrder(node.target);
    if (node.op != ir::Opcode::CallFunction || !ir::isHigherOrder(node.target) ||
        (called != nullptr && called->keepsRandomState)) {
        return false;
    }
    return std::ranges::any_of(ir::bodiesOf(graph, id),
                               [&](const ir::GraphPtr& body) { return bodyDraws(*body, rules, known); });
}

/// Names of the calls that draw. Attention without dropout draws nothing, whatever the partitioner thinks.
std::vector<std::string> drawingNodes(const ir::Graph& graph, PartitionRules rules) {
    rules.attentionDrawsOnlyForDropout = true;
    const NodeFlags flags = nodeFlags(graph, rules);
    std::vector<std::string> names;
    KnownBodies known;
    for (const ir::NodeId id : graph.order()) {
        if (draws(graph, flags, id, rules, known)) {
            names.push_back(graph.node(id).name);
        }
    }
    return names;
}

GraphWarning recomputedRandom(const std::string& node, const std::string& target) {
    return {WarningSeverity::Error,
            std::string(randomRecomputed),
            WarnedGraph::Joint,
            {node},
            "\"" + node + "\" (" + target +
                ") is recomputed in the backward, which draws new random numbers: the state of the "
                "generator is not saved for it, so the gradients belong to other numbers than the results.",
            "Have it saved: a larger torch._functorch.config.activation_memory_budget, or "
            "ban_recompute_used_far_apart and the other bans on; torch.utils.checkpoint with "
            "preserve_rng_state (its default) recomputes it with the same numbers."};
}

/// The value whose memory a node's value is: through views.
std::map<ir::NodeId, ir::NodeId> viewedValues(const ir::Graph& graph, const PartitionRules& rules) {
    const NodeFlags flags = nodeFlags(graph, rules);
    std::map<ir::NodeId, ir::NodeId> roots;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        const ir::NodeId* viewed = (flags[id.index()] & OpView) != 0 ? node.tryArg<ir::NodeId>(0) : nullptr;
        const auto root = viewed != nullptr ? roots.find(*viewed) : roots.end();
        roots[id] = root == roots.end() ? id : root->second;
    }
    return roots;
}

/// Whether the caller gets the value itself: a written input, for one, gets a copy of it.
bool isCallers(const ir::Node& output, std::size_t position) {
    const ir::AOTOutput* descriptor = ir::outputDescriptor(output, position);
    return descriptor == nullptr || descriptor->as<ir::PlainAOTOutput>() != nullptr ||
           descriptor->as<ir::IntermediateBaseAOTOutput>() != nullptr;
}

GraphWarning savedOutput(const std::string& saved, const std::string& returned, const std::string& position) {
    const bool isView = saved != returned;
    return {
        WarningSeverity::Note,
        std::string(savedIsOutput),
        WarnedGraph::Joint,
        {saved},
        "\"" + saved + "\" is saved for the backward, and " +
            (isView ? "shares its memory with \"" + returned + "\", which is output " : "is also output ") +
            position +
            ": a caller who writes to that output in place before the backward breaks the backward, which "
            "in eager mode may keep another value.",
        "Write to a clone of the output, or return a clone of it."};
}

void addSavedOutputs(const ir::Graph& forward, std::size_t forwardOutputs, const PartitionRules& rules,
                     std::vector<GraphWarning>& warnings) {
    const auto values = forward.returned();
    if (values.size() <= forwardOutputs) {
        return;
    }
    const ir::Node& output = forward.node(*forward.output());
    const auto roots = viewedValues(forward, rules);
    std::map<ir::NodeId, std::size_t> callers;
    for (std::size_t i = 0; i < forwardOutputs; ++i) {
        const ir::NodeId* returned = values[i].as<ir::NodeId>();
        if (returned != nullptr && ir::asTensor(forward.node(*returned).value) != nullptr &&
            isCallers(output, i)) {
            callers.try_emplace(roots.at(*returned), i);
        }
    }
    std::set<ir::NodeId> told;
    for (std::size_t i = forwardOutputs; i < values.size(); ++i) {
        const ir::NodeId* saved = values[i].as<ir::NodeId>();
        if (saved == nullptr || forward.node(roots.at(*saved)).op == ir::Opcode::Placeholder ||
            !told.insert(*saved).second) {
            continue;
        }
        if (const auto found = callers.find(roots.at(*saved)); found != callers.end()) {
            const std::string& returned = forward.node(*values[found->second].as<ir::NodeId>()).name;
            warnings.push_back(
                savedOutput(forward.node(*saved).name, returned, std::to_string(found->second)));
        }
    }
}

/// The nodes of a program that switch autocast off for a part of it.
std::vector<std::string> partsWithoutAutocast(const ir::Graph& program) {
    constexpr std::size_t enabledAt = 2;
    std::vector<std::string> names;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        const bool* enabled = node.tryArg<bool>(enabledAt);
        if (enabled != nullptr && !*enabled && node.target.ends_with("._enter_autocast")) {
            names.push_back(node.name);
        }
    }
    return names;
}

/// Bytes of an element of a floating-point tensor; 0 for anything else.
std::size_t floatBytes(const ir::Node& node) {
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    return meta != nullptr && ir::canRequireGrad(meta->dtype) ? ir::dtypeBytes(meta->dtype) : 0;
}

/// Nodes among those of the backward that make a value of the forward narrower.
std::vector<std::string> narrowedForBackward(const ir::Graph& joint) {
    constexpr std::size_t ofHalf = 2;
    std::vector<bool> ofTangent(joint.idBound(), false);
    bool isBackward = false;
    std::vector<std::string> names;
    for (const ir::NodeId id : joint.order()) {
        const ir::Node& node = joint.node(id);
        const ir::AOTInput* input = ir::inputDescriptor(node);
        const auto inputs = joint.inputs(id);
        const bool isTangent = input != nullptr && std::get_if<ir::TangentAOTInput>(&input->value) != nullptr;
        ofTangent[id.index()] = isTangent || std::ranges::any_of(inputs, [&](ir::NodeId each) {
                                    return ofTangent[each.index()];
                                });
        isBackward = isBackward || (ofTangent[id.index()] && node.op == ir::Opcode::CallFunction);
        if (isBackward && !ofTangent[id.index()] && inputs.size() == 1 && floatBytes(node) == ofHalf &&
            floatBytes(joint.node(inputs.front())) > ofHalf) {
            names.push_back(node.name);
        }
    }
    return names;
}

} // namespace

std::string warningText(const GraphWarning& warning) {
    return std::string(base::wordOf(warning.severity)) + " " + warning.code + ": " + warning.message +
           (warning.hint.empty() ? "" : " " + warning.hint);
}

std::vector<GraphWarning> warningsOfHalves(const ir::Graph& forward, const ir::Graph& backward,
                                           std::size_t forwardOutputs, const PartitionRules& rules) {
    std::vector<GraphWarning> warnings;
    const std::vector<std::string> drawn = drawingNodes(forward, rules);
    const std::set<std::string> inForward(drawn.begin(), drawn.end());
    for (const std::string& name : drawingNodes(backward, rules)) {
        if (inForward.contains(name)) {
            warnings.push_back(recomputedRandom(name, backward.node(*backward.tryFind(name)).target));
        }
    }
    addSavedOutputs(forward, forwardOutputs, rules, warnings);
    return warnings;
}

std::vector<GraphWarning> warningsOfAutocast(const ir::Graph& program, const ir::Graph& joint) {
    std::vector<std::string> parts = partsWithoutAutocast(program);
    const std::vector<std::string> narrowed =
        parts.empty() ? std::vector<std::string>() : narrowedForBackward(joint);
    if (narrowed.empty()) {
        return {};
    }
    const std::string listed = "\"" + base::joined(narrowed, "\", \"") + "\"";
    return {
        {WarningSeverity::Warning, "backward.autocast", WarnedGraph::Dynamo, std::move(parts),
         "The program switches autocast off for a part, but the caller's autocast holds for its whole "
         "backward, which casts values of the joint graph down that the forward kept wide: " +
             listed +
             ". Eager mode runs a backward without autocast, so gradients of that part are more exact "
             "there.",
         "Set torch._functorch.config.backward_pass_autocast to \"off\", or leave autocast out around the "
         "compiled function."}};
}

} // namespace aotscope::passes

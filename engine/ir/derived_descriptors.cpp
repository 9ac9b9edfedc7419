#include "ir/derived_descriptors.h"

#include "base/numbers.h"
#include "base/text_search.h"
#include "ir/phase.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace aotscope::ir::detail {
namespace {

/// N of "prefixNsuffix".
std::optional<std::int64_t> numberIn(std::string_view name, std::string_view prefix,
                                     std::string_view suffix) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix) ||
        name.size() <= prefix.size() + suffix.size()) {
        return std::nullopt;
    }
    const auto number = base::wholeNumber<std::int64_t>(
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
    return number && *number >= 0 ? number : std::nullopt;
}

/// The input that a placeholder's name stands for; `first` is the number of the first primal and tangent.
std::optional<AOTInput> inputOfName(std::string_view name, std::int64_t first) {
    if (const auto number = numberIn(name, "primals_", ""); number && *number >= first) {
        return PlainAOTInput{*number - first};
    }
    if (const auto number = numberIn(name, "arg", "_1")) {
        return PlainAOTInput{*number};
    }
    if (name.starts_with("tangents_token")) {
        return BackwardTokenAOTInput{0};
    }
    if (base::contains(name, "tangents")) {
        const auto number = numberIn(name, "tangents_", "");
        return TangentAOTInput{
            AOTOutput(PlainAOTOutput{number ? std::max<std::int64_t>(*number - first, 0) : 0})};
    }
    if (base::contains(name, "bwd_seed")) {
        return PhiloxBackwardSeedAOTInput{};
    }
    if (base::contains(name, "bwd_base_offset")) {
        return PhiloxBackwardBaseOffsetAOTInput{};
    }
    if (base::contains(name, "fwd_seed")) {
        return PhiloxForwardSeedAOTInput{};
    }
    return base::contains(name, "fwd_base_offset")
               ? std::optional<AOTInput>(PhiloxForwardBaseOffsetAOTInput{})
               : std::nullopt;
}

/// Index of the first gradient among the values that a graph with tangents returns. By AOTAutograd's calling
/// convention the last values are one for each primal. If that contradicts the graph (a backward graph, or a
/// graph without some of its outputs), the gradients begin at the first value that depends on a tangent.
std::size_t firstGradient(const Graph& graph, const std::vector<NodeId>& returned, std::size_t primals) {
    const std::vector<bool> needsTangent = ir::needsTangent(graph);
    const auto firstBackward = std::ranges::find_if(graph.order(), [&](NodeId id) {
        return graph.node(id).op != Opcode::Placeholder && needsTangent[id.index()];
    });
    const auto needs = [&](NodeId id) { return id.valid() && needsTangent[id.index()]; };
    auto begin = std::ranges::find_if(returned, needs);
    if (primals <= returned.size()) {
        // A gradient without a tangent (zeros) is computed after the backward began, or is None.
        const auto byCount = returned.end() - static_cast<std::ptrdiff_t>(primals);
        // Where nothing needs a tangent (the backward of `sgn` is zeros), only the count tells.
        const bool anyBackward = firstBackward != graph.order().end();
        const bool holds = std::none_of(std::min(byCount, begin), begin, [&](NodeId id) {
            return anyBackward && id.valid() && graph.position(id) < graph.position(*firstBackward);
        });
        begin = holds ? std::min(begin, byCount) : begin;
    }
    const bool anyForward = std::any_of(returned.begin(), begin, [](NodeId id) { return id.valid(); });
    return anyForward ? static_cast<std::size_t>(begin - returned.begin()) : 0;
}

void describeOutputs(const Graph& graph, std::size_t primals, std::vector<Descriptor>& descriptors) {
    const std::vector<NodeId> returned = returnedNodes(graph);
    const std::size_t gradients = firstGradient(graph, returned, primals);
    for (std::size_t i = 0; i < returned.size(); ++i) {
        if (i < gradients) {
            descriptors.push_back({AOTOutput(PlainAOTOutput{static_cast<std::int64_t>(i)}), true});
        } else if (returned[i].valid()) {
            const AOTInput input = PlainAOTInput{static_cast<std::int64_t>(i - gradients)};
            descriptors.push_back({AOTOutput(GradAOTOutput{input}), true});
        } else {
            descriptors.push_back({NoneDescriptor{}, true});
        }
    }
}

void dropDerived(Node& node) {
    if (std::ranges::any_of(node.descriptors, &Descriptor::derived)) {
        node.descriptors.clear();
    }
}

} // namespace

void deriveDescriptors(const Graph& graph, std::vector<Node>& nodes) {
    const std::vector<NodeId> placeholders = graph.placeholders();
    bool isStated = false;
    bool fromZero = false;
    for (const NodeId id : placeholders) {
        Node& node = nodes[id.index()];
        dropDerived(node);
        isStated = isStated || !node.descriptors.empty();
        // Bodies of subgraphs are numbered from 0, whole graphs from 1.
        fromZero = fromZero || node.name == "primals_0" || node.name == "tangents_0";
    }
    std::size_t primals = 0;
    bool hasTangents = false;
    for (const NodeId id : placeholders) {
        Node& node = nodes[id.index()];
        if (auto input = isStated ? std::nullopt : inputOfName(node.name, fromZero ? 0 : 1)) {
            node.descriptors = {{*std::move(input), true}};
        }
        const AOTInput* input = inputDescriptor(node);
        hasTangents = hasTangents || isTangentOrBackwardToken(node);
        primals += input != nullptr && isPrimal(*input) ? 1 : 0;
    }
    if (const auto output = graph.output()) {
        Node& node = nodes[output->index()];
        dropDerived(node);
        if (hasTangents && node.descriptors.empty()) {
            describeOutputs(graph, primals, node.descriptors);
        }
    }
}

} // namespace aotscope::ir::detail

#include "inductor/link_state.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

constexpr std::size_t maxDisagreements = 100;

} // namespace

LinkState::LinkState(const OutputCode& outputCode, const LinkInputs& linkInputs)
    : code(outputCode),
      inputs(linkInputs),
      facts(linkInputs.graph),
      flow(followBuffers(outputCode)),
      nodeOf(flow.values.size()),
      externOf(facts.graph().idBound()),
      held(facts.graph().idBound()),
      found(outputCode.launches.size()) {
    elements.resize(flow.values.size());
    for (std::uint32_t index = 0; index < flow.values.size(); ++index) {
        if (const std::optional<std::uint32_t> whole = flow.values[index].elementOf) {
            elements[*whole].push_back(index);
        }
    }
    for (std::uint32_t index = 0; index < flow.values.size(); ++index) {
        const HeldValue& value = flow.values[index];
        const std::optional<ir::NodeId> input =
            value.input.empty() ? std::nullopt : graph().tryFind(value.input);
        if (!input) {
            continue;
        }
        if (!value.writesInput) {
            setNode(index, *input);
            continue;
        }
        for (const ir::NodeId user : graph().users(*input)) {
            const ir::Node& node = graph().node(user);
            const ir::NodeId* target = node.tryArg<ir::NodeId>(0);
            if (operatorName(node.target) == "copy_" && target != nullptr && *target == *input) {
                setNode(index, user);
            }
        }
    }
    const std::vector<std::optional<ir::NodeId>>& returned = facts.returned();
    const bool endsInNone = flow.returned.size() < returned.size() && code.cppWrapper &&
                            std::none_of(returned.begin() + static_cast<std::ptrdiff_t>(flow.returned.size()),
                                         returned.end(), [](const auto& value) { return value.has_value(); });
    if (returned.size() != flow.returned.size() && !endsInNone) {
        disagree("The code returns " + std::to_string(flow.returned.size()) + " values, the graph " +
                 std::to_string(returned.size()) + ".");
        return;
    }
    for (std::size_t place = 0; place < flow.returned.size(); ++place) {
        if (returned[place] && flow.returned[place]) {
            setNode(*flow.returned[place], facts.root(*returned[place]));
        }
    }
}

std::optional<ir::NodeId> LinkState::element(ir::NodeId node, int place) const {
    for (const ir::NodeId user : graph().users(node)) {
        const ir::Node& call = graph().node(user);
        const auto* index = call.tryArg<std::int64_t>(1);
        if (call.target == "_operator.getitem" && index != nullptr && *index == place) {
            return user;
        }
    }
    return std::nullopt;
}

bool LinkState::setNode(std::uint32_t value, ir::NodeId node) {
    if (nodeOf[value]) {
        return false;
    }
    nodeOf[value] = node;
    held[node.index()] = true;
    const HeldValue& content = flow.values[value];
    if (const auto whole = content.elementOf ? facts.elementOf(node) : std::nullopt) {
        setNode(*content.elementOf, *whole);
    }
    for (const std::uint32_t other : elements[value]) {
        if (const std::optional<ir::NodeId> part = element(node, flow.values[other].element)) {
            setNode(other, *part);
        }
    }
    return true;
}

void LinkState::addLink(std::uint32_t launch, ir::NodeId node, EvidenceSet evidence) {
    if (facts.isComputed(node)) {
        found[launch][node.index()] |= evidence;
    }
}

void LinkState::disagree(std::string text) {
    if (links.disagreements.size() < maxDisagreements) {
        links.disagreements.push_back(std::move(text));
    }
}

std::vector<std::uint32_t> LinkState::tensorReads(std::uint32_t launch) const {
    std::vector<std::uint32_t> reads;
    for (const std::uint32_t value : flow.launches[launch].reads) {
        if (!nodeOf[value] || !facts.isSize(*nodeOf[value])) {
            reads.push_back(value);
        }
    }
    return reads;
}

bool LinkState::fitsSize(const HeldValue& value, ir::NodeId node) const {
    const ir::TensorMeta* tensor = ir::asTensor(graph().node(node).value);
    return tensor == nullptr || value.shape.empty() || countOf(value.shape) == countOf(*tensor);
}

bool LinkState::fits(const HeldValue& value, ir::NodeId node) const {
    const ir::TensorMeta* tensor = ir::asTensor(graph().node(node).value);
    if (tensor == nullptr) {
        return true;
    }
    constexpr std::string_view prefix = "torch.";
    const bool sameType = !value.dtype.starts_with(prefix) || tensor->dtype == ir::DType::Unknown ||
                          ir::dtypeName(tensor->dtype) == std::string_view(value.dtype).substr(prefix.size());
    return sameType && fitsSize(value, node);
}

} // namespace aotscope::inductor

#include "layout/category.h"

#include "layout/group_tree.h"

#include "base/text_search.h"

#include <algorithm>
#include <array>

namespace aotscope::layout {
namespace {

using ir::NodeId;
using ir::Opcode;

/// Whether the graph is the backward of a partition: all of it runs after the loss.
bool isBackwardGraph(const CategoryFacts& facts) {
    if (facts.isJoint || facts.phases.empty()) {
        return false;
    }
    return std::ranges::all_of(facts.graph->order(), [&](NodeId id) { return isBackward(facts.phases, id); });
}

Category fromSource(std::string_view source) {
    if (base::contains(source, "_parameters[") || base::contains(source, "_parameters_")) {
        return Category::Parameter;
    }
    if (base::contains(source, "_buffers[") || base::contains(source, "_buffers_")) {
        return Category::Buffer;
    }
    return source.empty() ? Category::Unknown : Category::Input;
}

/// `Unknown` for a derived primal, because a derived descriptor does not say what kind of input it is.
Category fromDescriptor(const ir::Node& placeholder) {
    const ir::AOTInput* input = ir::inputDescriptor(placeholder);
    if (input == nullptr) {
        return Category::Unknown;
    }
    if (ir::isTangentOrBackwardToken(*input)) {
        return Category::Tangent;
    }
    if (ir::isParam(*input)) {
        return Category::Parameter;
    }
    if (ir::isBuffer(*input)) {
        return Category::Buffer;
    }
    return placeholder.descriptors.front().derived ? Category::Unknown : Category::Input;
}

Category placeholderCategory(const ir::Node& node, std::string_view source, bool backwardGraph) {
    const Category described = fromDescriptor(node);
    if (described == Category::Tangent || described == Category::Parameter || described == Category::Buffer) {
        return described;
    }
    const Category sourced = fromSource(source.empty() ? std::string_view(node.name) : source);
    if (sourced == Category::Parameter || sourced == Category::Buffer) {
        return sourced;
    }
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    if (tensor != nullptr && tensor->isParameter) {
        return Category::Parameter;
    }
    if (backwardGraph) {
        // An input that is not a tangent was saved by the forward.
        return described == Category::Unknown ? Category::Saved : described;
    }
    const bool told = described == Category::Input || !source.empty();
    // Dynamo names an input after its source: L_x_.
    return told || node.name.starts_with("L_") || node.name.starts_with("l_") ? Category::Input
                                                                              : Category::Unknown;
}

void markReturned(const ir::Graph& graph, std::vector<Category>& categories) {
    const std::optional<NodeId> output = graph.output();
    if (!output) {
        return;
    }
    const ir::Node& node = graph.node(*output);
    const std::span<const ir::Argument> returned = graph.returned();
    for (std::size_t i = 0; i < returned.size(); ++i) {
        const NodeId* value = returned[i].as<NodeId>();
        if (value == nullptr || graph.node(*value).op == Opcode::Placeholder) {
            continue;
        }
        Category& category = categories[value->index()];
        const ir::AOTOutput* descriptor = ir::outputDescriptor(node, i);
        if (descriptor != nullptr && ir::isSavedForBackwards(*descriptor)) {
            // A value that is also returned to the user stays an output.
            category = category == Category::Output ? category : Category::Saved;
        } else if (descriptor != nullptr && ir::isGrad(*descriptor)) {
            category = Category::Gradient;
        } else {
            category = Category::Output;
        }
    }
}

/// One notion of "saved": the partition's list.
void markSaved(const ir::Graph& graph, const SplitFacts& split, std::vector<Category>& categories) {
    for (const NodeId id : graph.order()) {
        Category& category = categories[id.index()];
        if (category == Category::Saved && split.knows(id)) {
            category = graph.node(id).op == Opcode::Placeholder ? Category::Input : Category::Temporary;
        }
    }
    for (const SavedValue& value : split.saved) {
        categories[value.node.index()] = Category::Saved;
    }
}

Category mostOf(std::span<const NodeId> nodes, std::span<const Category> categories) {
    std::array<std::size_t, categoryCount> counts{};
    for (const NodeId node : nodes) {
        // No group is saved: its values are, and its picture says how many.
        const Category category = categories[node.index()];
        ++counts[std::size_t(category == Category::Saved ? Category::Temporary : category)];
    }
    return Category(std::ranges::max_element(counts) - counts.begin());
}

} // namespace

std::string_view inputSource(const CategoryFacts& facts, NodeId placeholder) {
    const std::string& own = facts.graph->node(placeholder).inputSource;
    if (!own.empty() || facts.inputSources.empty()) {
        return own;
    }
    // Placeholders usually come first, but a graph that was read from a file may differ.
    std::size_t at = 0;
    for (const NodeId id : facts.graph->order()) {
        if (id == placeholder) {
            break;
        }
        at += facts.graph->node(id).op == Opcode::Placeholder ? 1 : 0;
    }
    return at < facts.inputSources.size() ? std::string_view(facts.inputSources[at]) : std::string_view();
}

std::vector<Category> nodeCategories(const CategoryFacts& facts) {
    std::vector<Category> categories;
    if (facts.graph == nullptr) {
        return categories;
    }
    const ir::Graph& graph = *facts.graph;
    categories.assign(graph.idBound(), Category::Unknown);
    const bool havePhases = facts.phases.size() >= graph.idBound();
    const bool backwardGraph = havePhases && isBackwardGraph(facts);
    for (const NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        Category& category = categories[id.index()];
        if (node.op == Opcode::Placeholder) {
            category = placeholderCategory(node, inputSource(facts, id), backwardGraph);
        } else if (node.op == Opcode::Output) {
            category = Category::Output;
        } else if (node.op == Opcode::GetAttr) {
            category =
                fromSource(node.target) == Category::Parameter ? Category::Parameter : Category::Unknown;
        } else {
            const auto inputs = graph.inputs(id);
            const bool ofGradient = std::ranges::any_of(inputs, [&](NodeId input) {
                const Category of = categories[input.index()];
                return of == Category::Tangent || of == Category::Gradient;
            });
            category = ofGradient ? Category::Gradient : Category::Temporary;
        }
    }
    markReturned(graph, categories);
    if (facts.split != nullptr) {
        markSaved(graph, *facts.split, categories);
    }
    return categories;
}

std::vector<Category> nodeCategories(const ir::Graph& graph) {
    const std::vector<ir::Phase> phases = ir::nodePhases(graph);
    return nodeCategories({.graph = &graph, .phases = phases, .isJoint = ir::isJointGraph(graph)});
}

std::vector<Category> boxCategories(const Layout& layout, std::span<const Category> ofNodes) {
    std::vector<Category> categories;
    categories.reserve(layout.boxes.size());
    for (const Box& box : layout.boxes) {
        if (box.node.valid()) {
            categories.push_back(ofNodes[box.node.index()]);
        } else if (box.group.valid()) {
            categories.push_back(mostOf(layout.groups[box.group.index()].nodes, ofNodes));
        } else {
            categories.push_back(Category::Unknown);
        }
    }
    return categories;
}

} // namespace aotscope::layout

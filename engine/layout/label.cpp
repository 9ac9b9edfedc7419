#include "layout/label.h"

#include "layout/layout.h"

#include <algorithm>

namespace aotscope::layout {

namespace {

constexpr std::size_t mostCharacters = 64;
constexpr std::size_t mostDimensions = 12;

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

} // namespace

std::size_t characterCount(std::string_view text, std::size_t most) {
    std::size_t count = 0;
    for (const char c : text) {
        if (!isContinuation(c) && ++count == most) {
            break;
        }
    }
    return count;
}

std::string cutText(std::string_view text, std::size_t most) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!isContinuation(text[i]) && ++count > most) {
            return std::string(text.substr(0, i)) + "…";
        }
    }
    return std::string(text);
}

std::string shortTarget(const ir::Node& node) {
    if (node.op == ir::Opcode::Placeholder) {
        return "input";
    }
    if (node.op == ir::Opcode::Output) {
        return "output";
    }
    std::string_view target = node.target;
    for (const std::string_view prefix : {"aten.", "prims.", "_operator.", "torch."}) {
        if (target.starts_with(prefix)) {
            target.remove_prefix(prefix.size());
            break;
        }
    }
    constexpr std::string_view plainOverload = ".default";
    if (target.ends_with(plainOverload)) {
        target.remove_suffix(plainOverload.size());
    }
    return cutText(target, mostCharacters);
}

std::string shortValue(const ir::ValueMeta& value) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        std::string text(ir::dtypeShortName(tensor->dtype));
        text += '[';
        for (std::size_t i = 0; i < tensor->shape.size(); ++i) {
            if (i == mostDimensions) {
                text += ", …";
                break;
            }
            text += (i == 0 ? "" : ", ") + cutText(tensor->shape[i].text(), mostCharacters);
        }
        return text + ']';
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value)) {
        return *tuple ? "(" + std::to_string((*tuple)->elements.size()) + ")" : std::string();
    }
    return cutText(ir::valueText(value), mostCharacters);
}

double boxWidth(std::string_view name, std::string_view op, std::string_view value) {
    const std::size_t gap = op.empty() || value.empty() ? 0 : 2;
    const std::size_t second =
        characterCount(op, mostCharacters) + gap + characterCount(value, mostCharacters);
    const double first = double(characterCount(name, mostCharacters)) * BoxMetrics::nameCharacter;
    const double width = std::max(first, double(second) * BoxMetrics::textCharacter) + BoxMetrics::padding;
    // Steps of 10 points keep columns of nearly equal boxes aligned.
    const double stepped = 10 * double(static_cast<long>(width / 10 + 0.999));
    return std::clamp(stepped, BoxMetrics::minimumWidth, BoxMetrics::maximumWidth);
}

BoxText boxText(const ir::Graph& graph, const Layout& layout, const Box& box) {
    if (box.node.valid()) {
        const ir::Node& node = graph.node(box.node);
        return {cutText(node.name, mostCharacters), shortTarget(node), shortValue(node.value)};
    }
    if (!box.group.valid()) {
        return {};
    }
    const Group& group = layout.groups[box.group.index()];
    return {cutText(group.title, mostCharacters),
            std::to_string(box.nodeCount) + (box.nodeCount == 1 ? " node" : " nodes"),
            group.isBackward ? "backward" : ""};
}

} // namespace aotscope::layout

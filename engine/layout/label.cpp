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

/// Length of the valid UTF-8 sequence at the beginning of `text`; 0 when there is none, or when it is a
/// character that XML forbids.
std::size_t validSequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return std::uint32_t(static_cast<unsigned char>(text[i])); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7f ? 1 : 0;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) {
        return 0;
    }
    std::uint32_t code = first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return 0;
        }
        code = (code << 6U) | (byte(i) & 0x3fU);
    }
    const bool tooShort = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool control = code < 0xa0;
    const bool nonCharacter = (code & 0xfffeU) == 0xfffeU || code > 0x10ffff;
    return tooShort || surrogate || control || nonCharacter ? 0 : length;
}

} // namespace

std::string cleanText(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = validSequence(text);
        out += length == 0 ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return out;
}

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
    // Whole steps of 10 points keep columns of nearly equal boxes in line.
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

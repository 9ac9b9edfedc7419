#include "ir/module_source.h"

#include "base/characters.h"
#include "base/text_search.h"

#include <algorithm>

namespace aotscope::ir::detail {
namespace {

/// The text between the next `before` and the next `after`, searched from `from`; moves `from` behind it.
std::optional<std::string_view> nextBetween(std::string_view text, std::string_view before,
                                            std::string_view after, std::size_t& from) {
    const std::size_t begin = text.find(before, from);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t end = text.find(after, begin + before.size());
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    from = end + after.size();
    return text.substr(begin + before.size(), end - begin - before.size());
}

void appendComponent(std::string& path, std::string_view component) {
    if (!path.empty()) {
        path += '.';
    }
    path += component;
}

/// "L['self']._modules['layers']._modules['0']._parameters['weight']"
std::optional<OwnedValue> fromSubscripts(std::string_view source) {
    OwnedValue value;
    std::size_t from = 0;
    bool owned = false;
    while (const auto module = nextBetween(source, "_modules['", "']", from)) {
        appendComponent(value.path, *module);
        owned = true;
    }
    for (const std::string_view kind : {"_parameters['", "_buffers['"}) {
        std::size_t at = from;
        if (const auto name = nextBetween(source, kind, "']", at)) {
            value.name = *name;
            owned = true;
        }
    }
    return owned ? std::optional(std::move(value)) : std::nullopt;
}

/// "L_self_modules_layers_modules_0_parameters_weight_". Underscores inside names look like those between
/// names, so every "_modules_", "_parameters_" and the like counts as a separator.
std::optional<OwnedValue> fromMangledName(std::string_view name) {
    constexpr std::string_view modules = "_modules_";
    std::size_t end = std::string_view::npos;
    std::size_t markerLength = 0;
    for (const std::string_view marker : {"_parameters_", "_buffers_"}) {
        const std::size_t found = name.rfind(marker);
        if (found != std::string_view::npos && (end == std::string_view::npos || found > end)) {
            end = found;
            markerLength = marker.size();
        }
    }
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    OwnedValue value;
    value.name = name.substr(end + markerLength);
    while (!value.name.empty() && value.name.back() == '_') {
        value.name.pop_back();
    }
    std::size_t begin = name.find(modules);
    while (begin != std::string_view::npos && begin < end) {
        begin += modules.size();
        const std::size_t next = std::min(name.find(modules, begin), end);
        appendComponent(value.path, name.substr(begin, next - begin));
        begin = next;
    }
    return value;
}

/// Splits a fully qualified name into module and value.
OwnedValue ofFullName(std::string_view name) {
    const std::string_view path = parentPath(name);
    return {std::string(path), std::string(name.substr(path.empty() ? 0 : path.size() + 1))};
}

/// The compiled function's input that a placeholder stands for; nothing: unknown.
std::optional<std::size_t> inputIndex(const Node& placeholder, std::size_t ordinal, bool ordinalsAgree) {
    if (const AOTInput* input = inputDescriptor(placeholder)) {
        return flatInputIndex(*input);
    }
    return ordinalsAgree ? std::optional(ordinal) : std::nullopt;
}

/// Whether `code` has "self.NAME" or ".NAME" as a whole word.
bool mentions(std::string_view code, std::string_view name) {
    std::size_t at = 0;
    while ((at = code.find(name, at)) != std::string_view::npos) {
        const std::size_t end = at + name.size();
        if (at > 0 && code[at - 1] == '.' && (end == code.size() || !base::isWordCharacter(code[end]))) {
            return true;
        }
        at = end;
    }
    return false;
}

bool isNumber(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view lastComponent(std::string_view path) {
    const std::string_view parent = parentPath(path);
    return path.substr(parent.empty() ? 0 : parent.size() + 1);
}

} // namespace

const SourceLocation* sourceOf(const Node& node) {
    return node.origin && node.origin->source ? &*node.origin->source : nullptr;
}

bool isSameLine(const SourceLocation* left, const SourceLocation* right) {
    return left == right || (left != nullptr && right != nullptr && *left == *right);
}

std::string_view parentPath(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string commonPath(std::string_view left, std::string_view right) {
    std::size_t same = 0;
    while (same < left.size() && same < right.size() && left[same] == right[same]) {
        ++same;
    }
    const bool leftEnds = same == left.size() || left[same] == '.';
    const bool rightEnds = same == right.size() || right[same] == '.';
    if (leftEnds && rightEnds) {
        return std::string(left.substr(0, same));
    }
    return std::string(parentPath(left.substr(0, same)));
}

std::optional<OwnedValue> ownedValueFromSource(std::string_view source) {
    if (base::contains(source, "['")) {
        return fromSubscripts(source);
    }
    return fromMangledName(source);
}

std::optional<OwnedValue> ownedValueOf(const AOTInput& input) {
    if (const auto* parameter = input.as<ParamAOTInput>()) {
        return ofFullName(parameter->target);
    }
    if (const auto* buffer = input.as<BufferAOTInput>()) {
        return ofFullName(buffer->target);
    }
    const AOTInput* inner = innerInput(input);
    return inner == nullptr ? std::nullopt : ownedValueOf(*inner);
}

std::vector<std::optional<OwnedValue>> placeholderOwners(const Graph& graph,
                                                         const std::vector<std::string>& sources) {
    std::vector<std::optional<OwnedValue>> owners(graph.idBound());
    const std::vector<NodeId> placeholders = graph.placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const Node& node = graph.node(placeholders[i]);
        std::optional<OwnedValue>& owner = owners[placeholders[i].index()];
        if (!node.inputSource.empty()) {
            owner = ownedValueFromSource(node.inputSource);
        }
        const std::optional<std::size_t> index = inputIndex(node, i, sources.size() == placeholders.size());
        if (!owner && index && *index < sources.size()) {
            owner = ownedValueFromSource(sources[*index]);
        }
        const AOTInput* input = inputDescriptor(node);
        if (!owner && input != nullptr) {
            owner = ownedValueOf(*input);
        }
        if (!owner) {
            owner = ownedValueFromSource(node.name);
        }
    }
    return owners;
}

std::optional<std::string> lineOwner(const OwnedValue& value, std::string_view code) {
    if (!value.name.empty() && mentions(code, value.name)) {
        return value.path;
    }
    for (std::string_view path = value.path; !path.empty(); path = parentPath(path)) {
        if (mentions(code, lastComponent(path))) {
            return std::string(parentPath(path));
        }
    }
    // An element of a ModuleList is called through a loop variable, whose name says nothing.
    if (isNumber(lastComponent(value.path))) {
        return std::string(parentPath(parentPath(value.path)));
    }
    return std::nullopt;
}

void fillBetween(const std::vector<NodeId>& nodes, PathTable& paths) {
    std::vector<NodeId> pending;
    std::string before;
    for (const NodeId id : nodes) {
        const std::optional<std::string>& path = paths[id.index()];
        if (!path) {
            pending.push_back(id);
            continue;
        }
        const std::string between = commonPath(before, *path);
        before = *path;
        for (const NodeId waiting : pending) {
            paths[waiting.index()] = between;
        }
        pending.clear();
    }
    for (const NodeId waiting : pending) {
        paths[waiting.index()] = std::string();
    }
}

} // namespace aotscope::ir::detail

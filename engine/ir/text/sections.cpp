#include "ir/text/sections.h"

#include "ir/cursor.h"

#include <algorithm>
#include <optional>

namespace aotscope::ir {
namespace {

constexpr std::string_view classEnd = "(torch.nn.Module):";
constexpr std::string_view classStart = "class ";
constexpr std::string_view percentStart = "graph(";

/// Where in an unindented line a graph begins.
std::optional<std::size_t> graphStart(std::string_view line) {
    if (line.empty() || line.front() == '\t' || line.starts_with("  ")) {
        return std::nullopt;
    }
    if (line.ends_with(classEnd)) {
        const std::size_t start = line.rfind(classStart);
        return start == std::string_view::npos ? std::nullopt : std::optional(start);
    }
    if (!line.ends_with(':')) {
        return std::nullopt;
    }
    if (line.starts_with(percentStart)) {
        return 0;
    }
    const std::size_t glued = line.find(":graph(");
    return glued == std::string_view::npos ? std::nullopt : std::optional(glued + 1);
}

/// Lines of a graph are blank, indented or comments.
bool continuesGraph(std::string_view line) {
    return line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '#';
}

std::string sectionName(std::string_view before) {
    while (!before.empty() && (before.back() == ':' || before.back() == ' ')) {
        before.remove_suffix(1);
    }
    const std::size_t first = before.find_first_not_of(" #");
    return first == std::string_view::npos ? std::string() : std::string(before.substr(first));
}

} // namespace

std::vector<NamedGraphText> splitGraphSections(std::string_view text) {
    std::vector<NamedGraphText> sections;
    constexpr std::size_t none = std::string_view::npos;
    std::size_t open = none;
    const auto close = [&](std::size_t end) {
        if (open != none) {
            sections.back().text = text.substr(open, end - open);
            open = none;
        }
    };
    std::size_t lineNumber = 0;
    for (std::size_t at = 0; at < text.size(); ++lineNumber) {
        const std::size_t lineEnd = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmedRight(text.substr(at, lineEnd - at));
        if (const std::optional<std::size_t> start = graphStart(line)) {
            close(at);
            sections.push_back({sectionName(line.substr(0, *start)), {}, lineNumber});
            open = at + *start;
        } else if (!continuesGraph(line)) {
            close(at);
        }
        at = lineEnd + 1;
    }
    close(text.size());
    return sections;
}

} // namespace aotscope::ir

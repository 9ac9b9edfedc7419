#include "inductor/kernel_comments.h"

#include "base/numbers.h"
#include "base/text_search.h"
#include "base/trimmed.h"

namespace aotscope::inductor {

namespace {

std::vector<std::string> names(std::string_view list) {
    std::vector<std::string> out;
    for (const std::string_view item : splitItems(list)) {
        if (!item.empty()) {
            out.emplace_back(item);
        }
    }
    return out;
}

/// The list after `heading`, in brackets or, before torch 2.1, to the end of the line.
std::optional<std::vector<std::string>> listAfter(std::string_view comment, std::string_view heading) {
    const std::size_t at = comment.find(heading);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view rest = base::trimmed(comment.substr(at + heading.size()));
    if (!rest.starts_with('[')) {
        return names(rest);
    }
    // Operators' names can have brackets of their own; the list ends where the next heading begins.
    const std::size_t next = rest.find("], ");
    const std::size_t end = next == std::string_view::npos ? rest.rfind(']') : next;
    return names(rest.substr(1, end == std::string_view::npos ? end : end - 1));
}

/// Whether Inductor writes such a comment to say where code came from.
bool isKnown(std::string_view comment) {
    for (const std::string_view heading :
         {"Source Nodes: ", "Original ATen: ", "Source node to ATen node mapping:", "Graph fragment:",
          "[Provenance debug handles] ", "kernel path: "}) {
        if (base::contains(comment, heading)) {
            return true;
        }
    }
    return false;
}

} // namespace

std::optional<std::string_view> commentOf(std::string_view line) {
    line = base::trimmed(line);
    if (line.starts_with("//")) {
        line.remove_prefix(2);
    } else if (line.starts_with('#') && !line.starts_with("#include") && !line.starts_with("#pragma")) {
        line.remove_prefix(1);
    } else {
        return std::nullopt;
    }
    return line.starts_with(' ') ? line.substr(1) : line;
}

void CommentReader::take(const CodeLine& line, std::string_view comment) {
    if (!isKnown(comment) && (m_part == Part::None || !comment.starts_with("  "))) {
        return;
    }
    if (!m_comments.range) {
        m_comments.range = rangeOf(line, line);
    }
    m_comments.range->end = line.end();
    m_comments.range->lastLine = line.number;
    constexpr std::string_view handles = "[Provenance debug handles] ";
    if (comment.starts_with("Source node to ATen node mapping:")) {
        m_part = Part::NodeMapping;
    } else if (comment.starts_with("Graph fragment:")) {
        m_part = Part::Fragment;
    } else if (comment.starts_with(handles)) {
        const std::string_view handle = base::trimmed(comment.substr(handles.size()));
        const std::size_t colon = handle.rfind(':');
        m_comments.handleName = handle.substr(0, colon);
        if (colon != std::string_view::npos) {
            m_comments.handle = base::leadingNumber<std::int64_t>(handle.substr(colon + 1)).value_or(0);
        }
    } else if (m_part == Part::Fragment && comment.starts_with("  ")) {
        takeFragment(line, base::trimmed(comment));
    } else if (m_part != Part::NodeMapping || !comment.starts_with("  ")) {
        m_part = Part::None;
        takeSourceNodes(comment);
    }
}

void CommentReader::takeSourceNodes(std::string_view comment) {
    if (std::optional<std::vector<std::string>> nodes = listAfter(comment, "Source Nodes: ")) {
        m_comments.sourceNodes = std::move(*nodes);
    }
    if (std::optional<std::vector<std::string>> operators = listAfter(comment, "Original ATen: ")) {
        m_comments.originalAten = std::move(*operators);
    }
}

void CommentReader::takeFragment(const CodeLine& line, std::string_view comment) {
    if (comment.starts_with("return ")) {
        for (const std::string_view written : splitItems(comment.substr(7))) {
            m_comments.writes.emplace_back(written.starts_with('%') ? written.substr(1) : written);
        }
        return;
    }
    if (!comment.starts_with('%')) {
        return;
    }
    FragmentNode node;
    node.line = line.number;
    node.name = comment.substr(1, comment.find_first_of(" :") - 1);
    constexpr std::string_view targetStart = "[target=";
    const std::size_t target = comment.find(targetStart);
    if (target == std::string_view::npos) {
        return;
    }
    if (comment.substr(0, target).ends_with("PlaceHolder")) {
        m_comments.reads.push_back(std::move(node));
        return;
    }
    std::string_view name = comment.substr(target + targetStart.size());
    name = name.substr(0, name.find(']'));
    if (name.starts_with("torch.ops.")) {
        name.remove_prefix(10);
    }
    node.target = name;
    m_comments.nodes.push_back(std::move(node));
}

KernelComments CommentReader::release() {
    m_part = Part::None;
    return std::exchange(m_comments, {});
}

} // namespace aotscope::inductor

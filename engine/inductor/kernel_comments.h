#pragma once

#include "inductor/code_text.h"
#include "inductor/output_code.h"

namespace aotscope::inductor {

/// From the first line to the end of the last.
[[nodiscard]] inline TextRange rangeOf(const CodeLine& first, const CodeLine& last) {
    return {first.begin, last.end(), first.number, last.number};
}

/// Collects the comment lines before a kernel or a launch.
class CommentReader {
public:
    /// `comment`: the line without the sign that begins a comment and the one space after it.
    void take(const CodeLine& line, std::string_view comment);
    /// What was collected; the next comment begins anew.
    [[nodiscard]] KernelComments release();
    void forget() { static_cast<void>(release()); }

private:
    enum class Part { None, NodeMapping, Fragment };

    void takeSourceNodes(std::string_view comment);
    void takeFragment(const CodeLine& line, std::string_view comment);

    KernelComments m_comments;
    Part m_part = Part::None;
};

/// The comment of a line of Python or C++; nothing: the line is no comment.
[[nodiscard]] std::optional<std::string_view> commentOf(std::string_view line);

} // namespace aotscope::inductor

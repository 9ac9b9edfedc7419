#include "kernels/file_directives.h"

#include "base/characters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace aotscope::kernels {

namespace {

constexpr std::array<std::string_view, 5> fileReaders{"include", "include_next", "import", "embed", "ident"};
constexpr std::array<std::string_view, 4> fileQuestions{"__has_include", "__has_include_next", "__has_embed",
                                                        "_Pragma"};

using base::isWordCharacter;

/// A text as the preprocessor reads it: without line continuations, each character with its place.
class Spliced {
public:
    Spliced(std::string_view source, std::string file) : m_file(std::move(file)) {
        std::size_t line = 1;
        std::size_t lineStart = 0;
        for (std::size_t at = 0; at < source.size();) {
            if (const std::size_t length = continuationLength(source, at); length > 0) {
                at += length;
                ++line;
                lineStart = at;
                continue;
            }
            m_text += source[at];
            m_places.push_back({line, at - lineStart + 1});
            if (source[at++] == '\n') {
                ++line;
                lineStart = at;
            }
        }
    }

    [[nodiscard]] const std::string& text() const { return m_text; }
    [[nodiscard]] CompileMessage message(std::size_t at, std::string text) const {
        return {.file = m_file,
                .line = m_places[at].line,
                .column = m_places[at].column,
                .text = std::move(text)};
    }

private:
    struct Place {
        std::size_t line;
        std::size_t column;
    };

    /// A backslash, also as trigraph, blanks, and the end of the line.
    static std::size_t continuationLength(std::string_view source, std::size_t at) {
        std::size_t end = at;
        if (source[end] == '\\') {
            ++end;
        } else if (source.substr(end, 3) == "?\?/") {
            end += 3;
        } else {
            return 0;
        }
        end = std::min(source.find_first_not_of(" \t\r\v\f", end), source.size());
        return end < source.size() && source[end] == '\n' ? end + 1 - at : 0;
    }

    std::string m_file;
    std::string m_text;
    std::vector<Place> m_places;
};

/// The length of a spelling of `#`: itself, a digraph or a trigraph.
std::size_t hashLength(std::string_view text, std::size_t at) {
    if (text[at] == '#') {
        return 1;
    }
    if (text.substr(at, 2) == "%:") {
        return 2;
    }
    return text.substr(at, 3) == "?\?=" ? 3 : 0;
}

std::size_t skipBlanksAndComments(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        if (text.substr(at, 2) == "/*") {
            const std::size_t end = text.find("*/", at + 2);
            at = end == std::string_view::npos ? text.size() : end + 2;
        } else if (text[at] != '\n' && std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

std::string_view wordAt(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) {
        ++end;
    }
    return text.substr(std::min(at, text.size()), end - at);
}

/// Why the directive that starts here is refused; empty: it is not.
std::string refusedDirective(std::string_view text, std::size_t at) {
    const std::size_t nameAt = skipBlanksAndComments(text, at);
    const std::string_view name = wordAt(text, nameAt);
    if (std::ranges::find(fileReaders, name) != fileReaders.end()) {
        return "A kernel's text cannot read files: #" + std::string(name) +
               " is refused. What a kernel needs is already included.";
    }
    if (name == "line" || (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0)) {
        return "#line is refused in a kernel's text: errors would be shown at the wrong lines.";
    }
    if (name == "pragma") {
        const std::string_view what = wordAt(text, skipBlanksAndComments(text, nameAt + name.size()));
        if (what == "GCC" || what == "clang") {
            return "#pragma " + std::string(what) + " is refused in a kernel's text.";
        }
    }
    return {};
}

} // namespace

std::vector<CompileMessage> fileDirectives(std::string_view source, const std::string& file) {
    const Spliced spliced(source, file);
    const std::string_view text = spliced.text();
    std::vector<CompileMessage> messages;
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t hash = hashLength(text, at); hash > 0) {
            if (std::string refused = refusedDirective(text, at + hash); !refused.empty()) {
                messages.push_back(spliced.message(at, std::move(refused)));
            }
            at += hash;
        } else if (const std::string_view word = wordAt(text, at); !word.empty()) {
            if (std::ranges::find(fileQuestions, word) != fileQuestions.end()) {
                messages.push_back(spliced.message(at, std::string(word) +
                                                           " is refused in a kernel's text: it cannot ask "
                                                           "for files or change how it is compiled."));
            }
            at += word.size();
        } else {
            ++at;
        }
    }
    return messages;
}

} // namespace aotscope::kernels

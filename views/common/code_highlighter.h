#pragma once

#include "common/theme.h"

#include <QString>

#include <vector>

namespace aotscope::views {

enum class CodeLanguage { Plain, Python, Cpp, Json, Diff };
enum class TokenKind { Plain, Comment, String, Number, Keyword, Call, Type, Added, Removed };

struct CodeToken {
    int start = 0;
    int length = 0;
    TokenKind kind = TokenKind::Plain;
};

/// The tokens of one line, without plain text, in order. Looks at one line only, so that only visible lines
/// need highlighting; a token that spans several lines is coloured line by line.
[[nodiscard]] std::vector<CodeToken> highlightLine(QStringView line, CodeLanguage language);
[[nodiscard]] QColor tokenColor(TokenKind kind, const Theme& theme);

} // namespace aotscope::views

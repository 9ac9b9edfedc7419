#include "common/code_highlighter.h"

#include <algorithm>
#include <array>

namespace aotscope::views {

namespace {

template<std::size_t size>
bool isOneOf(QStringView word, const std::array<QStringView, size>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool isKeyword(QStringView word, CodeLanguage language) {
    static constexpr std::array<QStringView, 35> python = {
        u"and",   u"as",     u"assert", u"async",  u"await",  u"break",   u"class", u"continue", u"def",
        u"del",   u"elif",   u"else",   u"except", u"False",  u"finally", u"for",   u"from",     u"global",
        u"if",    u"import", u"in",     u"is",     u"lambda", u"None",    u"not",   u"or",       u"pass",
        u"raise", u"return", u"self",   u"True",   u"try",    u"while",   u"with",  u"yield"};
    static constexpr std::array<QStringView, 30> cpp = {
        u"auto",     u"bool",    u"break",  u"case",      u"char",    u"class",  u"const",  u"constexpr",
        u"double",   u"else",    u"extern", u"false",     u"float",   u"for",    u"if",     u"inline",
        u"int",      u"int64_t", u"long",   u"namespace", u"nullptr", u"return", u"static", u"struct",
        u"template", u"true",    u"using",  u"void",      u"while",   u"include"};
    static constexpr std::array<QStringView, 5> json = {u"true", u"false", u"null", u"NaN", u"Infinity"};
    switch (language) {
    case CodeLanguage::Python:
        return isOneOf(word, python);
    case CodeLanguage::Cpp:
        return isOneOf(word, cpp);
    case CodeLanguage::Json:
        return isOneOf(word, json);
    default:
        return false;
    }
}

/// print_readable annotates values as `name: "f32[8, 10][10, 1]cpu" = …`.
bool looksLikeType(QStringView quoted) {
    return quoted.contains(QLatin1Char('[')) || quoted.startsWith(u"\"Sym(");
}

std::vector<CodeToken> highlightDiff(QStringView line) {
    const int length = static_cast<int>(line.size());
    if (line.startsWith(u"+")) {
        return {{0, length, TokenKind::Added}};
    }
    if (line.startsWith(u"-")) {
        return {{0, length, TokenKind::Removed}};
    }
    if (line.startsWith(u"@@")) {
        return {{0, length, TokenKind::Comment}};
    }
    return {};
}

bool isWordStart(QChar c) {
    return c.isLetter() || c == QLatin1Char('_');
}
bool isWordPart(QChar c) {
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

bool startsComment(QStringView line, int at, CodeLanguage language) {
    if (language == CodeLanguage::Python) {
        return line[at] == QLatin1Char('#');
    }
    return language == CodeLanguage::Cpp && line.sliced(at).startsWith(u"//");
}

int endOfString(QStringView line, int at) {
    const QChar quote = line[at];
    int end = at + 1;
    while (end < line.size() && line[end] != quote) {
        end += line[end] == QLatin1Char('\\') ? 2 : 1;
    }
    return std::min(end + 1, static_cast<int>(line.size()));
}

} // namespace

std::vector<CodeToken> highlightLine(QStringView line, CodeLanguage language) {
    if (language == CodeLanguage::Plain) {
        return {};
    }
    if (language == CodeLanguage::Diff) {
        return highlightDiff(line);
    }
    std::vector<CodeToken> tokens;
    const int size = static_cast<int>(line.size());
    for (int at = 0; at < size;) {
        const QChar c = line[at];
        if (startsComment(line, at, language)) {
            tokens.push_back({at, size - at, TokenKind::Comment});
            break;
        }
        int end = at + 1;
        if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
            end = endOfString(line, at);
            const bool type = language == CodeLanguage::Python && looksLikeType(line.sliced(at, end - at));
            tokens.push_back({at, end - at, type ? TokenKind::Type : TokenKind::String});
        } else if (isWordStart(c)) {
            while (end < size && isWordPart(line[end])) {
                ++end;
            }
            if (isKeyword(line.sliced(at, end - at), language)) {
                tokens.push_back({at, end - at, TokenKind::Keyword});
            } else if (end < size && line[end] == QLatin1Char('(')) {
                tokens.push_back({at, end - at, TokenKind::Call});
            }
        } else if (c.isDigit()) {
            while (end < size && (isWordPart(line[end]) || line[end] == QLatin1Char('.'))) {
                ++end;
            }
            tokens.push_back({at, end - at, TokenKind::Number});
        }
        at = end;
    }
    return tokens;
}

QColor tokenColor(TokenKind kind, const Theme& theme) {
    switch (kind) {
    case TokenKind::Comment:
        return theme.dimText;
    case TokenKind::String:
    case TokenKind::Added:
        return theme.good;
    case TokenKind::Number:
        return theme.warning;
    case TokenKind::Removed:
        return theme.bad;
    case TokenKind::Keyword:
        return theme.dark ? QColor(0xc5, 0xa5, 0xff) : QColor(0x6a, 0x32, 0xb8);
    case TokenKind::Call:
        return theme.accent;
    case TokenKind::Type:
        return theme.dark ? QColor(0x6c, 0xc7, 0xc0) : QColor(0x0b, 0x66, 0x66);
    case TokenKind::Plain:
        break;
    }
    return theme.text;
}

} // namespace aotscope::views

#include "load/python_json.h"

#include "base/characters.h"
#include "base/hex.h"
#include "base/json_text.h"
#include "base/utf8.h"

#include <algorithm>

namespace aotscope::load {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// Code unit of the "\uXXXX" at the front; -1: there is none.
int codeUnit(std::string_view text) {
    const bool isEscape = text.size() >= 6 && text.starts_with("\\u");
    const auto unit = isEscape ? base::hexNumber(text.substr(2, 4)) : std::nullopt;
    return unit ? int(*unit) : -1;
}

/// Without lone surrogates and bytes that are no UTF-8.
std::string repairedString(std::string_view left, bool& isInvalid) {
    std::string out;
    const auto take = [&](std::size_t count, bool keep) {
        out += keep ? left.substr(0, count) : replacement;
        left.remove_prefix(std::min(count, left.size()));
    };
    while (!left.empty()) {
        if (left.front() != '\\') {
            const std::size_t length = base::firstCharacter(left).bytes;
            isInvalid = isInvalid || length == 0;
            take(std::max<std::size_t>(length, 1), length > 0);
            continue;
        }
        const int unit = codeUnit(left);
        const bool isHalf = unit >= 0xd800 && unit <= 0xdfff;
        const int second = isHalf && unit < 0xdc00 ? codeUnit(left.substr(6)) : -1;
        const bool isPair = second >= 0xdc00 && second <= 0xdfff;
        take(isPair ? 12 : isHalf ? 6 : 2, isPair || !isHalf);
    }
    return out;
}

/// Null for what is no finite number; for an integer that may not fit a machine word a fraction, because its
/// exact value does not matter: it is not a valid id.
std::string_view strictLiteral(std::string_view literal, std::string& changed) {
    constexpr std::size_t safeDigits = 18;
    if (!base::isDigit(literal.back())) {
        return literal.ends_with('N') || literal.ends_with('y') ? "null" : literal;
    }
    const std::size_t sign = literal.front() == '-' ? 1 : 0;
    if (literal.size() - sign <= safeDigits || literal.find_first_of(".eE") != std::string_view::npos) {
        return literal;
    }
    changed = std::string(literal.substr(0, sign + safeDigits)) + ".5";
    return changed;
}

} // namespace

bool strictJson(std::string_view json, std::string& out) {
    out.clear();
    out.reserve(json.size() + 64);
    bool isInvalid = false;
    std::string changed;
    base::rewriteJson(
        json, out, [&](std::string_view text) { return repairedString(text, isInvalid); },
        [&](std::string_view literal) { return strictLiteral(literal, changed); });
    return isInvalid;
}

ParsedJson::ParsedJson(std::string_view json) {
    if (json.empty() || json.size() > limit) {
        return;
    }
    m_root = m_parser.parse(json.data(), json.size());
    if (m_root.error() != simdjson::SUCCESS) {
        std::string repaired;
        strictJson(json, repaired);
        m_root = m_parser.parse(repaired);
    }
}

} // namespace aotscope::load

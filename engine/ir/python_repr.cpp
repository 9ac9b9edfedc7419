#include "ir/python_repr.h"

#include "ir/operator_name.h"
#include "ir/python_literal.h"
#include "ir/repr_scan.h"
#include "ir/repr_values.h"
#include "ir/symbolic/functions.h"

#include "base/trimmed.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::ir {
namespace {

using Json = nlohmann::ordered_json;
using detail::isExpression;
using detail::isWord;
using detail::isWordStart;

constexpr int deepest = 100;
/// More than the metadata of 40 000 inputs.
constexpr std::size_t longest = 32U << 20U;
constexpr std::size_t mostListed = 100;
/// JSON objects in order search all keys for each new one.
constexpr std::size_t mostKeys = 10'000;

/// Reads one value; keeps the first error that no item could be skipped for in `m_wrong`.
class ReprReader {
public:
    explicit ReprReader(std::string_view text) : m_text(text) {}

    std::optional<ReadRepr> read() {
        const Json value = this->value(0);
        skipBlanks();
        if (m_at != m_text.size()) {
            fail("text after the end");
        }
        if (m_wrong) {
            return std::nullopt;
        }
        ReadRepr read{value.dump(-1, ' ', false, Json::error_handler_t::replace), {}, m_unreadCount};
        for (auto& [at, path] : m_unread) {
            const auto [line, column] = placeOf(at);
            read.unread.push_back({std::move(path), line, column});
        }
        return read;
    }

    [[nodiscard]] base::Error error() const {
        const auto [line, column] = placeOf(m_wrongAt);
        return {.code = "ir.repr_syntax",
                .message = "The text is not a Python repr: " + *m_wrong + ".",
                .place = {{}, line, column, {}}};
    }

private:
    [[nodiscard]] std::pair<std::size_t, std::size_t> placeOf(std::size_t at) const {
        const std::string_view before = m_text.substr(0, at);
        const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n'));
        const std::size_t start = before.rfind('\n');
        return {line + 1, start == std::string_view::npos ? at + 1 : at - start};
    }
    void fail(std::string what) {
        if (!m_wrong) {
            m_wrong = std::move(what);
            m_wrongAt = m_at;
        }
    }
    void skipBlanks() {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0) {
            ++m_at;
        }
    }
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    bool take(std::string_view expected) {
        if (!m_text.substr(m_at).starts_with(expected)) {
            return false;
        }
        m_at += expected.size();
        return true;
    }

    /// An element of a list or of a call, with its step in the path to it. If it has no known form its text
    /// is kept and reading continues behind it; only text that ends before its brackets do cannot be skipped.
    Json item(std::string step, int depth, char close) {
        m_path.push_back(std::move(step));
        Json read = item(depth, close);
        m_path.pop_back();
        return read;
    }
    Json item(int depth, char close) {
        skipBlanks();
        const std::size_t start = m_at;
        const std::size_t unread = m_unreadCount;
        Json read = value(depth);
        skipBlanks();
        if (!m_wrong && peek() != ',' && peek() != close) {
            fail("a comma or the end of a list is missing");
        }
        if (!m_wrong) {
            return read;
        }
        const std::size_t end = detail::endOfValue(m_text, start, detail::ValueEnd::Item);
        if (end == m_text.size() || end == start || (m_text[end] != ',' && m_text[end] != close)) {
            return {};
        }
        m_wrong.reset();
        m_at = end;
        forgetUnreadAfter(unread);
        ++m_unreadCount;
        if (m_unread.size() < mostListed) {
            m_unread.emplace_back(start, pathText());
        }
        return Json{{"repr", detail::withoutEndBlanks(m_text.substr(start, end - start))}};
    }

    /// Parts of a value that is kept as a whole.
    void forgetUnreadAfter(std::size_t count) {
        m_unreadCount = count;
        m_unread.resize(std::min(m_unread.size(), count));
    }

    /// "subclass_tangent_meta[0].meta"
    [[nodiscard]] std::string pathText() const {
        std::string path;
        for (const std::string& step : m_path) {
            path += (path.empty() || step.starts_with('[') ? "" : ".") + step;
        }
        return path;
    }

    Json value(int depth) {
        skipBlanks();
        if (depth > deepest) {
            fail("it is nested too deep");
        }
        if (m_wrong) {
            return {};
        }
        const char c = peek();
        if (c == '[') {
            return items('[', ']', depth);
        }
        if (c == '(') {
            return expressionOrTuple(depth);
        }
        if (c == '{') {
            return braces(depth);
        }
        if (c == '<') {
            return angled();
        }
        if (c == '\'' || c == '"') {
            return quoted();
        }
        return wordOrNumber(depth);
    }

    Json items(char open, char close, int depth) {
        take(std::string_view(&open, 1));
        Json list = Json::array();
        for (skipBlanks(); !m_wrong && !take(std::string_view(&close, 1)); skipBlanks()) {
            list.push_back(item('[' + std::to_string(list.size()) + ']', depth + 1, close));
            take(",");
        }
        return list;
    }

    Json braces(int depth) {
        take("{");
        skipBlanks();
        if (take("}")) {
            return Json::object();
        }
        Json list = Json::array();
        Json object = Json::object();
        bool isDictionary = false;
        do {
            Json key = value(depth + 1);
            skipBlanks();
            if (take(":")) {
                isDictionary = true;
                const std::string name = key.is_string() ? key.get<std::string>() : keyText(key);
                if (object.size() == mostKeys) {
                    fail("a dictionary has too many keys");
                }
                object[name] = item("['" + name + "']", depth + 1, '}');
            } else {
                list.push_back(std::move(key));
            }
            skipBlanks();
        } while (!m_wrong && take(","));
        if (!take("}")) {
            fail("a closing brace is missing");
        }
        return isDictionary ? object : list;
    }

    static std::string keyText(const Json& key) {
        return key.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    /// "<OutputType.non_alias: 1>", "<class 'a.B'>", "<function f at 0x…>".
    Json angled() {
        const std::optional<std::size_t> end = m_angles.closing(m_at);
        if (!end) {
            fail("a closing angle is missing");
            return {};
        }
        Json read = detail::angledJson(m_text.substr(m_at + 1, *end - m_at - 1));
        m_at = *end + 1;
        return read;
    }

    /// One string, or several that follow each other: pprint breaks a long one so.
    Json quoted() {
        std::string whole;
        do {
            const std::size_t end = detail::endOfReprString(m_text, m_at);
            if (end == std::string_view::npos) {
                fail("a string has no end");
                return {};
            }
            const std::string_view literal = m_text.substr(m_at, end - m_at);
            whole += parsePythonString(literal).value_or(std::string(literal));
            m_at = end;
            skipBlanks();
        } while (peek() == '\'' || peek() == '"');
        return whole;
    }

    Json symbolic(std::size_t end) {
        const std::string_view text = detail::withoutEndBlanks(m_text.substr(m_at, end - m_at));
        m_at += text.size();
        return isExpression(text) ? Json{{"symint", text}} : Json{{"repr", text}};
    }

    /// "(3, 4)", "(s27//2)" or "('one ' 'string')".
    Json expressionOrTuple(int depth) {
        const std::size_t start = m_at;
        const std::size_t unread = m_unreadCount;
        Json list = items('(', ')', depth);
        const std::size_t after = m_at;
        const std::string_view inside = m_text.substr(start + 1, after - start - 1);
        const std::size_t comma = detail::endOfValue(inside, 0, detail::ValueEnd::Item);
        const bool isTuple = (comma < inside.size() && inside[comma] == ',') || list.size() != 1;
        const std::size_t end = detail::endOfValue(m_text, start, detail::ValueEnd::Line);
        const bool goesOn =
            detail::withoutEndBlanks(m_text.substr(start, end - start)).size() > after - start;
        if (!m_wrong && !goesOn && !isTuple && isStringAt(start + 1)) {
            return std::move(list.front());
        }
        if (m_wrong || !isTuple || goesOn) {
            m_wrong.reset();
            forgetUnreadAfter(unread);
            m_at = start;
            return symbolic(end);
        }
        return list;
    }

    [[nodiscard]] bool isStringAt(std::size_t at) const {
        return at < m_text.size() && (m_text[at] == '\'' || m_text[at] == '"');
    }

    Json wordOrNumber(int depth) {
        const std::size_t start = m_at;
        std::size_t end = start;
        if (peek() == '-') {
            ++end;
        }
        while (end < m_text.size() && (isWord(m_text[end]) || (m_text[end] == '-' && m_text[end - 1] == 'e' &&
                                                               std::isdigit(m_text[start]) != 0))) {
            ++end;
        }
        const std::string_view word = m_text.substr(start, end - start);
        if (word.empty()) {
            fail("a value is missing");
            return {};
        }
        const char next = end < m_text.size() ? m_text[end] : '\0';
        if (next == '(' && isWordStart(word.front())) {
            m_at = end;
            return call(word, start, depth);
        }
        if (next != ',' && next != ')' && next != ']' && next != '}' && next != ':' && next != '\0' &&
            next != '\n') {
            return symbolic(detail::endOfValue(m_text, m_at, detail::ValueEnd::Line));
        }
        m_at = end;
        return detail::wordJson(word);
    }

    /// A dataclass, a tensor, `set()`, or another value that looks like a call.
    Json call(std::string_view name, std::size_t start, int depth) {
        take("(");
        Json fields = Json::object();
        Json unnamed = Json::array();
        for (skipBlanks(); !m_wrong && !take(")"); skipBlanks()) {
            if (take("...")) {
                skipBlanks();
            } else if (const std::optional<std::string> field = fieldName()) {
                if (fields.size() == mostKeys) {
                    fail("a call has too many fields");
                }
                fields[*field] = item(*field, depth + 1, ')');
            } else {
                unnamed.push_back(item('[' + std::to_string(unnamed.size()) + ']', depth + 1, ')'));
            }
            if (!take(",") && peek() != ')') {
                fail("a comma or the end of a call is missing");
            }
        }
        if (name == "FakeTensor" || name == "tensor") {
            return detail::tensorJson(fields);
        }
        if (name == "set" || name == "frozenset" || name == "torch.Size") {
            return unnamed.empty() || !unnamed.front().is_array() ? Json::array() : unnamed.front();
        }
        if (!unnamed.empty()) {
            const std::string_view text = m_text.substr(start, m_at - start);
            const bool ofSymbols =
                std::ranges::find(namedFunctions, name, &NamedFunction::name) != namedFunctions.end();
            return Json{{ofSymbols && isExpression(text) ? "symint" : "repr", text}};
        }
        Json object{{"_class", lastPart(name)}};
        object.update(fields);
        return object;
    }

    std::optional<std::string> fieldName() {
        std::size_t end = m_at;
        while (end < m_text.size() && isWord(m_text[end])) {
            ++end;
        }
        if (end == m_at || end + 1 >= m_text.size() || m_text[end] != '=' || m_text[end + 1] == '=') {
            return std::nullopt;
        }
        std::string name(m_text.substr(m_at, end - m_at));
        m_at = end + 1;
        return name;
    }

    std::string_view m_text;
    detail::Angles m_angles{m_text};
    std::size_t m_at = 0;
    std::optional<std::string> m_wrong;
    std::size_t m_wrongAt = 0;
    /// The fields and indices around the place being read.
    std::vector<std::string> m_path;
    /// Values kept as text: where they begin, and their paths.
    std::vector<std::pair<std::size_t, std::string>> m_unread;
    std::size_t m_unreadCount = 0;
};

} // namespace

base::Result<ReadRepr> readRepr(std::string_view text) {
    if (text.size() > longest) {
        return base::Error{.code = "ir.repr_size",
                           .message = "The text has " + std::to_string(text.size() >> 20U) +
                                      " MiB; at most " + std::to_string(longest >> 20U) + " are read."};
    }
    ReprReader reader(text);
    if (auto read = reader.read()) {
        return *std::move(read);
    }
    return reader.error();
}

base::Result<std::string> jsonFromRepr(std::string_view text) {
    AOTSCOPE_TRY(read, readRepr(text));
    return std::move(read.json);
}

std::string_view keywordValue(std::string_view call, std::string_view keyword) {
    for (std::size_t at = call.find('('); at < call.size() && call[at] != ')';) {
        const std::size_t end = detail::endOfValue(call, at + 1, detail::ValueEnd::Item);
        if (end == call.size()) {
            // The text was cut off within the value.
            break;
        }
        const std::string_view item = base::trimmed(call.substr(at + 1, end - at - 1));
        if (item.starts_with(keyword) && item.substr(keyword.size()).starts_with('=')) {
            return item.substr(keyword.size() + 1);
        }
        at = end;
    }
    return {};
}

} // namespace aotscope::ir

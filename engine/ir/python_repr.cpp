#include "ir/python_repr.h"

#include "ir/python_literal.h"
#include "ir/symbolic_functions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace aotscope::ir {
namespace {

using Json = nlohmann::ordered_json;

constexpr int deepest = 100;

bool isWordStart(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// Whether a text looks like a symbolic size: "5*s77", "s0 + 1", "(s27//2)".
bool isExpression(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return isWord(c) || std::string_view("+-*/%() ,").find(c) != std::string_view::npos;
    });
}

/// Reads one value; keeps the first error in `m_wrong`.
class ReprReader {
public:
    explicit ReprReader(std::string_view text) : m_text(text) {}

    std::optional<Json> read() {
        Json value = this->value(0);
        skipBlanks();
        if (m_at != m_text.size()) {
            fail("text after the end");
        }
        return m_wrong ? std::nullopt : std::optional(std::move(value));
    }

    [[nodiscard]] base::Error error() const {
        const std::string_view before = m_text.substr(0, m_wrongAt);
        const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
        const std::size_t start = before.rfind('\n');
        return {
            .code = "ir.repr_syntax",
            .message = "The text is not a Python repr: " + *m_wrong + ".",
            .place = {{}, line + 1, start == std::string_view::npos ? m_wrongAt + 1 : m_wrongAt - start, {}}};
    }

private:
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
            list.push_back(value(depth + 1));
            skipBlanks();
            if (!take(",") && peek() != close) {
                fail("a comma or the end of a list is missing");
            }
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
                object[key.is_string() ? key.get<std::string>() : key.dump()] = value(depth + 1);
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

    /// "<OutputType.non_alias: 1>", "<class 'a.B'>", "<function f at 0x…>".
    Json angled() {
        const std::size_t end = closingAngle();
        const std::string_view inside = m_text.substr(m_at + 1, end - m_at - 2);
        m_at = end;
        constexpr std::string_view classStart = "class '";
        if (inside.starts_with(classStart) && inside.ends_with('\'')) {
            const std::string_view name =
                inside.substr(classStart.size(), inside.size() - classStart.size() - 1);
            const std::size_t dot = name.rfind('.');
            return Json{{"type", name.substr(dot == std::string_view::npos ? 0 : dot + 1)}};
        }
        const std::size_t colon = inside.find(": ");
        if (colon != std::string_view::npos && std::ranges::all_of(inside.substr(0, colon), isWord)) {
            return Json{{"enum", inside.substr(0, colon)}};
        }
        return Json{{"repr", "<" + std::string(inside) + ">"}};
    }

    std::size_t closingAngle() {
        int depth = 0;
        for (std::size_t i = m_at; i < m_text.size(); ++i) {
            depth += m_text[i] == '<' ? 1 : m_text[i] == '>' ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        fail("a closing angle is missing");
        return m_text.size();
    }

    Json quoted() {
        const char quote = peek();
        std::size_t end = m_at + 1;
        while (end < m_text.size() && m_text[end] != quote) {
            end += m_text[end] == '\\' ? 2 : 1;
        }
        if (end >= m_text.size()) {
            fail("a string has no end");
            return {};
        }
        const auto text = parsePythonString(m_text.substr(m_at, end + 1 - m_at));
        m_at = end + 1;
        return text ? Json(*text) : Json{{"repr", "string"}};
    }

    /// The end of a plain value: the next comma or closing bracket outside of its own brackets.
    [[nodiscard]] std::size_t endOfValue() const {
        int depth = 0;
        for (std::size_t i = m_at; i < m_text.size(); ++i) {
            const char c = m_text[i];
            if (c == '(' || c == '[' || c == '{') {
                ++depth;
            } else if (c == ')' || c == ']' || c == '}') {
                if (depth-- == 0) {
                    return i;
                }
            } else if (depth == 0 && (c == ',' || c == '\n')) {
                return i;
            }
        }
        return m_text.size();
    }

    static std::string_view trimmed(std::string_view text) {
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
            text.remove_suffix(1);
        }
        return text;
    }

    Json symbolic(std::size_t end) {
        const std::string_view text = trimmed(m_text.substr(m_at, end - m_at));
        m_at += text.size();
        return isExpression(text) ? Json{{"symint", text}} : Json{{"repr", text}};
    }

    /// Whether the text has a comma outside of brackets.
    static bool separates(std::string_view text) {
        int depth = 0;
        return std::ranges::any_of(text, [&depth](char c) {
            depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
            return c == ',' && depth == 0;
        });
    }

    /// "(3, 4)" or "(s27//2)".
    Json expressionOrTuple(int depth) {
        const std::size_t start = m_at;
        Json list = items('(', ')', depth);
        const std::size_t after = m_at;
        const bool hasComma = separates(m_text.substr(start + 1, after - start - 1));
        m_at = start;
        const std::size_t end = endOfValue();
        const bool goesOn = trimmed(m_text.substr(start, end - start)).size() > after - start;
        if (m_wrong || (!hasComma && list.size() == 1) || goesOn) {
            m_wrong.reset();
            return symbolic(end);
        }
        m_at = after;
        return list;
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
            return symbolic(endOfValue());
        }
        m_at = end;
        return literal(word);
    }

    static Json literal(std::string_view word) {
        if (word == "None") {
            return nullptr;
        }
        if (word == "True" || word == "False") {
            return word == "True";
        }
        std::int64_t number = 0;
        const auto [stop, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failed == std::errc() && stop == word.data() + word.size()) {
            return number;
        }
        if (const auto real = parsePythonFloat(word)) {
            return *real;
        }
        if (word.find('.') != std::string_view::npos) {
            return word;
        }
        return isWordStart(word.front()) ? Json{{"symint", word}} : Json{{"repr", word}};
    }

    /// A dataclass, a tensor, `set()`, or another value that looks like a call.
    Json call(std::string_view name, std::size_t start, int depth) {
        take("(");
        Json fields = Json::object();
        Json unnamed = Json::array();
        for (skipBlanks(); !m_wrong && !take(")"); skipBlanks()) {
            if (!take("...")) {
                const std::optional<std::string> field = fieldName();
                Json item = value(depth + 1);
                if (field) {
                    fields[*field] = std::move(item);
                } else {
                    unnamed.push_back(std::move(item));
                }
            }
            skipBlanks();
            if (!take(",") && peek() != ')') {
                fail("a comma or the end of a call is missing");
            }
        }
        if (name == "FakeTensor" || name == "tensor") {
            return tensor(fields);
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
        const std::size_t dot = name.rfind('.');
        Json object{{"_class", name.substr(dot == std::string_view::npos ? 0 : dot + 1)}};
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

    /// Fields that a tensor's repr omits have their default, or are unknown.
    static Json tensor(const Json& fields) {
        Json object{{"kind", "tensor"}};
        object["shape"] = fields.contains("size") ? fields["size"] : Json::array();
        if (fields.contains("dtype") && fields["dtype"].is_string()) {
            std::string dtype = fields["dtype"];
            object["dtype"] = dtype.starts_with("torch.") ? dtype.substr(6) : dtype;
        }
        if (fields.contains("device") && fields["device"].is_string()) {
            object["device"] = fields["device"];
        }
        return object;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::optional<std::string> m_wrong;
    std::size_t m_wrongAt = 0;
};

} // namespace

base::Result<std::string> jsonFromRepr(std::string_view text) {
    ReprReader reader(text);
    if (auto value = reader.read()) {
        return value->dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return reader.error();
}

} // namespace aotscope::ir

#include "ir/text/arguments.h"

#include "ir/python_literal.h"

#include "base/numbers.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

namespace aotscope::ir {
namespace {

constexpr int deepestNesting = 100;

bool isMemoryFormat(std::string_view name) {
    return name == "contiguous_format" || name == "preserve_format" || name == "channels_last" ||
           name == "channels_last_3d";
}

bool isLayout(std::string_view name) {
    return name == "strided" || name == "jagged" || name == "_mkldnn" || name.starts_with("sparse_");
}

} // namespace

/// Counts how deep the recursion is.
class ArgumentReader::Nesting {
public:
    explicit Nesting(ArgumentReader& reader) : m_reader(reader) {
        if (++m_reader.m_depth > deepestNesting) {
            m_reader.m_cursor.failAt(m_reader.m_cursor.position(),
                                     "brackets are nested more than " + std::to_string(deepestNesting) +
                                         " deep",
                                     "ir.text_too_deep");
        }
    }
    ~Nesting() { --m_reader.m_depth; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    ArgumentReader& m_reader;
};

bool ArgumentReader::atDelimiter(std::string_view stops) {
    if (m_cursor.atEnd()) {
        return true;
    }
    // Not find: this runs after every argument, and a call costs more than six comparisons.
    const char next = m_cursor.peek();
    return std::ranges::any_of(stops, [next](char stop) { return stop == next; });
}

Argument ArgumentReader::argument() {
    m_cursor.skipBlanks();
    const std::size_t first = m_cursor.position();
    Argument result;
    // A semicolon begins Python's next statement; the other form has one node a line.
    const std::string_view stops = m_form == ArgumentForm::Python ? ",)]};\n" : ",)]}\n";
    if (atom(result) && atDelimiter(stops)) {
        return result;
    }
    m_cursor.moveTo(first);
    return unknown(stops);
}

bool ArgumentReader::operand(Argument& out) {
    const std::size_t first = m_cursor.position();
    if (atom(out)) {
        return true;
    }
    m_cursor.moveTo(first);
    return false;
}

bool ArgumentReader::atom(Argument& out) {
    const char c = m_cursor.peek();
    if (isIdentifierStart(c)) {
        return word(out);
    }
    if (isDigit(c) || c == '-' || c == '.') {
        return number(out);
    }
    switch (c) {
    case '[': {
        m_cursor.advance();
        out = ListArgument{items(']')};
        return true;
    }
    case '(':
        return parenthesized(out);
    case '{':
        return dictionary(out);
    case '\'':
    case '"':
        return m_form == ArgumentForm::Python && string(out);
    case '%': {
        if (m_form == ArgumentForm::Python) {
            return false;
        }
        m_cursor.advance();
        const NodeId node = m_names.find(m_cursor.identifier());
        out = node;
        return node.valid();
    }
    default:
        return false;
    }
}

bool ArgumentReader::word(Argument& out) {
    const std::string_view name = m_cursor.identifier();
    const char next = m_cursor.peek();
    if (next == '(') {
        return wordCall(name, out);
    }
    if (next == '.') {
        return name == "torch" && torchName(out);
    }
    if (m_form == ArgumentForm::Python) {
        if (const NodeId node = m_names.find(name); node.valid()) {
            out = node;
            return true;
        }
    }
    if (name == "None") {
        out = NoneArgument{};
    } else if (name == "True") {
        out = true;
    } else if (name == "False") {
        out = false;
    } else if (name == "Ellipsis") {
        out = EllipsisArgument{};
    } else if (name == "inf") {
        out = std::numeric_limits<double>::infinity();
    } else if (name == "nan") {
        out = std::numeric_limits<double>::quiet_NaN();
    } else {
        return false;
    }
    return true;
}

bool ArgumentReader::wordCall(std::string_view name, Argument& out) {
    if (name == "slice") {
        m_cursor.advance();
        // Written by Python itself in either form.
        const ArgumentForm form = std::exchange(m_form, ArgumentForm::Python);
        Arguments list = items(')');
        m_form = form;
        if (list.size() != 3) {
            return false;
        }
        out = std::make_shared<const SliceArgument>(
            SliceArgument{std::move(list[0]), std::move(list[1]), std::move(list[2])});
        return true;
    }
    if (name == "complex") {
        return complexCall(out);
    }
    if (name != "device" || !m_cursor.take("(type='")) {
        return false;
    }
    Device device;
    device.type = std::string(m_cursor.identifier());
    if (!m_cursor.take('\'')) {
        return false;
    }
    if (m_cursor.take(", index=")) {
        const std::size_t first = m_cursor.position();
        while (isDigit(m_cursor.peek())) {
            m_cursor.advance();
        }
        const auto index = base::wholeNumber<int>(m_cursor.since(first));
        if (!index) {
            return false;
        }
        device.index = *index;
    }
    out = DeviceArgument{std::move(device)};
    return m_cursor.take(')');
}

/// `complex(re, im)`
bool ArgumentReader::complexCall(Argument& out) {
    m_cursor.advance();
    const Arguments list = items(')');
    const double* real = list.size() == 2 ? list[0].as<double>() : nullptr;
    const double* imaginary = list.size() == 2 ? list[1].as<double>() : nullptr;
    if (real == nullptr || imaginary == nullptr) {
        return false;
    }
    m_hasReadComplexCall = true;
    out = std::complex<double>(*real, *imaginary);
    return true;
}

bool ArgumentReader::torchName(Argument& out) {
    m_cursor.advance();
    const std::size_t first = m_cursor.position();
    while (isIdentifierPart(m_cursor.peek()) || m_cursor.peek() == '.') {
        m_cursor.advance();
    }
    const std::string_view name = m_cursor.since(first);
    if (m_cursor.peek() == '(') {
        return false;
    }
    if (name.starts_with("ops.")) {
        out = OperatorArgument{std::string(name.substr(4))};
    } else if (const std::optional<DType> dtype = dtypeFromName(name); dtype && dtypeName(*dtype) == name) {
        out = *dtype;
    } else if (isMemoryFormat(name)) {
        out = MemoryFormatArgument{std::string(name)};
    } else if (isLayout(name)) {
        out = LayoutArgument{std::string(name)};
    } else {
        return false;
    }
    return true;
}

bool ArgumentReader::number(Argument& out) {
    const std::size_t first = m_cursor.position();
    bool real = false;
    if (m_cursor.peek() == '-') {
        m_cursor.advance();
        if (m_cursor.take("inf")) {
            out = -std::numeric_limits<double>::infinity();
            return !isIdentifierPart(m_cursor.peek());
        }
    }
    for (;; m_cursor.advance()) {
        const char c = m_cursor.peek();
        if (isDigit(c)) {
            continue;
        }
        const bool exponentSign = real && (c == '-' || c == '+') && m_cursor.since(first).back() == 'e';
        if (c != '.' && c != 'e' && !exponentSign) {
            break;
        }
        real = true;
    }
    const std::string_view text = m_cursor.since(first);
    if (m_cursor.peek() == 'j') {
        m_cursor.advance();
        const std::optional<std::complex<double>> value = parsePythonComplex(m_cursor.since(first));
        out = value.value_or(std::complex<double>());
        return value.has_value() && !isIdentifierPart(m_cursor.peek());
    }
    if (isIdentifierPart(m_cursor.peek())) {
        return false;
    }
    if (real) {
        const std::optional<double> value = parsePythonFloat(text);
        out = value.value_or(0);
        return value.has_value();
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) {
        return false;
    }
    // Python's integers have no end.
    out = error == std::errc() ? Argument(value) : Argument(OpaqueArgument{std::string(text), {}});
    return true;
}

bool ArgumentReader::string(Argument& out) {
    const std::size_t first = m_cursor.position();
    const char quote = m_cursor.peek();
    m_cursor.advance();
    while (!m_cursor.atEnd() && m_cursor.peek() != quote && m_cursor.peek() != '\n') {
        m_cursor.advance(m_cursor.peek() == '\\' ? 2 : 1);
    }
    if (!m_cursor.take(quote)) {
        m_cursor.failAt(first, "a string is not closed");
    }
    std::optional<std::string> value = parsePythonString(m_cursor.since(first));
    if (!value) {
        return false;
    }
    out = *std::move(value);
    return true;
}

template<typename Read>
bool ArgumentReader::untilClosed(std::size_t opened, char close, const Read& read) {
    bool more = false;
    m_cursor.skipBlanks();
    while (!m_cursor.take(close)) {
        if (m_cursor.atEnd()) {
            m_cursor.failAt(opened, "a bracket is not closed");
        }
        if (!read()) {
            return false;
        }
        more = m_cursor.take(',');
        m_cursor.skipBlanks();
        if (!more && !m_cursor.atEnd() && m_cursor.peek() != close) {
            m_cursor.fail(std::string("expected ',' or '") + close + "'");
        }
    }
    m_endedWithComma = more;
    return true;
}

void ArgumentReader::takePending(std::size_t first, Arguments& into) {
    const auto begin = m_pending.begin() + static_cast<std::ptrdiff_t>(first);
    into.insert(into.end(), std::make_move_iterator(begin), std::make_move_iterator(m_pending.end()));
    m_pending.erase(begin, m_pending.end());
}

Arguments ArgumentReader::items(char close) {
    const Nesting nesting(*this);
    const std::size_t pendingBefore = m_pending.size();
    (void)untilClosed(m_cursor.position() - 1, close, [this] {
        Argument item = argument();
        m_pending.push_back(std::move(item));
        return true;
    });
    Arguments list;
    takePending(pendingBefore, list);
    return list;
}

/// A tuple or a complex number.
bool ArgumentReader::parenthesized(Argument& out) {
    constexpr std::size_t longestComplex = 64;
    const std::string_view rest = m_cursor.rest().substr(0, longestComplex);
    if (const std::size_t close = rest.find(')'); close != std::string_view::npos && rest[close - 1] == 'j') {
        if (const auto value = parsePythonComplex(rest.substr(0, close + 1))) {
            out = *value;
            m_cursor.advance(close + 1);
            return true;
        }
    }
    m_cursor.advance();
    Arguments parts = items(')');
    // One value in parentheses without a comma is an expression, not a tuple.
    if (parts.size() == 1 && !m_endedWithComma) {
        return false;
    }
    out = TupleArgument{std::move(parts)};
    return true;
}

bool ArgumentReader::dictionary(Argument& out) {
    const Nesting nesting(*this);
    const std::size_t opened = m_cursor.position();
    m_cursor.advance();
    auto dict = std::make_shared<DictArgument>();
    const bool isDictionary = untilClosed(opened, '}', [&] {
        const std::size_t keyStart = m_cursor.position();
        Argument key;
        if (!atom(key) || m_cursor.peek() != ':') {
            m_cursor.moveTo(keyStart);
            key = unknown(":,}\n");
            if (m_cursor.peek() != ':') {
                return false; // A set, for one.
            }
        }
        m_cursor.advance();
        Argument value = argument();
        dict->items.emplace_back(std::move(key), std::move(value));
        return true;
    });
    out = std::shared_ptr<const DictArgument>(std::move(dict));
    return isDictionary;
}

void ArgumentReader::callArguments(Arguments& args, std::vector<KeywordArgument>& kwargs) {
    const std::size_t pendingBefore = m_pending.size();
    (void)untilClosed(m_cursor.position() - 1, ')', [&] {
        const std::size_t first = m_cursor.position();
        const std::string_view name = m_cursor.identifier();
        const bool keyword = !name.empty() && (m_cursor.startsWith(" = ") ||
                                               (m_cursor.peek() == '=' && m_cursor.peek(1) != '='));
        if (keyword) {
            m_cursor.skipSpaces();
            m_cursor.advance();
        } else {
            m_cursor.moveTo(first);
        }
        Argument value = argument();
        keyword ? void(kwargs.push_back({std::string(name), std::move(value)}))
                : m_pending.push_back(std::move(value));
        return true;
    });
    takePending(pendingBefore, args);
}

} // namespace aotscope::ir

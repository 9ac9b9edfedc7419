#include "ir/text/arguments.h"

#include "ir/python_literal.h"

#include "base/numbers.h"

#include <algorithm>
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
    return std::any_of(stops.begin(), stops.end(), [next](char stop) { return stop == next; });
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
        bool trailingComma = false;
        m_cursor.advance();
        out = items(']', trailingComma);
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
        bool trailingComma = false;
        // Written by Python itself in either form.
        const ArgumentForm form = std::exchange(m_form, ArgumentForm::Python);
        Argument parts = items(')', trailingComma);
        m_form = form;
        Arguments& list = std::get<ListArgument>(parts.value).items;
        if (list.size() != 3) {
            return false;
        }
        auto slice = std::make_shared<SliceArgument>();
        slice->start = std::move(list[0]);
        slice->stop = std::move(list[1]);
        slice->step = std::move(list[2]);
        out = std::shared_ptr<const SliceArgument>(std::move(slice));
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
    bool trailingComma = false;
    Argument parts = items(')', trailingComma);
    const Arguments& list = std::get<ListArgument>(parts.value).items;
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

Argument ArgumentReader::items(char close, bool& trailingComma) {
    const Nesting nesting(*this);
    const std::size_t opened = m_cursor.position();
    const std::size_t pendingBefore = m_pending.size();
    m_cursor.skipBlanks();
    trailingComma = false;
    while (!m_cursor.take(close)) {
        if (m_cursor.atEnd()) {
            m_cursor.failAt(opened - 1, "a bracket is not closed");
        }
        Argument item = argument();
        m_pending.push_back(std::move(item));
        trailingComma = m_cursor.take(',');
        m_cursor.skipBlanks();
        if (!trailingComma && !m_cursor.atEnd() && m_cursor.peek() != close) {
            m_cursor.fail(std::string("expected ',' or '") + close + "'");
        }
    }
    const auto begin = m_pending.begin() + static_cast<std::ptrdiff_t>(pendingBefore);
    ListArgument list;
    list.items.assign(std::make_move_iterator(begin), std::make_move_iterator(m_pending.end()));
    m_pending.erase(begin, m_pending.end());
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
    bool trailingComma = false;
    Argument list = items(')', trailingComma);
    Arguments& parts = std::get<ListArgument>(list.value).items;
    // One value in parentheses without a comma is an expression, not a tuple.
    if (parts.size() == 1 && !trailingComma) {
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
    m_cursor.skipBlanks();
    while (!m_cursor.take('}')) {
        if (m_cursor.atEnd()) {
            m_cursor.failAt(opened, "a bracket is not closed");
        }
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
        const bool more = m_cursor.take(',');
        m_cursor.skipBlanks();
        if (!more && !m_cursor.atEnd() && m_cursor.peek() != '}') {
            m_cursor.fail("expected ',' or '}'");
        }
    }
    out = std::shared_ptr<const DictArgument>(std::move(dict));
    return true;
}

void ArgumentReader::callArguments(Arguments& args, std::vector<KeywordArgument>& kwargs) {
    const std::size_t pendingBefore = m_pending.size();
    const std::size_t opened = m_cursor.position();
    m_cursor.skipBlanks();
    while (!m_cursor.take(')')) {
        if (m_cursor.atEnd()) {
            m_cursor.failAt(opened - 1, "a bracket is not closed");
        }
        const std::size_t first = m_cursor.position();
        const std::string_view name = m_cursor.identifier();
        const bool keyword = !name.empty() && (m_cursor.startsWith(" = ") ||
                                               (m_cursor.peek() == '=' && m_cursor.peek(1) != '='));
        if (keyword) {
            m_cursor.skipSpaces();
            m_cursor.advance();
            Argument value = argument();
            kwargs.push_back({std::string(name), std::move(value)});
        } else {
            m_cursor.moveTo(first);
            Argument value = argument();
            m_pending.push_back(std::move(value));
        }
        const bool more = m_cursor.take(',');
        m_cursor.skipBlanks();
        if (!more && !m_cursor.atEnd() && m_cursor.peek() != ')') {
            m_cursor.fail("expected ',' or ')'");
        }
    }
    const auto begin = m_pending.begin() + static_cast<std::ptrdiff_t>(pendingBefore);
    args.insert(args.end(), std::make_move_iterator(begin), std::make_move_iterator(m_pending.end()));
    m_pending.erase(begin, m_pending.end());
}

} // namespace aotscope::ir

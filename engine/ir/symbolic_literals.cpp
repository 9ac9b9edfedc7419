#include "ir/symbolic_literals.h"

#include "ir/cursor.h"
#include "ir/symbolic_functions.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace aotscope::ir {

NumberLiteral readNumber(std::string_view text) {
    bool isReal = false;
    std::size_t length = 0;
    for (; length < text.size(); ++length) {
        const char c = text[length];
        const bool isExponentSign =
            (c == '+' || c == '-') && length > 0 && (text[length - 1] == 'e' || text[length - 1] == 'E');
        if (!isDigit(c) && c != '.' && c != 'e' && c != 'E' && !isExponentSign) {
            break;
        }
        isReal = isReal || !isDigit(c);
    }
    const char* begin = text.data();
    const char* end = begin + length;
    NumberLiteral literal;
    literal.length = length;
    std::from_chars_result read{};
    if (isReal) {
        double value = 0;
        read = std::from_chars(begin, end, value);
        literal.node.constant = value;
    } else {
        std::int64_t value = 0;
        read = std::from_chars(begin, end, value);
        literal.node.constant = value;
    }
    if (read.ec != std::errc() || read.ptr != end) {
        literal.problem =
            read.ec == std::errc::result_out_of_range ? "a number out of range" : "a malformed number";
    }
    return literal;
}

SymExprNode constantOrSymbol(std::string_view name) {
    SymExprNode node;
    if (name == "True" || name == "true") {
        node.constant = true;
    } else if (name == "False" || name == "false") {
        node.constant = false;
    } else if (const auto known = std::find_if(namedConstants.begin(), namedConstants.end(),
                                               [name](const auto& entry) { return entry.first == name; });
               known != namedConstants.end()) {
        node.constant = known->second;
    } else {
        node.function = SymFunction::Symbol;
        node.name = std::string(name);
    }
    return node;
}

} // namespace aotscope::ir

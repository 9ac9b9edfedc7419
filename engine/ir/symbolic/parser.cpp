#include "ir/cursor.h"
#include "ir/symbolic/functions.h"

#include "base/characters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace aotscope::ir {

namespace {

constexpr int maxHeight = 256;

struct SymOperator {
    std::string_view text;
    SymFunction function;
    int level;
};

constexpr int comparisonLevel = 3;
constexpr int sumLevel = 8;

/// Python's binary operators but for powers, with how strongly they bind. One that begins with another comes
/// before that.
constexpr std::array<SymOperator, 19> symOperators{{{"or", SymFunction::Or, 0},
                                                    {"and", SymFunction::And, 1},
                                                    {"<<", SymFunction::ShiftLeft, 7},
                                                    {">>", SymFunction::ShiftRight, 7},
                                                    {"==", SymFunction::Equal, comparisonLevel},
                                                    {"!=", SymFunction::NotEqual, comparisonLevel},
                                                    {"<=", SymFunction::LessEqual, comparisonLevel},
                                                    {">=", SymFunction::GreaterEqual, comparisonLevel},
                                                    {"<", SymFunction::Less, comparisonLevel},
                                                    {">", SymFunction::Greater, comparisonLevel},
                                                    {"|", SymFunction::Or, 4},
                                                    {"^", SymFunction::Xor, 5},
                                                    {"&", SymFunction::And, 6},
                                                    {"+", SymFunction::Add, sumLevel},
                                                    {"-", SymFunction::Subtract, sumLevel},
                                                    {"//", SymFunction::FloorDivide, 9},
                                                    {"*", SymFunction::Multiply, 9},
                                                    {"/", SymFunction::Divide, 9},
                                                    {"%", SymFunction::Modulo, 9}}};

bool isNameStart(char c) {
    return base::isWordCharacter(c) && !isDigit(c);
}

/// Thrown and caught within this file: the grammar is recursive and almost every step can fail.
struct SymSyntax {
    base::Error error;
};

/// Recursive descent over the part of Python's expression grammar that sympy's printers use.
class SymParser {
public:
    explicit SymParser(std::string_view text) : m_text(text) {}

    SymExprNode parse() {
        SymExprNode tree = expression(0);
        skipBlanks();
        if (m_at != m_text.size()) {
            fail("an unexpected character");
        }
        return tree;
    }

private:
    using Node = SymExprNode;

    [[noreturn]] void fail(const std::string& what) const {
        base::Error error;
        error.code = "ir.symbol_syntax";
        error.message = "The symbolic expression cannot be read: " + what + " at character " +
                        std::to_string(m_at + 1) + " of \"" + std::string(m_text.substr(0, 200)) + "\".";
        error.place.column = m_at + 1;
        throw SymSyntax{std::move(error)};
    }

    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    void skipBlanks() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\t') {
            ++m_at;
        }
    }

    [[nodiscard]] bool isNext(std::string_view text) const {
        const std::string_view rest = m_text.substr(m_at);
        const bool isWord = isNameStart(text.front());
        return rest.starts_with(text) &&
               !(isWord && rest.size() > text.size() && base::isWordCharacter(rest[text.size()]));
    }

    bool take(std::string_view text) {
        skipBlanks();
        const bool taken = isNext(text);
        m_at += taken ? text.size() : 0;
        return taken;
    }

    /// Takes an operator that binds at least as strongly as `level`; null: there is none here.
    const SymOperator* takeOperator(int level) {
        skipBlanks();
        const char c = peek();
        if (c == '\0' || c == ')' || c == ',' || isNext("**")) {
            return nullptr;
        }
        const auto* found =
            std::ranges::find_if(symOperators, [this](const SymOperator& one) { return isNext(one.text); });
        if (found == symOperators.end() || found->level < level) {
            return nullptr;
        }
        m_at += found->text.size();
        return found;
    }

    [[nodiscard]] int checkedHeight(int height) const {
        if (height > maxHeight) {
            fail("nested too deeply");
        }
        return height;
    }

    Node make(SymFunction function, std::vector<Node> children) const {
        Node node;
        node.function = function;
        for (const Node& child : children) {
            node.height = std::max(node.height, checkedHeight(child.height + 1));
        }
        node.children = std::move(children);
        return node;
    }

    Node unary(SymFunction function, Node operand) const {
        std::vector<Node> children;
        children.push_back(std::move(operand));
        return make(function, std::move(children));
    }

    Node negated(Node operand) const {
        if (operand.isNumber()) {
            if (auto* whole = std::get_if<std::int64_t>(&operand.constant)) {
                *whole = -*whole;
            } else {
                operand.constant = -std::get<double>(operand.constant);
            }
            return operand;
        }
        return unary(SymFunction::Negate, std::move(operand));
    }

    /// Chains of the same operator become one flat node, so that long sums and products are not deep. A sign
    /// stands before a whole product, as sympy has it.
    Node combine(SymFunction function, Node left, Node right) const {
        if (function == SymFunction::Subtract) {
            return combine(SymFunction::Add, std::move(left), negated(std::move(right)));
        }
        if (function == SymFunction::Multiply && left.function == SymFunction::Negate) {
            return negated(combine(function, std::move(left.children.front()), std::move(right)));
        }
        const bool flat = function == SymFunction::Add || function == SymFunction::Multiply ||
                          function == SymFunction::And || function == SymFunction::Or;
        if (flat && left.function == function && left.name.empty()) {
            left.height = checkedHeight(std::max(left.height, right.height + 1));
            left.children.push_back(std::move(right));
            return left;
        }
        std::vector<Node> children;
        children.reserve(2);
        children.push_back(std::move(left));
        children.push_back(std::move(right));
        return make(function, std::move(children));
    }

    /// What is bound by operators at least as strong as `level`.
    Node expression(int level) {
        skipBlanks();
        const std::size_t begin = m_at;
        Node left = level < comparisonLevel ? negation() : signedPower();
        for (;;) {
            left.begin = static_cast<std::uint32_t>(begin);
            left.end = static_cast<std::uint32_t>(m_at);
            const SymOperator* found = takeOperator(level);
            if (found == nullptr) {
                return left;
            }
            left = found->level == comparisonLevel
                       ? comparisons(found, std::move(left))
                       : combine(found->function, std::move(left), expression(found->level + 1));
        }
    }

    /// Python chains comparisons: `a < b < c` is `a < b and b < c`.
    Node comparisons(const SymOperator* found, Node left) {
        std::optional<Node> chain;
        for (;;) {
            Node right = expression(comparisonLevel + 1);
            const SymOperator* next = takeOperator(comparisonLevel);
            Node compared =
                combine(found->function, std::move(left), next == nullptr ? std::move(right) : right);
            chain = chain ? combine(SymFunction::And, *std::move(chain), std::move(compared))
                          : std::move(compared);
            if (next == nullptr) {
                return *std::move(chain);
            }
            left = std::move(right);
            found = next;
        }
    }

    Node negation() {
        int count = 0;
        while (take("not")) {
            count = checkedHeight(count + 1);
        }
        Node node = count == 0 ? signedPower() : expression(comparisonLevel);
        for (; count > 0; --count) {
            node = unary(SymFunction::Not, std::move(node));
        }
        return node;
    }

    Node signedPower() {
        std::string signs;
        for (skipBlanks(); peek() == '-' || peek() == '+' || peek() == '~'; skipBlanks()) {
            signs += m_text[m_at++];
            (void)checkedHeight(static_cast<int>(signs.size()));
        }
        Node node = power();
        for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign) {
            if (*sign != '+') {
                node = *sign == '-' ? negated(std::move(node)) : unary(SymFunction::Not, std::move(node));
            }
        }
        return node;
    }

    Node power() {
        Node left = atom();
        if (!take("**")) {
            return left;
        }
        m_depth = checkedHeight(m_depth + 1);
        Node right = signedPower();
        --m_depth;
        return combine(SymFunction::Power, std::move(left), std::move(right));
    }

    Node atom() {
        skipBlanks();
        if (m_at == m_text.size()) {
            fail("it ends where a value is expected");
        }
        if (peek() == '(') {
            return parenthesized();
        }
        if (isDigit(peek()) || peek() == '.') {
            return number();
        }
        if (isNameStart(peek())) {
            return nameOrCall();
        }
        fail("an unexpected character");
    }

    /// `(a)`, or the pairs of Piecewise, `(a, condition)`.
    Node parenthesized() {
        ++m_at;
        std::vector<Node> items = list();
        return items.size() == 1 ? std::move(items.front()) : make(SymFunction::Tuple, std::move(items));
    }

    /// Items up to the closing parenthesis.
    std::vector<Node> list() {
        if (++m_depth > maxHeight / 2) {
            fail("nested too deeply");
        }
        std::vector<Node> items;
        if (!take(")")) {
            do {
                items.push_back(expression(0));
            } while (take(","));
            if (!take(")")) {
                fail("a closing parenthesis is missing");
            }
        }
        --m_depth;
        return items;
    }

    Node number() {
        const std::size_t first = m_at;
        bool isReal = false;
        for (; isDigit(peek()) || peek() == '.' || peek() == 'e' || peek() == 'E' || isExponentSign(first);
             ++m_at) {
            isReal = isReal || !isDigit(peek());
        }
        Node node;
        const auto read = [&](auto value) {
            const std::from_chars_result result =
                std::from_chars(m_text.data() + first, m_text.data() + m_at, value);
            node.constant = value;
            return result;
        };
        const std::from_chars_result result = isReal ? read(double()) : read(std::int64_t());
        if (result.ec != std::errc() || result.ptr != m_text.data() + m_at) {
            m_at = first;
            fail(result.ec == std::errc::result_out_of_range ? "a number out of range"
                                                             : "a malformed number");
        }
        return node;
    }

    [[nodiscard]] bool isExponentSign(std::size_t first) const {
        return (peek() == '+' || peek() == '-') && m_at > first &&
               (m_text[m_at - 1] == 'e' || m_text[m_at - 1] == 'E');
    }

    Node nameOrCall() {
        const std::size_t first = m_at;
        while (base::isWordCharacter(peek()) || peek() == '.') {
            ++m_at;
        }
        const std::string_view name = m_text.substr(first, m_at - first);
        Node node;
        if (peek() == '(') {
            ++m_at;
            node = call(name, list());
        } else if (name == "True" || name == "true" || name == "False" || name == "false") {
            node.constant = name.ends_with("rue");
        } else if (const auto* known =
                       std::ranges::find(namedConstants, name, &decltype(namedConstants)::value_type::first);
                   known != namedConstants.end()) {
            node.constant = known->second;
        } else {
            node.function = SymFunction::Symbol;
        }
        node.name = name;
        return node;
    }

    Node call(std::string_view name, std::vector<Node> arguments) const {
        for (const std::string_view prefix : {"math.", "sympy.", "torch.sym_", "OpaqueUnaryFn_"}) {
            if (name.starts_with(prefix)) {
                name.remove_prefix(prefix.size());
            }
        }
        if (const auto* known = std::ranges::find(namedFunctions, name, &NamedFunction::name);
            known != namedFunctions.end()) {
            const int count = static_cast<int>(std::min<std::size_t>(arguments.size(), anyNumber));
            if (count < known->minArguments || count > known->maxArguments) {
                fail("a wrong number of arguments for " + std::string(name));
            }
            return make(known->function, std::move(arguments));
        }
        const auto* real =
            std::ranges::find(realFunctions, name, &decltype(realFunctions)::value_type::first);
        const bool isReal = real != realFunctions.end() && arguments.size() == 1;
        Node node = make(isReal ? SymFunction::Real : SymFunction::Unknown, std::move(arguments));
        node.real = isReal ? real->second : nullptr;
        return node;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

base::Result<SymExprNode> parseSymbolic(std::string_view text) {
    try {
        return SymParser(text).parse();
    } catch (SymSyntax& failure) {
        return std::move(failure.error);
    }
}

} // namespace aotscope::ir

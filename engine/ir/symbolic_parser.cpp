#include "ir/cursor.h"
#include "ir/symbolic_functions.h"
#include "ir/symbolic_literals.h"
#include "ir/symbolic_tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace aotscope::ir {
namespace {

constexpr int maxHeight = 256;

struct BinaryOperator {
    std::string_view text;
    SymFunction function;
};

/// Python's binary operators from the lowest to the highest precedence, except comparisons and powers.
constexpr std::array<BinaryOperator, 3> bitOperators{
    {{"|", SymFunction::Or}, {"^", SymFunction::Xor}, {"&", SymFunction::And}}};
constexpr std::array<BinaryOperator, 6> comparisons{{{"==", SymFunction::Equal},
                                                     {"!=", SymFunction::NotEqual},
                                                     {"<=", SymFunction::LessEqual},
                                                     {">=", SymFunction::GreaterEqual},
                                                     {"<", SymFunction::Less},
                                                     {">", SymFunction::Greater}}};
constexpr std::array<BinaryOperator, 2> shifts{
    {{"<<", SymFunction::ShiftLeft}, {">>", SymFunction::ShiftRight}}};
constexpr std::array<BinaryOperator, 2> sums{{{"+", SymFunction::Add}, {"-", SymFunction::Subtract}}};
constexpr std::array<BinaryOperator, 4> products{{{"//", SymFunction::FloorDivide},
                                                  {"*", SymFunction::Multiply},
                                                  {"/", SymFunction::Divide},
                                                  {"%", SymFunction::Modulo}}};

bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Recursive descent over the part of Python's expression grammar that sympy's printers use.
class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    base::Result<SymExprNode> parse() {
        std::optional<SymExprNode> tree = disjunction();
        skipBlanks();
        if (tree && m_at != m_text.size()) {
            fail("an unexpected character");
        }
        if (m_problem) {
            return *std::move(m_problem);
        }
        return *std::move(tree);
    }

private:
    using Node = std::optional<SymExprNode>;

    std::nullopt_t fail(const std::string& what) {
        if (!m_problem) {
            base::Error error;
            error.code = "ir.symbol_syntax";
            error.message = "The symbolic expression cannot be read: " + what + " at character " +
                            std::to_string(m_at + 1) + " of \"" + std::string(m_text.substr(0, 200)) + "\".";
            error.place.column = m_at + 1;
            m_problem = std::move(error);
        }
        return std::nullopt;
    }

    void skipBlanks() {
        while (m_at < m_text.size() &&
               (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t')) {
            ++m_at;
        }
    }

    bool takeSymbol(std::string_view symbol) {
        skipBlanks();
        if (!m_text.substr(m_at).starts_with(symbol)) {
            return false;
        }
        m_at += symbol.size();
        return true;
    }

    bool takeWord(std::string_view word) {
        skipBlanks();
        const std::string_view rest = m_text.substr(m_at);
        if (!rest.starts_with(word) ||
            (rest.size() > word.size() && (isNameStart(rest[word.size()]) || isDigit(rest[word.size()])))) {
            return false;
        }
        m_at += word.size();
        return true;
    }

    Node make(SymFunction function, std::vector<SymExprNode> children) {
        SymExprNode node;
        node.function = function;
        for (const SymExprNode& child : children) {
            node.height = std::max(node.height, child.height + 1);
        }
        if (node.height > maxHeight) {
            return fail("nested too deeply");
        }
        node.children = std::move(children);
        return node;
    }

    /// Chains of the same operator become one flat node, so that long sums and products are not deep.
    Node combine(SymFunction function, SymExprNode left, SymExprNode right) {
        const bool flat = function == SymFunction::Add || function == SymFunction::Multiply ||
                          function == SymFunction::And || function == SymFunction::Or;
        if (flat && left.function == function && left.height > right.height) {
            left.children.push_back(std::move(right));
            return left;
        }
        std::vector<SymExprNode> children;
        children.reserve(2);
        children.push_back(std::move(left));
        children.push_back(std::move(right));
        return make(function, std::move(children));
    }

    Node disjunction() { return chainOfWords("or", SymFunction::Or, &Parser::conjunction); }
    Node conjunction() { return chainOfWords("and", SymFunction::And, &Parser::negation); }

    Node chainOfWords(std::string_view word, SymFunction function, Node (Parser::*operand)()) {
        Node left = (this->*operand)();
        while (left && takeWord(word)) {
            Node right = (this->*operand)();
            if (!right) {
                return std::nullopt;
            }
            left = combine(function, *std::move(left), *std::move(right));
        }
        return left;
    }

    Node negation() {
        int negations = 0;
        while (takeWord("not")) {
            ++negations;
        }
        Node node = comparison();
        for (; node && negations > 0; --negations) {
            node = unary(SymFunction::Not, std::move(node));
        }
        return node;
    }

    Node unary(SymFunction function, Node operand) {
        if (!operand) {
            return std::nullopt;
        }
        std::vector<SymExprNode> children;
        children.push_back(*std::move(operand));
        return make(function, std::move(children));
    }

    template<std::size_t size>
    std::optional<SymFunction> takeOperator(const std::array<BinaryOperator, size>& operators) {
        skipBlanks();
        for (const BinaryOperator& candidate : operators) {
            const std::string_view rest = m_text.substr(m_at);
            // `**` is not two products, `<<` is not a comparison.
            const bool doubled = rest.starts_with("**") || rest.starts_with("<<") || rest.starts_with(">>");
            if (rest.starts_with(candidate.text) && (!doubled || candidate.text.size() == 2)) {
                m_at += candidate.text.size();
                return candidate.function;
            }
        }
        return std::nullopt;
    }

    /// Python chains comparisons: `a < b < c` is `a < b and b < c`.
    Node comparison() {
        Node left = bitOperation(0);
        Node chain;
        while (left) {
            const std::optional<SymFunction> function = takeOperator(comparisons);
            if (!function) {
                break;
            }
            Node right = bitOperation(0);
            if (!right) {
                return std::nullopt;
            }
            SymExprNode nextLeft = *right;
            Node compared = combine(*function, *std::move(left), *std::move(right));
            if (!compared) {
                return std::nullopt;
            }
            chain = chain ? combine(SymFunction::And, *std::move(chain), *std::move(compared))
                          : std::move(compared);
            left = chain ? Node(std::move(nextLeft)) : std::nullopt;
        }
        return chain ? std::move(chain) : std::move(left);
    }

    Node bitOperation(std::size_t level) {
        if (level == bitOperators.size()) {
            return chain(shifts, &Parser::sum);
        }
        Node left = bitOperation(level + 1);
        while (left && takeSymbol(bitOperators[level].text)) {
            Node right = bitOperation(level + 1);
            if (!right) {
                return std::nullopt;
            }
            left = combine(bitOperators[level].function, *std::move(left), *std::move(right));
        }
        return left;
    }

    template<std::size_t size>
    Node chain(const std::array<BinaryOperator, size>& operators, Node (Parser::*operand)()) {
        Node left = (this->*operand)();
        while (left) {
            const std::optional<SymFunction> function = takeOperator(operators);
            if (!function) {
                break;
            }
            Node right = (this->*operand)();
            if (right && *function == SymFunction::Subtract) {
                right = unary(SymFunction::Negate, std::move(right));
            }
            if (!right) {
                return std::nullopt;
            }
            left = combine(*function == SymFunction::Subtract ? SymFunction::Add : *function,
                           *std::move(left), *std::move(right));
        }
        return left;
    }

    Node sum() { return chain(sums, &Parser::product); }
    Node product() { return chain(products, &Parser::signedPower); }

    Node signedPower() {
        std::string signs;
        for (;;) {
            skipBlanks();
            const char c = m_at < m_text.size() ? m_text[m_at] : '\0';
            if (c != '-' && c != '+' && c != '~') {
                break;
            }
            if (signs.size() > maxHeight) {
                return fail("nested too deeply");
            }
            signs += c;
            ++m_at;
        }
        Node node = power();
        for (auto sign = signs.rbegin(); node && sign != signs.rend(); ++sign) {
            if (*sign != '+') {
                node = unary(*sign == '-' ? SymFunction::Negate : SymFunction::Not, std::move(node));
            }
        }
        return node;
    }

    Node power() {
        Node left = atom();
        if (!left || !takeSymbol("**")) {
            return left;
        }
        if (++m_depth > maxHeight) {
            return fail("nested too deeply");
        }
        Node right = signedPower();
        --m_depth;
        if (!right) {
            return std::nullopt;
        }
        return combine(SymFunction::Power, *std::move(left), *std::move(right));
    }

    Node atom() {
        skipBlanks();
        if (m_at == m_text.size()) {
            return fail("it ends where a value is expected");
        }
        const char c = m_text[m_at];
        if (c == '(') {
            return parenthesized();
        }
        if (isDigit(c) || c == '.') {
            return number();
        }
        if (isNameStart(c)) {
            return nameOrCall();
        }
        return fail("an unexpected character");
    }

    /// `(a)`, or the pairs of Piecewise, `(a, condition)`.
    Node parenthesized() {
        ++m_at;
        std::optional<std::vector<SymExprNode>> items = list();
        if (!items) {
            return std::nullopt;
        }
        if (items->size() == 1) {
            return std::move(items->front());
        }
        return make(SymFunction::Tuple, *std::move(items));
    }

    /// Items up to the closing parenthesis.
    std::optional<std::vector<SymExprNode>> list() {
        if (++m_depth > maxHeight / 2) {
            return fail("nested too deeply");
        }
        std::vector<SymExprNode> items;
        if (!takeSymbol(")")) {
            do {
                Node item = disjunction();
                if (!item) {
                    return std::nullopt;
                }
                items.push_back(*std::move(item));
            } while (takeSymbol(","));
            if (!takeSymbol(")")) {
                return fail("a closing parenthesis is missing");
            }
        }
        --m_depth;
        return items;
    }

    Node number() {
        NumberLiteral literal = readNumber(m_text.substr(m_at));
        if (literal.problem != nullptr) {
            return fail(literal.problem);
        }
        m_at += literal.length;
        return std::move(literal.node);
    }

    Node nameOrCall() {
        const std::size_t first = m_at;
        while (m_at < m_text.size() &&
               (isNameStart(m_text[m_at]) || isDigit(m_text[m_at]) || m_text[m_at] == '.')) {
            ++m_at;
        }
        std::string_view name = m_text.substr(first, m_at - first);
        if (m_at < m_text.size() && m_text[m_at] == '(') {
            ++m_at;
            std::optional<std::vector<SymExprNode>> arguments = list();
            return arguments ? call(name, *std::move(arguments)) : std::nullopt;
        }
        return constantOrSymbol(name);
    }

    Node call(std::string_view name, std::vector<SymExprNode> arguments) {
        for (const std::string_view prefix : {"math.", "sympy.", "torch.sym_", "OpaqueUnaryFn_"}) {
            if (name.starts_with(prefix)) {
                name.remove_prefix(prefix.size());
            }
        }
        const auto known = std::find_if(namedFunctions.begin(), namedFunctions.end(),
                                        [name](const NamedFunction& f) { return f.name == name; });
        if (known != namedFunctions.end()) {
            const int count = static_cast<int>(std::min<std::size_t>(arguments.size(), anyNumber));
            if (count < known->minArguments || count > known->maxArguments) {
                return fail("a wrong number of arguments for " + std::string(name));
            }
            return make(known->function, std::move(arguments));
        }
        const auto real = std::find_if(realFunctions.begin(), realFunctions.end(),
                                       [name](const auto& entry) { return entry.first == name; });
        const bool isReal = real != realFunctions.end() && arguments.size() == 1;
        Node node = make(isReal ? SymFunction::Real : SymFunction::Unknown, std::move(arguments));
        if (node && isReal) {
            node->real = real->second;
        } else if (node) {
            node->name = std::string(name);
        }
        return node;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::optional<base::Error> m_problem;
};

} // namespace

base::Result<SymExprNode> parseSymbolic(std::string_view text) {
    return Parser(text).parse();
}

} // namespace aotscope::ir

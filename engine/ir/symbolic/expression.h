#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// Symbolic integers as PyTorch's ShapeEnv prints them (sympy text): `s77`, `2*s0 + 1`, `(s27//2)`,
/// `Max(1, u0)`, `Mod(s0, 8)`, `u0 >= 0`. Follows torch 2.11, torch/fx/experimental/symbolic_shapes.py:
/// ShapeEnv, and the functions and printed forms in torch/utils/_sympy/functions.py (FloorDiv, …).
namespace aotscope::ir {

/// Values of symbols, by name.
using SymbolBindings = std::map<std::string, std::int64_t, std::less<>>;

/// The result of an evaluation: an integer, a double (also for rationals), or a boolean.
using SymbolValue = std::variant<std::int64_t, double, bool>;

/// Names of symbols for integer inputs of a program. They look like those of sizes (`s77`), but may have any
/// sign.
using NumberSymbols = std::set<std::string, std::less<>>;
/// Whether the name is that of a size (`s77`), which is at least 2.
[[nodiscard]] bool isSizeSymbol(std::string_view name, const NumberSymbols& numbers);

struct SymExprNode; // The parsed form (tree.h).
struct SymTerms;    // The canonical form (terms.h).
struct SymCall;
struct SymRange;
class SymAtom;

/// An immutable expression, shared between copies. Cheap to copy. Empty only if default-constructed. It has a
/// text, a parsed form for evaluation and a canonical form for arithmetic, each computed when first used;
/// threads may share it.
class SymExpr {
public:
    SymExpr() = default;
    /// Keeps any text exactly, but `evaluate` fails for one that cannot be parsed. Parsing depth is bounded.
    /// In arithmetic it is a symbol of that text; `canonical` reads what it stands for.
    explicit SymExpr(std::string_view text);
    explicit SymExpr(std::int64_t number);
    /// Prints as sympy does in PyTorch's logs; equal canonical forms have the same text.
    explicit SymExpr(SymTerms terms);
    [[nodiscard]] static SymExpr real(double number);
    [[nodiscard]] static SymExpr symbol(std::string name, const NumberSymbols& numbers);

    [[nodiscard]] bool empty() const { return !m_shared; }
    [[nodiscard]] const std::string& text() const;
    /// Free symbols in order of first occurrence.
    [[nodiscard]] std::vector<std::string> symbols() const;
    /// Whether a free symbol passes the test. A computed expression is not parsed for it.
    [[nodiscard]] bool anySymbol(const std::function<bool(const std::string&)>& test) const;
    /// Errors: ir.symbol_unbound (names the symbol), ir.symbol_syntax (with position), ir.symbol_overflow.
    [[nodiscard]] base::Result<SymbolValue> evaluate(const SymbolBindings& bindings) const;
    [[nodiscard]] std::optional<std::int64_t> evaluateInt(const SymbolBindings& bindings) const;
    /// Whether a condition holds; nothing: it has no truth value.
    [[nodiscard]] std::optional<bool> evaluateBool(const SymbolBindings& bindings) const;

    /// Null if the text cannot be parsed.
    [[nodiscard]] const SymExprNode* tree() const;
    /// The expression must not be empty.
    [[nodiscard]] const SymTerms& terms() const;
    /// The same in canonical form; nothing unless it prints the same text.
    [[nodiscard]] std::optional<SymExpr> canonical(const NumberSymbols& numbers = {}) const;
    /// In canonical form with `read` supplying the expression of each symbol; the printed text may differ.
    using SymbolReader = std::function<SymExpr(const std::string& name)>;
    [[nodiscard]] std::optional<SymExpr> substituted(const SymbolReader& read) const;

    /// Its value if it is an integer without symbols.
    [[nodiscard]] std::optional<std::int64_t> constant() const;
    /// The function, if the expression is exactly one; else null.
    [[nodiscard]] const SymCall* function() const;
    /// Whether it is at least `least` for all values of its symbols, as far as sympy's assumptions (positive,
    /// nonnegative) show it. May miss true bounds.
    [[nodiscard]] bool isAtLeast(std::int64_t least) const;
    /// Its least and greatest value for these ranges of its symbols.
    /// Follows torch 2.11, torch/utils/_sympy/value_ranges.py: bound_sympy.
    using SymbolRanges = std::function<SymRange(const SymAtom& symbol)>;
    [[nodiscard]] SymRange range(const SymbolRanges& rangeOf) const;
    /// Solves `expression == 0` for a symbol: the symbol and the number or other symbol it equals (`2*s0 -
    /// 16`: `s0` and `8`). Nothing if it has no such solution.
    [[nodiscard]] std::optional<std::pair<std::string, std::string>> solvedForZero() const;

    friend SymExpr operator+(const SymExpr& left, const SymExpr& right);
    friend SymExpr operator-(const SymExpr& left, const SymExpr& right);
    friend SymExpr operator*(const SymExpr& left, const SymExpr& right);
    [[nodiscard]] static SymExpr floorDivide(const SymExpr& left, const SymExpr& right);
    /// `knownNonnegative`: guards show that both operands are nonnegative where their symbols alone do not.
    [[nodiscard]] static SymExpr modulo(const SymExpr& left, const SymExpr& right, bool knownNonnegative);
    [[nodiscard]] static SymExpr minimum(const SymExpr& left, const SymExpr& right);
    [[nodiscard]] static SymExpr maximum(const SymExpr& left, const SymExpr& right);
    /// Any function that does not simplify: "FloatPow", "TruncToInt"…
    [[nodiscard]] static SymExpr call(const std::string& name, std::vector<SymExpr> arguments);

    /// Compares the texts.
    friend bool operator==(const SymExpr& left, const SymExpr& right) {
        return left.m_shared == right.m_shared || left.text() == right.text();
    }

private:
    struct Shared;
    std::shared_ptr<const Shared> m_shared;
};

/// A size, stride or offset: an integer, or an expression over symbols.
class SymInt {
public:
    SymInt(std::int64_t value = 0) : m_value(value) {}                  // NOLINT: implicit by intent
    SymInt(SymExpr expression) : m_expression(std::move(expression)) {} // NOLINT: implicit by intent

    [[nodiscard]] bool isSymbolic() const { return !m_expression.empty(); }
    /// Only when not symbolic.
    [[nodiscard]] std::int64_t integer() const { return m_value; }
    /// Only when symbolic.
    [[nodiscard]] const SymExpr& expression() const { return m_expression; }
    [[nodiscard]] std::string text() const;
    /// The integer, or the expression's value under `bindings`; nothing: a symbol is unbound.
    [[nodiscard]] std::optional<std::int64_t> value(const SymbolBindings& bindings) const;

    friend bool operator==(const SymInt& left, const SymInt& right) {
        return left.m_value == right.m_value && left.m_expression == right.m_expression;
    }

private:
    std::int64_t m_value = 0;
    SymExpr m_expression;
};

} // namespace aotscope::ir

#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Symbolic integers as PyTorch's ShapeEnv prints them (sympy text): `s77`, `2*s0 + 1`, `(s27//2)`,
/// `Max(1, u0)`, `Mod(s0, 8)`, `u0 >= 0`. An expression keeps its exact text for printing and a parsed form
/// for evaluation. Follows torch 2.11, torch/fx/experimental/symbolic_shapes.py: ShapeEnv, and the printed
/// forms in torch/utils/_sympy/functions.py (FloorDiv, …).
namespace aotscope::ir {

/// Values of symbols, by name.
using SymbolBindings = std::map<std::string, std::int64_t, std::less<>>;

/// The result of an evaluation: an integer, a double (also for rationals), or a boolean.
using SymbolValue = std::variant<std::int64_t, double, bool>;

struct SymExprNode; // The parsed form, private to symbolic*.cpp.

/// An immutable expression, shared between copies. Cheap to copy. Empty only if default-constructed.
class SymExpr {
public:
    SymExpr() = default;
    /// Accepts any text, but `evaluate` fails for one that cannot be parsed. Parsing depth is bounded.
    explicit SymExpr(std::string_view text);

    [[nodiscard]] bool empty() const { return !m_shared; }
    [[nodiscard]] std::string_view text() const;
    /// Free symbols in order of first occurrence.
    [[nodiscard]] std::vector<std::string> symbols() const;
    /// Errors: ir.symbol_unbound (names the symbol), ir.symbol_syntax (with position), ir.symbol_overflow.
    [[nodiscard]] base::Result<SymbolValue> evaluate(const SymbolBindings& bindings) const;
    [[nodiscard]] std::optional<std::int64_t> evaluateInt(const SymbolBindings& bindings) const;

    /// Compares the texts.
    friend bool operator==(const SymExpr& left, const SymExpr& right) { return left.text() == right.text(); }

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

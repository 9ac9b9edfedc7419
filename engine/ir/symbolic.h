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
/// `Max(1, u0)`, `Mod(s0, 8)`, `u0 >= 0`. An expression keeps its exact text, which is what is printed, and
/// a parsed form, which is what is evaluated.
namespace aotscope::ir {

/// Values chosen for symbols, by name.
using SymbolBindings = std::map<std::string, std::int64_t, std::less<>>;

/// The result of an evaluation: sympy integers, rationals turned to double, or booleans.
using SymbolValue = std::variant<std::int64_t, double, bool>;

struct SymExprNode; // The parsed form, private to symbolic.cpp.

/// An immutable expression, shared by all who copy it. Cheap to copy. Never empty unless default-constructed.
class SymExpr {
public:
    SymExpr() = default;
    /// Keeps any text; text that is not an expression this program can read is kept and printed, and
    /// `evaluate` answers with an error that names it. Parsing depth is bounded.
    explicit SymExpr(std::string_view text);

    [[nodiscard]] bool empty() const { return !m_shared; }
    [[nodiscard]] std::string_view text() const;
    /// Free symbols in order of first occurrence.
    [[nodiscard]] std::vector<std::string> symbols() const;
    /// Errors: ir.symbol_unbound (which), ir.symbol_syntax (where), ir.symbol_overflow.
    [[nodiscard]] base::Result<SymbolValue> evaluate(const SymbolBindings& bindings) const;
    [[nodiscard]] std::optional<std::int64_t> evaluateInt(const SymbolBindings& bindings) const;

    /// Equal texts.
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
    /// The integer, or the expression under `bindings`; nothing when a symbol is unbound.
    [[nodiscard]] std::optional<std::int64_t> value(const SymbolBindings& bindings) const;

    friend bool operator==(const SymInt& left, const SymInt& right) {
        return left.m_value == right.m_value && left.m_expression == right.m_expression;
    }

private:
    std::int64_t m_value = 0;
    SymExpr m_expression;
};

} // namespace aotscope::ir

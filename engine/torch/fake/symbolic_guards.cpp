#include "fake/shape_environment.h"

#include "ir/used_symbols.h"

#include <algorithm>

/// What LibTorch wants to know of a symbolic number: each answer is known, becomes a guard, or is the
/// fallback that the question names.
namespace aotscope::torch {

std::int64_t SymbolicNode::guard_int(const char*, std::int64_t) {
    const auto hint = static_cast<std::int64_t>(m_values.front());
    if (!m_expression.constant()) {
        m_environment.addGuard(
            ir::SymRelation{ir::SymRelation::Kind::Equal, m_expression, ir::SymExpr(hint)}.guard());
    }
    return hint;
}

bool SymbolicNode::guard_bool(const char*, std::int64_t) {
    const bool hint = m_values.front() != 0;
    if (isUnbacked()) {
        const auto known = m_environment.staticAnswer(*this);
        TORCH_CHECK(known.has_value(), "Could not guard on data-dependent expression ", m_expression.text());
        return *known;
    }
    // A condition on the layout has no text: guards on sizes and strides cover it.
    const std::string& text = m_expression.text();
    if (!text.empty() && text != "True" && text != "False") {
        m_environment.addGuard(hint ? m_expression : ir::negation(m_expression));
    }
    return hint;
}

bool SymbolicNode::expect_true(const char* file, std::int64_t line) {
    if (!isUnbacked()) {
        return guard_bool(file, line);
    }
    m_environment.assume(c10::intrusive_ptr<SymNodeImpl>::reclaim_copy(this));
    return true;
}

double SymbolicNode::guard_float(const char*, std::int64_t) {
    m_environment.specializeFloat(*this);
    return m_values.front();
}

bool SymbolicNode::isUnbacked() const {
    // A condition says the same of its operands, and is not parsed for it.
    return m_kind == Kind::Bool && !m_provenance.operands.empty()
               ? std::ranges::any_of(m_provenance.operands,
                                     [](const c10::SymNode& operand) { return of(operand).isUnbacked(); })
               : m_expression.anySymbol(ir::isUnbackedSymbol);
}

bool SymbolicNode::guardOr(bool fallback) {
    return isUnbacked() ? m_environment.staticAnswer(*this).value_or(fallback)
                        : guard_bool(__FILE__, __LINE__);
}

bool SymbolicNode::guard_or_false(const char*, std::int64_t) {
    return guardOr(false);
}

bool SymbolicNode::guard_or_true(const char*, std::int64_t) {
    return guardOr(true);
}

bool SymbolicNode::statically_known_true(const char* file, std::int64_t line) {
    // A condition on a layout has no expression, only values of sizes and strides.
    return m_expression.text().empty() ? guard_bool(file, line)
                                       : m_environment.staticAnswer(*this).value_or(false);
}

} // namespace aotscope::torch

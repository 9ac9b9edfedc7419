#pragma once

#include "decompositions/decomposition.h"

#include <string>
#include <unordered_map>

namespace aotscope::torch {

/// Decompositions by operator.
class DecompositionSet {
public:
    /// Sets the decomposition of "aten::name" (the overload without a name) or "aten::name.overload", in
    /// place of an earlier one.
    void add(const std::string& name, Decomposition decomposition);

    /// Null where the operator has none.
    [[nodiscard]] Decomposition find(const c10::OperatorHandle& op) const {
        const auto found = m_byOperator.find(op);
        return found == m_byOperator.end() ? nullptr : found->second;
    }

    /// Operators with a decomposition, in the order in which they were first added.
    [[nodiscard]] const std::vector<c10::OperatorHandle>& operators() const { return m_operators; }
    /// Names that no operator of this LibTorch has: always a mistake of ours.
    [[nodiscard]] const std::vector<std::string>& unknown() const { return m_unknown; }

private:
    std::unordered_map<c10::OperatorHandle, Decomposition> m_byOperator;
    std::vector<c10::OperatorHandle> m_operators;
    std::vector<std::string> m_unknown;
};

/// Runs a decomposition: pops the arguments and pushes the results. Returns false and leaves the stack as it
/// was if it does not apply.
bool decompose(Decomposition decomposition, const c10::OperatorHandle& op, c10::Stack& stack,
               const aot::TraceRules& rules);

} // namespace aotscope::torch

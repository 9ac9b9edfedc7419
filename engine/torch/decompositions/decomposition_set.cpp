#include "decompositions/decomposition_set.h"

#include "dispatch/operators.h"

namespace aotscope::torch {

void DecompositionSet::add(const std::string& name, Decomposition decomposition) {
    const auto op = c10::Dispatcher::singleton().findSchema(operatorName(name));
    if (!op) {
        m_unknown.push_back(name);
    } else if (m_byOperator.insert_or_assign(*op, decomposition).second) {
        m_operators.push_back(*op);
    }
}

bool decompose(Decomposition decomposition, const c10::OperatorHandle& op, c10::Stack& stack,
               const aot::TraceRules& rules) {
    // Copied, because the calls inside may reallocate the stack.
    const std::vector<c10::IValue> arguments = argumentsOn(op, stack).vec();
    Decomposed result = decomposition(DecompositionCall(op.schema(), arguments, rules));
    if (!result.applies()) {
        return false;
    }
    replaceArguments(op, stack, std::move(result.values()));
    return true;
}

} // namespace aotscope::torch

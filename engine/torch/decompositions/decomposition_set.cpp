#include "decompositions/decomposition_set.h"

namespace aotscope::torch {

void DecompositionSet::add(std::initializer_list<const char*> operators, Decomposition decomposition) {
    for (const char* const full : operators) {
        const std::string text(full);
        const std::size_t dot = text.find('.');
        const c10::OperatorName name(text.substr(0, dot),
                                     dot == std::string::npos ? "" : text.substr(dot + 1));
        const auto op = c10::Dispatcher::singleton().findSchema(name);
        if (!op) {
            m_unknown.push_back(text);
            continue;
        }
        if (m_byOperator.insert_or_assign(*op, decomposition).second) {
            m_operators.push_back(*op);
        }
    }
}

bool decompose(Decomposition decomposition, const c10::OperatorHandle& op, c10::Stack& stack,
               const aot::TraceRules& rules) {
    const std::size_t count = op.schema().arguments().size();
    // Copied, because the calls inside may reallocate the stack.
    const std::vector<c10::IValue> arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    Decomposed result = decomposition(DecompositionCall(op.schema(), arguments, rules));
    if (!result.applies()) {
        return false;
    }
    stack.resize(stack.size() - count);
    for (c10::IValue& value : result.values()) {
        stack.push_back(std::move(value));
    }
    return true;
}

} // namespace aotscope::torch

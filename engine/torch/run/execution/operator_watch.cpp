#include "run/execution/operator_watch.h"

#include "dispatch/libtorch_release.h"

#include <c10/core/AutogradState.h>

#include <algorithm>

namespace aotscope::torch {

void OperatorWatch::take(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, c10::Stack& stack) {
    const c10::impl::ExcludeDispatchKeyGuard unseen(traceKey);
    call(op, stack);
}

void OperatorWatch::carryOut(const c10::OperatorHandle& op, c10::Stack& stack) const {
    if (m_next != nullptr) {
        m_next->call(op, stack);
    } else {
        op.callBoxed(stack);
    }
}

WatchScope::WatchScope(OperatorWatch* watch) {
    if (watch != nullptr) {
        m_watching.emplace(&KernelContext::belowAutograd, watch);
        m_include.emplace(traceKey);
        // Autograd runs the backward of a GPU's tensors on another thread, where this watch does not apply.
        c10::AutogradState& autograd = c10::AutogradState::get_tls_state();
        m_multithreading = autograd.get_multithreading_enabled();
        autograd.set_multithreading_enabled(false);
    }
}

WatchScope::~WatchScope() {
    if (m_multithreading) {
        c10::AutogradState::get_tls_state().set_multithreading_enabled(*m_multithreading);
    }
}

std::string_view plainName(const c10::OperatorHandle& op) {
    const std::string_view name = op.operator_name().name;
    const std::size_t colons = name.find("::");
    return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

bool writesTo(const c10::OperatorHandle& op, std::size_t argument) {
    const c10::AliasInfo* alias = op.schema().arguments().at(argument).alias_info();
    return alias != nullptr && alias->isWrite();
}

bool makesView(const c10::OperatorHandle& op) {
    return std::ranges::any_of(op.schema().returns(), [](const c10::Argument& result) {
        return result.alias_info() != nullptr && !result.alias_info()->isWrite();
    });
}

} // namespace aotscope::torch

#include "dispatch/kernel_context.h"

namespace aotscope::torch {

namespace {

/// The context's place on LibTorch's stack. It can be one of our own since torch 2.15 only; this one LibTorch
/// uses in its own tests alone.
c10::DebugInfoKind contextKind() {
    return c10::DebugInfoKind::TEST_INFO;
}

} // namespace

const KernelContext& KernelContext::current() {
    static const KernelContext none;
    const c10::DebugInfoBase* found = c10::ThreadLocalDebugInfo::get(contextKind());
    return found == nullptr ? none : *static_cast<const KernelContext*>(found);
}

KernelScope::KernelScope(std::shared_ptr<KernelContext> context)
    : m_guard(contextKind(), std::move(context)) {}

} // namespace aotscope::torch

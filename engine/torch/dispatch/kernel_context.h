#pragma once

#include "torch_headers.h"

#include "aot/versions/trace_rules.h"

#include <c10/core/DeviceType.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace aotscope::torch {

/// Takes operators in place of LibTorch.
class OperatorTaker {
public:
    OperatorTaker() = default;
    OperatorTaker(const OperatorTaker&) = delete;
    OperatorTaker& operator=(const OperatorTaker&) = delete;
    virtual ~OperatorTaker() = default;

    /// Replaces the arguments on the stack by the results.
    virtual void take(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) = 0;
};

/// What kernels of ours need to know that LibTorch's dispatcher, which calls them, has no argument for. It
/// lies on LibTorch's own stack of such objects: one per thread, which a backward takes to its threads.
struct KernelContext final : c10::DebugInfoBase {
    /// Takes every operator ahead of autocast and autograd, in a trace.
    OperatorTaker* beforeAutograd = nullptr;
    /// Takes those below autograd: a trace, or who watches a run. Null: LibTorch does.
    OperatorTaker* belowAutograd = nullptr;
    /// The rules of the release that is followed (release_rules.h); null: none is.
    const aot::TraceRules* rules = nullptr;
    /// The device that meta tensors stand for.
    c10::DeviceType device = c10::DeviceType::CPU;

    /// That of the innermost KernelScope on this thread; the defaults where there is none.
    [[nodiscard]] static const KernelContext& current();
};

/// While it lives, kernels on this thread find a context with one part changed. Scopes end in the reverse
/// order of their beginnings.
class KernelScope {
public:
    template<typename Part>
    KernelScope(Part KernelContext::*part, std::type_identity_t<Part> value)
        : KernelScope(changed(part, std::move(value))) {}
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;
    ~KernelScope() = default;

private:
    explicit KernelScope(std::shared_ptr<KernelContext> context);

    template<typename Part>
    [[nodiscard]] static std::shared_ptr<KernelContext> changed(Part KernelContext::*part, Part value) {
        auto context = std::make_shared<KernelContext>(KernelContext::current());
        (*context).*part = std::move(value);
        return context;
    }

    c10::DebugInfoGuard m_guard;
};

} // namespace aotscope::torch

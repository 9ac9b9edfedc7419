#pragma once

#include "dispatch/kernel_context.h"
#include "dispatch/operators.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>

namespace aotscope::torch {

/// Sees every operator below autograd while it is watching: of eager mode's forward and backward, and of
/// graphs that run. May change what they are called with, or do something else.
class OperatorWatch : public OperatorTaker {
public:
    void take(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack) final;

    /// Replaces the arguments on the stack by the results. What it calls itself is not seen.
    virtual void call(const c10::OperatorHandle& op, c10::Stack& stack) = 0;
    /// Sees what this one carries out. It must live as long; null: nobody.
    void setNext(OperatorWatch* next) { m_next = next; }

protected:
    /// Lets the next one call the operator, or calls it.
    void carryOut(const c10::OperatorHandle& op, c10::Stack& stack) const;

private:
    OperatorWatch* m_next = nullptr;
};

/// While it lives, this thread's operators, and those of a backward that it starts, are seen by `watch`;
/// null: nothing changes. No trace may be going on.
class WatchScope {
public:
    explicit WatchScope(OperatorWatch* watch);
    ~WatchScope();
    WatchScope(const WatchScope&) = delete;
    WatchScope& operator=(const WatchScope&) = delete;

private:
    std::optional<KernelScope> m_watching;
    std::optional<bool> m_multithreading;
    std::optional<c10::impl::IncludeDispatchKeyGuard> m_include;
};

/// The operator's name without namespace and overload.
[[nodiscard]] std::string_view plainName(const c10::OperatorHandle& op);

/// Whether the operator writes to that argument.
[[nodiscard]] bool writesTo(const c10::OperatorHandle& op, std::size_t argument);
/// Whether a result is a view of an argument.
[[nodiscard]] bool makesView(const c10::OperatorHandle& op);

} // namespace aotscope::torch

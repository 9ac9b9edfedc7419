#pragma once

#include "torch_headers.h"

#include "aot/global_state.h"

namespace aotscope::torch {

/// While it lives, LibTorch has the process-wide part of a state: the default dtype, deterministic algorithms
/// and their fill, precision of CUDA's matrix products. Grad mode and autocast belong to a thread: traces and
/// calls enter them. Scopes are left in the reverse order; only one thread at a time may be in one, which the
/// session's turns ensure.
class GlobalStateScope {
public:
    explicit GlobalStateScope(const aot::GlobalState& state);
    ~GlobalStateScope();
    GlobalStateScope(const GlobalStateScope&) = delete;
    GlobalStateScope& operator=(const GlobalStateScope&) = delete;

    /// Gives the process the state from before, for others that run meanwhile, and takes it back. A scope
    /// that ends without that leaves the process as it then is: the others may still run.
    void lend();
    void takeBack();

private:
    aot::GlobalState m_before;
    aot::GlobalState m_own;
    bool m_isLent = false;
};

/// The process-wide part as it is, with the calling thread's grad and inference mode.
[[nodiscard]] aot::GlobalState currentGlobalState();

} // namespace aotscope::torch

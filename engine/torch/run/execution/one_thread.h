#pragma once

#include "ir/graph.h"

#include <ATen/Parallel.h>

#include <memory>

namespace aotscope::torch {

/// While it lives, kernels that this thread starts do not share their work out to other threads.
class OneThread {
public:
    OneThread() { at::set_num_threads(1); }
    ~OneThread() { at::set_num_threads(m_before); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before = at::get_num_threads();
};

/// For graphs whose values are small: waking and awaiting another thread takes longer than what it could do,
/// and many times longer while other programs keep the processor busy. Null for graphs of large values.
[[nodiscard]] std::unique_ptr<OneThread> oneThreadIfSmall(const ir::Graph& graph);

} // namespace aotscope::torch

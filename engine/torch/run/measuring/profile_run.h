#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <ATen/record_function.h>

#include <string>

namespace aotscope::torch {

/// LibTorch's profiler (Kineto) on this thread, from construction to `finish`: calls of operators and changes
/// of memory; where CUDA is there also its kernels.
class ProfiledRun {
public:
    /// Throws c10::Error.
    ProfiledRun();
    ProfiledRun(const ProfiledRun&) = delete;
    ProfiledRun& operator=(const ProfiledRun&) = delete;
    ~ProfiledRun();

    /// Ends it; the trace as JSON. Throws c10::Error, and RunFailure where the trace cannot be written.
    [[nodiscard]] std::string finish();
    /// Ends it without a trace, for a run that failed. Throws c10::Error.
    void discard();

private:
    bool m_runs = false;
};

/// The range around a node while it lives (timeline/node_matchers.h: nodeMark).
class NodeRange {
public:
    explicit NodeRange(const ir::Node& node);

private:
    // Not named by a temporary: the profiler keeps names by pointer until the range begins.
    std::string m_name;
    at::RecordFunction m_range;
};

} // namespace aotscope::torch

#pragma once

namespace aotscope::test {

/// Ends LibTorch's profiler on this thread, as a library that profiles too may do in the middle of a run.
void stopProfiler();

} // namespace aotscope::test

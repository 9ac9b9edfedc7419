#include "profiler_stop.h"

#include "torch_headers.h"

#include <torch/csrc/autograd/profiler_kineto.h>

namespace aotscope::test {

void stopProfiler() {
    (void)::torch::autograd::profiler::disableProfiler();
}

} // namespace aotscope::test

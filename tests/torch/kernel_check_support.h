#pragma once

#include "run_support.h"

namespace aotscope::test {

inline session::KernelCheck kernelCheckOf(const ir::GraphPtr& graph,
                                          const session::RunOptions& options = {}) {
    auto check = backend().answer(session::KernelsCall{graph, options});
    REQUIRE_MESSAGE(check.ok(), check.error().text());
    REQUIRE_MESSAGE(!check->error, check->error->text());
    return std::move(check).value();
}

/// Every kernel and the whole run equal ATen's, and all that is eligible is fused.
inline void checkEqual(const session::KernelCheck& check) {
    for (const session::KernelVerdict& kernel : check.kernels) {
        CHECK_MESSAGE(kernel.agrees, (kernel.name + " " + kernel.difference + kernel.failure));
    }
    CHECK_MESSAGE(check.wholeRun.agrees, (check.wholeRun.difference + check.wholeRun.failure));
    CHECK(check.counts.share() == 1);
}

} // namespace aotscope::test

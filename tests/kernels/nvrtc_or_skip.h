#pragma once

#include "kernels/nvrtc.h"

#include "support/skipped.h"

#include <doctest/doctest.h>

namespace aotscope::test {

/// The NVRTC of this machine; null: there is none, and the test case is skipped.
[[nodiscard]] inline const kernels::Nvrtc* nvrtcOrSkip() {
    static const base::Result<kernels::Nvrtc> found = kernels::Nvrtc::find();
    if (!found) {
        REQUIRE(found.error().code == "kernels.no_nvrtc");
        skip("NVRTC is not on this machine: " + found.error().hint);
        return nullptr;
    }
    return &*found;
}

/// A kernel for one architecture, without a prelude.
[[nodiscard]] inline kernels::CudaRequest cudaRequest(const std::string& source,
                                                      const std::string& architecture = "sm_90") {
    return {.name = "tested",
            .source = source,
            .text = "#line 1 \"tested.cu\"\n" + source,
            .architecture = architecture,
            .options = {}};
}

} // namespace aotscope::test

#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a compiled kernel needs of a multiprocessor, from its image and from what the assembler said.
namespace aotscope::kernels {

struct CubinFacts {
    /// The function's name.
    std::string kernel;
    /// Per thread.
    std::int64_t registers = 0;
    /// Per thread, in local memory: what did not fit into registers, and arrays that have addresses.
    std::int64_t localBytes = 0;
    /// Per block, as the source declares it; without what the driver reserves in each block.
    std::int64_t staticSharedBytes = 0;
    /// `__constant__` variables and the compiler's constants, without parameters.
    std::int64_t constantBytes = 0;
    std::int64_t parameterBytes = 0;
    std::int64_t barriers = 0;

    friend bool operator==(const CubinFacts&, const CubinFacts&) = default;
};
AOTSCOPE_MEMBERS(CubinFacts, kernel, registers, localBytes, staticSharedBytes, constantBytes, parameterBytes,
                 barriers)

/// From the image: an ELF file whose sections `.nv.info…` hold attributes of kernels. Kernels sorted by name.
/// Never reads outside the image. Error: kernels.bad_cubin.
[[nodiscard]] base::Result<std::vector<CubinFacts>> readCubin(std::string_view cubin);

/// What the assembler says with `--ptxas-options=-v`.
struct AssemblerFacts {
    std::string kernel;
    std::int64_t registers = 0;
    std::int64_t stackBytes = 0;
    /// What each thread writes to local memory because registers did not suffice, and reads back: the image
    /// does not tell these.
    std::int64_t spillStoreBytes = 0;
    std::int64_t spillLoadBytes = 0;
    std::int64_t staticSharedBytes = 0;
    std::int64_t barriers = 0;
};

/// From NVRTC's log. Kernels sorted by name.
[[nodiscard]] std::vector<AssemblerFacts> readAssemblerLog(std::string_view log);

} // namespace aotscope::kernels

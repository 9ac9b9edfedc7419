#pragma once

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace aotscope::kernels {

/// Where NVIDIA's nvdisasm is: $AOTSCOPE_NVDISASM, the `bin` folder of the wheel whose `lib` folder holds
/// `library` (an NVRTC; may be empty), or the PATH. Error: kernels.no_disassembler, which names the package.
[[nodiscard]] base::Result<std::filesystem::path> findDisassembler(const std::filesystem::path& library = {});

/// The machine code of an image as text (SASS), with comments that name lines of the source (sassLines).
/// Errors: kernels.disassembler_failed, session.canceled.
[[nodiscard]] base::Result<std::string> disassemble(const std::filesystem::path& program,
                                                    std::string_view cubin,
                                                    const base::Progress& progress = {});

} // namespace aotscope::kernels

#pragma once

#include "kernels/fused_kernel.h"
#include "kernels/host_compiler.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace fake_cuda {

/// A function of a cubin, as this machine's processor runs it.
struct ImageKernel {
    std::string name;
    std::size_t parameters = 0;
    aotscope::kernels::HostEntry entry = nullptr;
    std::shared_ptr<const aotscope::kernels::HostLibrary> library;
};

/// Whether a module's image is a compiled one, and no text.
[[nodiscard]] bool isCubin(const void* image);

/// The kernel of an image that NVRTC made. No processor runs it, so the text that it was compiled from is
/// looked for in the folder of compiled kernels, and compiled by the host compiler. An empty name: the image
/// is none, or none of that folder.
[[nodiscard]] ImageKernel kernelOf(const void* image);

} // namespace fake_cuda

#pragma once

#include "contract/devices.h"

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

/// LibTorch's CUDA half, libtorch_cuda, and the libraries of NVIDIA that it needs. The engine links
/// libtorch_cpu alone; these are opened for the first run on a GPU.
namespace aotscope::torch {

/// What libtorch_cuda needs and where it is looked for.
struct CudaLibraries {
    /// Where libtorch_cpu lies.
    std::filesystem::path torch;
    /// libtorch_cuda: beside it, unless AOTSCOPE_TORCH_CUDA names another library.
    std::filesystem::path torchCuda;
    /// Folders with NVIDIA's libraries: the wheels' beside torch.
    std::vector<std::filesystem::path> folders;
};

/// Those of the LibTorch of this process.
[[nodiscard]] CudaLibraries cudaLibraries();
/// Those of the torch package whose libraries lie in `torchLibraries` (".../site-packages/torch/lib").
[[nodiscard]] CudaLibraries cudaLibrariesAt(const std::filesystem::path& torchLibraries);

/// What is not there, each with the command that installs it. Opens nothing of torch.
[[nodiscard]] std::vector<session::MissingLibrary> missingLibraries(const CudaLibraries& libraries);

/// The libraries that a shared library names as needed ("libcublas.so.13"), in its order; empty if it is no
/// 64-bit ELF file. Reads the file and loads nothing.
[[nodiscard]] std::vector<std::string> neededLibraries(const std::filesystem::path& library);

/// Opens libtorch_cuda, so that tensors can be created on GPUs; a second call does nothing. Call it before
/// any other use of LibTorch in the process, because LibTorch decides only once whether it has CUDA. Errors:
/// cuda.missing_library, cuda.not_opened (the loader's words), cuda.opened_too_late.
[[nodiscard]] base::Result<void> openCuda();

} // namespace aotscope::torch

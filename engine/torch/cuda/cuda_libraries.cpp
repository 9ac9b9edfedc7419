#include "cuda/cuda_libraries.h"

#include "torch_headers.h"

#include "base/elf_image.h"
#include "load/file_bytes.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

namespace aotscope::torch {

namespace {

namespace fs = std::filesystem;

/// A library of NVIDIA by the beginning of its file's name, and the wheel that has it.
struct KnownLibrary {
    std::string_view file;
    std::string_view name;
    std::string_view wheel;
    /// Whether the wheel's name ends with CUDA's version also since CUDA 13.
    bool hasVersion = false;
};

constexpr std::array knownLibraries{
    // In the order in which they are opened: each before those that open it by themselves.
    KnownLibrary{"libnvJitLink.so", "nvJitLink", "nvidia-nvjitlink"},
    KnownLibrary{"libnvrtc.so", "NVRTC", "nvidia-cuda-nvrtc"},
    KnownLibrary{"libcudart.so", "the CUDA runtime", "nvidia-cuda-runtime"},
    KnownLibrary{"libcupti.so", "CUPTI", "nvidia-cuda-cupti"},
    KnownLibrary{"libcublasLt.so", "cuBLASLt", "nvidia-cublas"},
    KnownLibrary{"libcublas.so", "cuBLAS", "nvidia-cublas"},
    KnownLibrary{"libcudnn.so", "cuDNN", "nvidia-cudnn", true},
    KnownLibrary{"libcufft.so", "cuFFT", "nvidia-cufft"},
    KnownLibrary{"libcurand.so", "cuRAND", "nvidia-curand"},
    KnownLibrary{"libcusparse.so", "cuSPARSE", "nvidia-cusparse"},
    KnownLibrary{"libcusparseLt.so", "cuSPARSELt", "nvidia-cusparselt", true},
    KnownLibrary{"libcusolver.so", "cuSOLVER", "nvidia-cusolver"},
    KnownLibrary{"libcufile.so", "cuFile", "nvidia-cufile"},
    KnownLibrary{"libnccl.so", "NCCL", "nvidia-nccl", true},
    KnownLibrary{"libnvshmem_host.so", "NVSHMEM", "nvidia-nvshmem", true},
};

/// Where in the file an address of the loaded library lies; nothing: nowhere.
std::optional<std::uint64_t> offsetOf(const base::ElfImage& image, std::uint64_t address) {
    const auto segment = std::ranges::find_if(image.segments(), [address](const Elf64_Phdr& one) {
        return one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz;
    });
    return segment == image.segments().end() ? std::nullopt
                                             : std::optional(address - segment->p_vaddr + segment->p_offset);
}

std::vector<std::string> namesIn(const base::ElfImage& image, const Elf64_Phdr& dynamic,
                                 std::string_view bytes) {
    std::vector<std::uint64_t> names;
    std::optional<std::uint64_t> strings;
    for (const auto& entry : base::elfEntries<Elf64_Dyn>(image.part(dynamic.p_offset, dynamic.p_filesz))) {
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_NEEDED) {
            names.push_back(entry.d_un.d_val);
        } else if (entry.d_tag == DT_STRTAB) {
            strings = offsetOf(image, entry.d_un.d_ptr);
        }
    }
    std::vector<std::string> needed;
    for (const std::uint64_t name : strings ? names : std::vector<std::uint64_t>()) {
        needed.emplace_back(base::ElfImage::text(bytes, *strings + name));
    }
    return needed;
}

bool isThere(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

std::optional<fs::path> findIn(const std::vector<fs::path>& folders, const std::string& file) {
    for (const fs::path& folder : folders) {
        if (isThere(folder / file)) {
            return folder / file;
        }
    }
    return std::nullopt;
}

/// Whether the loader finds it by its name; a library that it finds stays open.
bool opens(const std::string& file) {
    return dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

/// The version of CUDA that a library belongs to, by the runtime's file name ("13"); empty if not known.
std::string cudaVersion(const std::vector<std::string>& needed) {
    constexpr std::string_view runtime = "libcudart.so.";
    const auto found =
        std::ranges::find_if(needed, [=](const std::string& file) { return file.starts_with(runtime); });
    return found == needed.end() ? std::string() : found->substr(runtime.size());
}

/// The wheels of CUDA 12 all have its version in their names, since CUDA 13 a few.
std::string installCommand(const CudaLibraries& libraries, const KnownLibrary& library,
                           const std::string& version) {
    std::string wheel(library.wheel);
    if (library.hasVersion || version == "12" || version == "11") {
        wheel += "-cu" + version;
    }
    // A LibTorch outside of a Python environment is a folder that pip filled as its --target.
    const fs::path folder = libraries.torch.parent_path().parent_path();
    return folder.filename() == "site-packages" || folder.filename() == "dist-packages"
               ? "pip install " + wheel
               : "pip install --target " + folder.string() + " " + wheel;
}

session::MissingLibrary missingLibrary(const CudaLibraries& libraries, const std::string& file,
                                       const std::string& version) {
    const auto* known = std::ranges::find_if(
        knownLibraries, [&](const KnownLibrary& library) { return file.starts_with(library.file); });
    if (known == knownLibraries.end()) {
        return {file, file, "pip install --force-reinstall torch"};
    }
    return {std::string(known->name), file, installCommand(libraries, *known, version)};
}

/// What libtorch_cuda and the libraries of torch's own beside it name as needed.
std::vector<std::string> allNeeded(const CudaLibraries& libraries) {
    std::vector<std::string> all;
    std::set<std::string> seen;
    std::vector<fs::path> open{libraries.torchCuda};
    while (!open.empty()) {
        const fs::path file = std::move(open.back());
        open.pop_back();
        for (const std::string& needed : neededLibraries(file)) {
            if (!seen.insert(needed).second) {
                continue;
            }
            if (isThere(libraries.torch / needed)) {
                open.push_back(libraries.torch / needed);
            } else {
                all.push_back(needed);
            }
        }
    }
    return all;
}

/// Opens NVIDIA's libraries that lie in the wheels, so that those that open each other by name get these and
/// none of another release that the system may have. LibTorch's own paths find those that are left.
void openFirst(const CudaLibraries& libraries, const std::vector<std::string>& needed) {
    for (const KnownLibrary& library : knownLibraries) {
        for (const std::string& file : needed) {
            const auto path = file.starts_with(library.file) ? findIn(libraries.folders, file) : std::nullopt;
            if (path) {
                (void)dlopen(path->c_str(), RTLD_LAZY | RTLD_LOCAL);
            }
        }
    }
}

base::Error missingError(const std::vector<session::MissingLibrary>& missing) {
    base::Error error{.code = "cuda.missing_library",
                      .message =
                          "LibTorch's CUDA half cannot be opened: " + missing.front().name + " is missing."};
    for (const session::MissingLibrary& library : missing) {
        error.notes.push_back("missing: " + library.name + " (" + library.detail + ")");
        if (error.hint.find(library.install) == std::string::npos) {
            error.hint += (error.hint.empty() ? "" : "; ") + library.install;
        }
    }
    return error;
}

base::Result<void> openOnce() {
    const CudaLibraries libraries = cudaLibraries();
    if (const auto missing = missingLibraries(libraries); !missing.empty()) {
        return missingError(missing);
    }
    openFirst(libraries, allNeeded(libraries));
    // Never closed: LibTorch does not survive being unloaded.
    if (dlopen(libraries.torchCuda.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        return base::Error{.code = "cuda.not_opened",
                           .message = "LibTorch's CUDA half cannot be opened.",
                           .notes = {dlerror()},
                           .hint = "The libraries of NVIDIA may be of another release than torch asks for."};
    }
    // LibTorch decides only once per process whether it has CUDA; an earlier use decided that it has not.
    if (!at::detail::getCUDAHooks().hasCUDART()) {
        return base::Error{.code = "cuda.opened_too_late",
                           .message = "This process has used LibTorch without CUDA before.",
                           .hint = "Runs on a GPU belong into a process of their own (aotscope-engine)."};
    }
    return {};
}

} // namespace

CudaLibraries cudaLibrariesAt(const fs::path& torchLibraries) {
    const char* given = std::getenv("AOTSCOPE_TORCH_CUDA");
    CudaLibraries found{
        torchLibraries, given != nullptr ? fs::path(given) : torchLibraries / "libtorch_cuda.so", {}};
    const fs::path wheels = torchLibraries.parent_path().parent_path() / "nvidia";
    std::error_code error;
    for (const fs::directory_entry& wheel : fs::directory_iterator(wheels, error)) {
        if (isThere(wheel.path() / "lib")) {
            found.folders.push_back(wheel.path() / "lib");
        }
    }
    std::ranges::sort(found.folders);
    return found;
}

CudaLibraries cudaLibraries() {
    Dl_info cpu{};
    // Any function of libtorch_cpu tells where that lies.
    const auto* function = reinterpret_cast<const void*>(&at::detail::getCUDAHooks);
    if (dladdr(function, &cpu) == 0 || cpu.dli_fname == nullptr) {
        return {};
    }
    return cudaLibrariesAt(fs::path(cpu.dli_fname).parent_path());
}

std::vector<session::MissingLibrary> missingLibraries(const CudaLibraries& libraries) {
    if (!isThere(libraries.torchCuda)) {
        return {{"libtorch_cuda", "this LibTorch was built without CUDA", "pip install torch"}};
    }
    const std::vector<std::string> needed = allNeeded(libraries);
    const std::string version = cudaVersion(needed);
    std::vector<session::MissingLibrary> missing;
    for (const std::string& file : needed) {
        const bool isFound = findIn(libraries.folders, file).has_value() || opens(file);
        if (!isFound) {
            missing.push_back(missingLibrary(libraries, file, version));
        }
    }
    return missing;
}

std::vector<std::string> neededLibraries(const std::filesystem::path& library) {
    constexpr std::uint64_t mostUnpacked = 1U << 20U;
    base::Progress progress;
    const auto file = load::FileBytes::open(library, mostUnpacked, progress);
    const auto image = file ? base::ElfImage::open((*file)->bytes()) : std::nullopt;
    if (!image) {
        return {};
    }
    const auto dynamic = std::ranges::find(image->segments(), Elf64_Word(PT_DYNAMIC), &Elf64_Phdr::p_type);
    return dynamic == image->segments().end() ? std::vector<std::string>()
                                              : namesIn(*image, *dynamic, (*file)->bytes());
}

base::Result<void> openCuda() {
    static const base::Result<void> opened = openOnce();
    return opened;
}

} // namespace aotscope::torch

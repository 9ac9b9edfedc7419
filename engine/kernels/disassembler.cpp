#include "kernels/disassembler.h"

#include "kernels/temporary_folder.h"

#include "base/child_process.h"
#include "base/run_child.h"
#include "base/text_search.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace aotscope::kernels {

namespace {

constexpr const char* programName = "nvdisasm";

bool canRun(const std::filesystem::path& path) {
    std::error_code failed;
    return std::filesystem::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
    // The environment is set before the program starts threads.
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? "" : value;
}

std::vector<std::filesystem::path> candidates(const std::filesystem::path& library) {
    std::vector<std::filesystem::path> paths;
    if (const std::string chosen = variable("AOTSCOPE_NVDISASM"); !chosen.empty()) {
        paths.emplace_back(chosen);
    }
    if (!library.empty()) {
        paths.push_back(library.parent_path().parent_path() / "bin" / programName);
    }
    const std::string folders = variable("PATH");
    for (std::string_view rest = folders; !rest.empty();) {
        if (const std::string_view folder = base::takePart(rest, ':'); !folder.empty()) {
            paths.push_back(std::filesystem::path(folder) / programName);
        }
    }
    return paths;
}

} // namespace

base::Result<std::filesystem::path> findDisassembler(const std::filesystem::path& library) {
    for (const std::filesystem::path& path : candidates(library)) {
        if (canRun(path)) {
            return path;
        }
    }
    return base::Error{.code = "kernels.no_disassembler",
                       .message = "nvdisasm, which shows the machine code of kernels, was not found.",
                       .hint = "It is in a package of PyPI: pip install nvidia-cuda-nvdisasm. Put its folder "
                               "nvidia/cu13/bin on the PATH, or set AOTSCOPE_NVDISASM to the program."};
}

base::Result<std::string> disassemble(const std::filesystem::path& program, std::string_view cubin,
                                      const base::Progress& progress) {
    AOTSCOPE_TRY(folder, TemporaryFolder::make());
    const std::filesystem::path image = folder.path() / "kernel.cubin";
    std::ofstream(image, std::ios::binary) << cubin;
    base::Error error{.code = "kernels.disassembler_failed",
                      .message = "nvdisasm could not show the machine code",
                      .hint = "An older nvdisasm does not know newer GPUs: use the one of the newest CUDA."};
    const auto run = base::runChild(program.string(), {"-gi", "-c", image.string()}, "",
                                    {std::chrono::minutes(1)}, progress.stopToken());
    if (!run) {
        if (base::isCanceled(run.error())) {
            return run.error();
        }
        error.message += ": it " + run.error().message + ".";
        return error;
    }
    if (run->status != 0 || run->output.empty()) {
        error.message += ": it " + base::exitText(run->status) + ".";
        error.notes = {run->messages};
        return error;
    }
    return run->output;
}

} // namespace aotscope::kernels

#pragma once

#include "program.h"

#include "kernels/kernel_report.h"

#include <filesystem>
#include <optional>
#include <string>

namespace aotscope::cli {

/// "mlp.log_0_0_forward" of a graph's title: a name for a folder.
[[nodiscard]] std::string folderName(std::string title);

/// A folder with a folder for each graph, and in it the files of each kernel: NAME.cu, and for each
/// architecture NAME.sm_90.ptx, NAME.sm_90.cubin, and NAME.sm_90.sass where nvdisasm is found (else a message
/// says how to get it).
class KernelFiles {
public:
    /// `library`: the NVRTC that compiled them, beside which nvdisasm may lie.
    KernelFiles(Program& program, std::filesystem::path folder, const std::filesystem::path& library);

    /// Throws Failure if a file cannot be written.
    void write(const std::string& title, const kernels::FusedKernel& kernel,
               const kernels::KernelReport& report);

private:
    Program& m_program;
    std::filesystem::path m_folder;
    std::optional<std::filesystem::path> m_disassembler;
};

} // namespace aotscope::cli

#include "kernel_files.h"

#include "kernels/disassembler.h"

#include <algorithm>
#include <cctype>

namespace aotscope::cli {

std::string folderName(std::string title) {
    std::ranges::replace_if(
        title,
        [](char letter) {
            return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.' && letter != '-' &&
                   letter != '_';
        },
        '_');
    return title;
}

KernelFiles::KernelFiles(Program& program, std::filesystem::path folder, const std::filesystem::path& library)
    : m_program(program), m_folder(std::move(folder)) {
    auto found = kernels::findDisassembler(library);
    if (found) {
        m_disassembler = *std::move(found);
    } else {
        m_program.console.message("No machine code is written: " + found.error().message + " " +
                                  found.error().hint);
    }
}

void KernelFiles::write(const std::string& title, const kernels::FusedKernel& kernel,
                        const kernels::KernelReport& report) {
    const std::filesystem::path folder = m_folder / folderName(title);
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    m_program.console.resultTo(folder / (kernel.name + ".cu"), kernel.source);
    for (const kernels::ArchitectureReport& own : report.architectures) {
        if (!own.compiled()) {
            continue;
        }
        const std::string name = kernel.name + "." + own.architecture;
        m_program.console.resultTo(folder / (name + ".ptx"), own.build->ptx);
        m_program.console.resultTo(folder / (name + ".cubin"), own.build->cubin);
        if (!m_disassembler) {
            continue;
        }
        const auto sass = kernels::disassemble(*m_disassembler, own.build->cubin, m_program.progress());
        if (!sass) {
            throw base::isCanceled(sass.error()) ? interrupted() : Failure(ExitNo, sass.error());
        }
        m_program.console.resultTo(folder / (name + ".sass"), *sass);
    }
}

} // namespace aotscope::cli

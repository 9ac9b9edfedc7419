#include "runs/kernel_builder.h"

#include "kernels/disassembler.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

namespace {

template<typename Facts>
std::optional<Facts> factsOf(const std::vector<Facts>& all, const std::string& kernel) {
    const auto found = std::ranges::find(all, kernel, &Facts::kernel);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

void addMachineCode(KernelBuildSnapshot& build, const kernels::Nvrtc& nvrtc, const std::string& cubin,
                    const base::Progress& progress) {
    const auto program = kernels::findDisassembler(nvrtc.library());
    auto text = program ? kernels::disassemble(*program, cubin, progress)
                        : base::Result<std::string>(program.error());
    if (text) {
        build.sass = std::move(text).value();
    } else {
        build.noSass = text.error().message + (text.error().hint.empty() ? "" : " " + text.error().hint);
    }
}

void addOccupancy(KernelBuildSnapshot& build) {
    const auto limits = kernels::multiprocessorLimits(build.request.architecture);
    if (!limits || !build.facts) {
        return;
    }
    kernels::BlockNeeds needs;
    needs.threads = static_cast<int>(build.request.launch.block);
    needs.registers = static_cast<int>(build.facts->registers);
    needs.staticSharedBytes = build.facts->staticSharedBytes;
    needs.dynamicSharedBytes = static_cast<std::int64_t>(build.request.launch.dynamicSharedBytes);
    needs.barriers = static_cast<int>(build.facts->barriers);
    build.occupancy = kernels::occupancyOf(*limits, needs);
}

} // namespace

base::Result<kernels::Nvrtc> KernelBuilder::nvrtc(const base::Progress& progress) {
    const std::lock_guard lock(m_mutex);
    if (!m_nvrtc) {
        AOTSCOPE_TRY(found, kernels::Nvrtc::find({}, progress));
        m_nvrtc = std::move(found);
    }
    return *m_nvrtc;
}

base::Result<KernelBuildSnapshotPtr> KernelBuilder::build(const KernelBuildRequest& request,
                                                          const base::Progress& progress) {
    AOTSCOPE_TRY(compiler, nvrtc(progress));
    const kernels::CudaRequest asked{request.name, request.source,
                                     kernels::cudaText(request.name, request.source), request.architecture,
                                     kernels::cudaCompileOptions()};
    AOTSCOPE_TRY(built, compiler.compile({asked}, {}, progress));
    kernels::CudaBuild& made = built.front();
    auto build = std::make_shared<KernelBuildSnapshot>();
    build->request = request;
    build->messages = std::move(made.messages);
    build->compiler = "NVRTC " + compiler.version();
    build->seconds = made.seconds;
    if (made.compiled()) {
        build->ptx = std::move(made.ptx);
        if (const auto facts = kernels::readCubin(made.cubin)) {
            build->facts = factsOf(*facts, request.name);
        }
        build->assembler = factsOf(kernels::readAssemblerLog(made.log), request.name);
        addOccupancy(*build);
        addMachineCode(*build, compiler, made.cubin, progress);
    }
    return KernelBuildSnapshotPtr(std::move(build));
}

} // namespace aotscope::session

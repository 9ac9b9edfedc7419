#include "kernels/kernel_report.h"

#include <algorithm>
#include <utility>

namespace aotscope::kernels {

namespace {

ArchitectureReport reportOf(const FusedKernel& kernel, const std::string& architecture, KernelBuild build) {
    ArchitectureReport report{std::move(build), architecture, {}, 0, 0, {}};
    const auto facts = report.compiled() ? readCubin(report.build->cubin)
                                         : base::Result<std::vector<CubinFacts>>(std::vector<CubinFacts>());
    const auto own =
        facts ? std::ranges::find(*facts, report.function, &CubinFacts::kernel) : decltype(facts->begin())();
    if (!facts || own == facts->end()) {
        return report;
    }
    report.facts = *own;
    for (const AssemblerFacts& said : readAssemblerLog(report.build->log)) {
        if (said.kernel == report.function) {
            report.spillStoreBytes = said.spillStoreBytes;
            report.spillLoadBytes = said.spillLoadBytes;
        }
    }
    if (const auto limits = multiprocessorLimits(report.architecture)) {
        report.occupancy = occupancyOf(
            *limits, {.threads = static_cast<int>(kernel.launch.block),
                      .registers = static_cast<int>(own->registers),
                      .staticSharedBytes = own->staticSharedBytes,
                      .dynamicSharedBytes = static_cast<std::int64_t>(kernel.launch.dynamicSharedBytes),
                      .barriers = static_cast<int>(own->barriers)});
    }
    return report;
}

double bytesOf(const TensorLayout& layout) {
    auto bytes = static_cast<double>(ir::dtypeBytes(layout.dtype));
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
        const bool isExpanded = i < layout.strides.size() && layout.strides[i] == 0;
        bytes *= isExpanded ? 1.0 : static_cast<double>(layout.sizes[i]);
    }
    return bytes;
}

} // namespace

bool KernelReport::compiled() const {
    return std::ranges::all_of(architectures, &ArchitectureReport::compiled);
}

KernelWork workOf(const FusedKernel& kernel) {
    KernelWork work;
    bool hasDouble = false;
    for (const KernelParameter& parameter : kernel.parameters) {
        (parameter.written ? work.bytesWritten : work.bytesRead) += bytesOf(parameter.layout);
        hasDouble = hasDouble || parameter.layout.dtype == ir::DType::Float64;
    }
    work.vectorOperations = static_cast<double>(kernel.rows) * static_cast<double>(kernel.columns) *
                            static_cast<double>(kernel.nodes.size());
    work.dtype = hasDouble ? ir::DType::Float64 : ir::DType::Float32;
    return work;
}

base::Result<std::vector<KernelReport>> reportKernels(const Nvrtc& nvrtc,
                                                      const std::vector<const FusedKernel*>& kernels,
                                                      const std::vector<std::string>& architectures,
                                                      const DeviceFigures& device, const KernelCache* cache,
                                                      const base::Progress& progress) {
    AOTSCOPE_TRY(builds, buildKernels(nvrtc, kernels, architectures, cache, progress));
    std::vector<KernelReport> reports;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        KernelReport& report = reports.emplace_back();
        report.work = workOf(*kernels[i]);
        report.time = predictTime(device, report.work);
        for (std::size_t k = 0; k < architectures.size(); ++k) {
            report.architectures.push_back(reportOf(*kernels[i], architectures[k], std::move(builds[i][k])));
        }
    }
    return reports;
}

} // namespace aotscope::kernels

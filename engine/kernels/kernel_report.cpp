#include "kernels/kernel_report.h"

#include "base/log.h"

#include <algorithm>
#include <map>
#include <utility>

namespace aotscope::kernels {

namespace {

/// Requests without repetition, and which of them each kernel's are.
struct Requests {
    std::vector<CudaRequest> distinct;
    /// By kernel, then by architecture.
    std::vector<std::vector<std::size_t>> ofKernel;
};

Requests requestsOf(const std::vector<const FusedKernel*>& kernels,
                    const std::vector<std::string>& architectures) {
    Requests requests;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const FusedKernel* kernel : kernels) {
        std::vector<std::size_t>& own = requests.ofKernel.emplace_back();
        for (const std::string& architecture : architectures) {
            const std::string& text = kernel->bodyKey.empty() ? kernel->source : kernel->bodyKey;
            const auto [at, isNew] = known.try_emplace({text, architecture}, requests.distinct.size());
            if (isNew) {
                requests.distinct.push_back(cudaRequest(*kernel, architecture));
            }
            own.push_back(at->second);
        }
    }
    return requests;
}

/// From the cache where it has them, else compiled and stored.
base::Result<std::vector<std::shared_ptr<const CudaBuild>>> buildAll(const Nvrtc& nvrtc,
                                                                     const std::vector<CudaRequest>& requests,
                                                                     const KernelCache* cache,
                                                                     const base::Progress& progress) {
    std::vector<std::shared_ptr<const CudaBuild>> builds(requests.size());
    std::vector<CudaRequest> missing;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (auto build = cache == nullptr ? std::nullopt : cache->lookup(nvrtc, requests[i])) {
            builds[i] = std::make_shared<const CudaBuild>(*std::move(build));
        } else {
            missing.push_back(requests[i]);
            places.push_back(i);
        }
    }
    auto compiled = nvrtc.compile(missing, {}, progress);
    if (!compiled) {
        return std::move(compiled).error();
    }
    bool isStoring = cache != nullptr;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        builds[places[i]] = std::make_shared<const CudaBuild>(std::move((*compiled)[i]));
        if (!isStoring) {
            continue;
        }
        if (const auto stored = cache->store(nvrtc, missing[i], *builds[places[i]]); !stored) {
            base::logWarning("aotscope.kernels", stored.error().text());
            isStoring = false;
        }
    }
    return builds;
}

ArchitectureReport reportOf(const FusedKernel& kernel, const CudaRequest& request,
                            std::shared_ptr<const CudaBuild> build) {
    ArchitectureReport report;
    report.architecture = request.architecture;
    report.build = std::move(build);
    report.function = request.name;
    const auto facts = report.compiled() ? readCubin(report.build->cubin)
                                         : base::Result<std::vector<CubinFacts>>(std::vector<CubinFacts>());
    const auto own =
        facts ? std::ranges::find(*facts, request.name, &CubinFacts::kernel) : decltype(facts->begin())();
    if (!facts || own == facts->end()) {
        return report;
    }
    report.facts = *own;
    for (const AssemblerFacts& said : readAssemblerLog(report.build->log)) {
        if (said.kernel == request.name) {
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

CudaRequest cudaRequest(const FusedKernel& kernel, const std::string& architecture) {
    return {.name = kernel.name,
            .source = kernel.source,
            .text = cudaText(kernel.name, kernel.source),
            .architecture = architecture,
            .options = cudaCompileOptions()};
}

base::Result<std::vector<KernelReport>> reportKernels(const Nvrtc& nvrtc,
                                                      const std::vector<const FusedKernel*>& kernels,
                                                      const std::vector<std::string>& architectures,
                                                      const DeviceFigures& device, const KernelCache* cache,
                                                      const base::Progress& progress) {
    const Requests requests = requestsOf(kernels, architectures);
    const auto builds = buildAll(nvrtc, requests.distinct, cache, progress);
    if (!builds) {
        return builds.error();
    }
    std::vector<KernelReport> reports;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        KernelReport& report = reports.emplace_back();
        report.work = workOf(*kernels[i]);
        report.time = predictTime(device, report.work);
        for (const std::size_t request : requests.ofKernel[i]) {
            report.architectures.push_back(
                reportOf(*kernels[i], requests.distinct[request], (*builds)[request]));
        }
    }
    return reports;
}

} // namespace aotscope::kernels

#include "kernels/kernel_builds.h"

#include "kernels/scan_text.h"

#include "base/joined.h"
#include "base/log.h"

#include <map>
#include <optional>
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
    AOTSCOPE_TRY(compiled, nvrtc.compile(missing, {}, progress));
    bool isStoring = cache != nullptr;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        builds[places[i]] = std::make_shared<const CudaBuild>(std::move(compiled[i]));
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

struct Capability {
    std::size_t major = 0;
    std::size_t minor = 0;
};

/// Of "8.6".
std::optional<Capability> readCapability(std::string_view text) {
    const auto major = takeNumber(text);
    const bool isPair = takeWord(text, ".");
    const auto minor = isPair ? takeNumber(text) : std::nullopt;
    return major && minor && text.empty() ? std::optional(Capability{*major, *minor}) : std::nullopt;
}

/// Of "sm_86". Variants ("sm_90a") run on their own GPUs alone, and are none here.
std::optional<Capability> ofArchitecture(std::string_view text) {
    const auto number = takeWord(text, "sm_") ? takeNumber(text) : std::nullopt;
    return number && text.empty() ? std::optional(Capability{*number / 10, *number % 10}) : std::nullopt;
}

} // namespace

CudaRequest cudaRequest(const FusedKernel& kernel, const std::string& architecture) {
    return {.name = kernel.name,
            .source = kernel.source,
            .text = cudaText(kernel.name, kernel.source),
            .architecture = architecture,
            .options = cudaCompileOptions()};
}

base::Result<std::vector<std::vector<KernelBuild>>>
buildKernels(const Nvrtc& nvrtc, const std::vector<const FusedKernel*>& kernels,
             const std::vector<std::string>& architectures, const KernelCache* cache,
             const base::Progress& progress) {
    const Requests requests = requestsOf(kernels, architectures);
    AOTSCOPE_TRY(builds, buildAll(nvrtc, requests.distinct, cache, progress));
    std::vector<std::vector<KernelBuild>> all;
    for (const std::vector<std::size_t>& own : requests.ofKernel) {
        std::vector<KernelBuild>& ofKernel = all.emplace_back();
        for (const std::size_t request : own) {
            ofKernel.push_back({builds[request], requests.distinct[request].name});
        }
    }
    return all;
}

base::Result<std::string> architectureFor(std::string_view computeCapability,
                                          const std::vector<std::string>& architectures) {
    const auto device = readCapability(computeCapability);
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < architectures.size(); ++i) {
        const auto architecture = ofArchitecture(architectures[i]);
        const bool runs = device && architecture && architecture->major == device->major &&
                          architecture->minor <= device->minor;
        if (runs && (!best || ofArchitecture(architectures[*best])->minor < architecture->minor)) {
            best = i;
        }
    }
    if (!best) {
        return base::Error{.code = "kernels.no_architecture",
                           .message = "NVRTC compiles for no architecture that runs on a GPU of compute "
                                      "capability " +
                                      std::string(computeCapability) + ".",
                           .notes = {"It compiles for " + base::joined(architectures) + "."},
                           .hint = "Install a release of NVRTC that knows this GPU: pip install "
                                   "--upgrade nvidia-cuda-nvrtc"};
    }
    return architectures[*best];
}

} // namespace aotscope::kernels

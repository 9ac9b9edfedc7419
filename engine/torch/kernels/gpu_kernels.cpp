#include "torch/kernels/gpu_kernels.h"

#include "cuda/device_kernels.h"
#include "dispatch/failure.h"

#include <chrono>
#include <map>

namespace aotscope::torch {

base::Result<GpuKernels> GpuKernels::compile(const kernels::FusionPlan& plan, int device,
                                             const base::Progress& progress) {
    GpuKernels result;
    if (plan.groups.empty()) {
        return result;
    }
    const auto start = std::chrono::steady_clock::now();
    AOTSCOPE_TRY(compiler, DeviceCompiler::make(device, progress));
    result.m_compiler = compiler.description();
    std::vector<const kernels::FusedKernel*> all;
    for (const kernels::FusionGroup& group : plan.groups) {
        all.push_back(&group.kernel);
    }
    AOTSCOPE_TRY(builds, compiler.compile(all, progress));
    std::map<const kernels::CudaBuild*, std::size_t> known;
    for (const kernels::KernelBuild& build : builds) {
        const auto [body, isNew] = known.try_emplace(build.build.get(), result.m_bodies.size());
        result.m_bodyOf.push_back(body->second);
        if (!isNew) {
            continue;
        }
        Body& made = result.m_bodies.emplace_back();
        if (!build.build->compiled()) {
            made.refusal = messagesText(build.build->messages);
            continue;
        }
        AOTSCOPE_TRY(loaded, compiler.load(build));
        made.loaded = std::make_shared<const LoadedKernel>(std::move(loaded));
    }
    result.m_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

const std::string& GpuKernels::refusal(std::size_t group) const {
    return m_bodies[m_bodyOf[group]].refusal;
}

void GpuKernels::launch(const kernels::FusedKernel& kernel, std::size_t group,
                        std::span<void* const> pointers) const {
    auto launched = launchFused(*m_bodies[m_bodyOf[group]].loaded, kernel.launch, pointers);
    if (!launched) {
        base::Error error = std::move(launched).error();
        error.message = "The kernel " + kernel.name + ": " + error.message;
        throw RunFailure(std::move(error));
    }
}

} // namespace aotscope::torch

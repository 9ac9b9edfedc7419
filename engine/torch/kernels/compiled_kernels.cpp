#include "torch/kernels/compiled_kernels.h"

#include "torch/kernels/gpu_kernels.h"
#include "torch/kernels/host_kernels.h"

namespace aotscope::torch {

namespace {

template<typename Kernels>
base::Result<std::unique_ptr<CompiledKernels>> owned(base::Result<Kernels> compiled) {
    if (!compiled) {
        return std::move(compiled).error();
    }
    return std::unique_ptr<CompiledKernels>(std::make_unique<Kernels>(std::move(compiled).value()));
}

} // namespace

base::Result<std::unique_ptr<CompiledKernels>>
compileKernels(const kernels::FusionPlan& plan, const RunPlace& place, const base::Progress& progress) {
    return place.isGpu() ? owned(GpuKernels::compile(plan, place.device.index(), progress))
                         : owned(HostKernels::compile(plan, progress));
}

std::string messagesText(const std::vector<kernels::CompileMessage>& messages) {
    std::string text;
    for (const kernels::CompileMessage& message : messages) {
        text += (text.empty() ? "" : "\n") + message.text;
    }
    return text.empty() ? "The compiler refused the kernel." : text;
}

} // namespace aotscope::torch

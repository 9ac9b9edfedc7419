#include "rerun/repeated_kernel.h"

#include "base/mapped.h"
#include "cuda/device_kernels.h"
#include "dispatch/failure.h"

#include "kernels/cubin_facts.h"
#include "kernels/host_compiler.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace aotscope::torch {

namespace {

void refuseWithoutKernel(const kernels::FusedKernel& kernel, session::RerunBuild& build) {
    kernels::CompileMessage message;
    message.text = "There is no kernel named " + kernel.name + " in the text.";
    build.messages.push_back(std::move(message));
}

RepeatedKernel buildForHost(const kernels::FusedKernel& kernel, RunContext& context) {
    const kernels::HostCompiler compiler = valueOrThrow(kernels::findHostCompiler(context.progress));
    kernels::HostSource source;
    source.prelude = kernels::hostPreludeText();
    source.kernels.push_back(
        {kernel.name, kernel.source, kernels::hostEntryText(kernel.name, kernel.source)});
    kernels::HostCompileOptions options;
    options.flags = kernels::hostCompileOptions();
    options.flags.emplace_back("-O2");
    kernels::HostBuild built =
        valueOrThrow(kernels::compileForHost(compiler, source, options, context.progress));
    RepeatedKernel repeated;
    repeated.build.compiler = compiler.version + ", for this computer's CPU";
    repeated.build.seconds = built.seconds;
    repeated.build.messages = std::move(built.messages);
    const kernels::HostEntry entry =
        built.library ? built.library->function<void(void**, unsigned, unsigned, unsigned)>(
                            kernels::hostEntryName(kernel.name))
                      : nullptr;
    if (entry == nullptr) {
        if (!repeated.build.isRefused()) {
            refuseWithoutKernel(kernel, repeated.build);
        }
        return repeated;
    }
    // Kernels walk over what their grid does not cover; here few blocks do the same work.
    constexpr std::uint32_t mostBlocks = 8;
    repeated.launch = [entry, library = built.library, grid = std::min(kernel.launch.grid, mostBlocks),
                       launch = kernel.launch](std::span<void* const> pointers) {
        std::vector<void*> held(pointers.begin(), pointers.end());
        auto addresses = base::mapped(held, [](void*& pointer) { return static_cast<void*>(&pointer); });
        entry(addresses.data(), grid, launch.block, static_cast<unsigned>(launch.dynamicSharedBytes));
    };
    return repeated;
}

bool hasFunction(const kernels::CudaBuild& build, const std::string& name) {
    const auto facts = kernels::readCubin(build.cubin);
    return facts &&
           std::ranges::any_of(*facts, [&](const kernels::CubinFacts& each) { return each.kernel == name; });
}

RepeatedKernel buildForGpu(const kernels::FusedKernel& kernel, RunContext& context) {
    const DeviceCompiler compiler =
        valueOrThrow(DeviceCompiler::make(context.place.device.index(), context.progress));
    const kernels::KernelBuild built = valueOrThrow(compiler.compile({&kernel}, context.progress)).front();
    RepeatedKernel repeated;
    repeated.build.compiler = compiler.description();
    repeated.build.seconds = built.build->seconds;
    repeated.build.messages = built.build->messages;
    if (!built.build->compiled()) {
        return repeated;
    }
    if (!hasFunction(*built.build, kernel.name)) {
        refuseWithoutKernel(kernel, repeated.build);
        return repeated;
    }
    const auto loaded = std::make_shared<const LoadedKernel>(valueOrThrow(compiler.load(built)));
    repeated.launch = [loaded, launch = kernel.launch](std::span<void* const> pointers) {
        if (auto launched = launchFused(*loaded, launch, pointers); !launched) {
            throw RunFailure(std::move(launched).error());
        }
    };
    return repeated;
}

} // namespace

RepeatedKernel buildRepeated(const kernels::FusedKernel& kernel, RunContext& context) {
    return context.place.isGpu() ? buildForGpu(kernel, context) : buildForHost(kernel, context);
}

} // namespace aotscope::torch

#include "torch/kernels/compiled_kernels.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "cuda/device_kernels.h"
#include "dispatch/failure.h"
#include "run/state/run_context.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

namespace aotscope::torch {

namespace {

using Body = CompiledKernels::Body;

/// What a compiler said, one line for each message.
std::string messagesText(const std::vector<kernels::CompileMessage>& messages) {
    const std::string text = base::joined(messages, "\n", &kernels::CompileMessage::text);
    return text.empty() ? "The compiler refused the kernel." : text;
}

base::Result<void> compileForDevice(const kernels::FusionPlan& plan, int device,
                                    const base::Progress& progress, CompiledKernels& made) {
    AOTSCOPE_TRY(compiler, DeviceCompiler::make(device, progress));
    made.compiler = compiler.description();
    const auto start = std::chrono::steady_clock::now();
    AOTSCOPE_TRY(builds, compiler.compile(
                             base::mapped(plan.groups,
                                          [](const kernels::FusionGroup& group) { return &group.kernel; }),
                             progress));
    std::map<const kernels::CudaBuild*, std::size_t> known;
    for (const kernels::KernelBuild& build : builds) {
        const auto [place, isNew] = known.try_emplace(build.build.get(), made.bodies.size());
        made.bodyOf.push_back(place->second);
        if (!isNew) {
            continue;
        }
        Body& body = made.bodies.emplace_back();
        if (!build.build->compiled()) {
            body.refusal = messagesText(build.build->messages);
            continue;
        }
        AOTSCOPE_TRY(loaded, compiler.load(build));
        body.run = runOnDevice(std::move(loaded));
    }
    made.seconds = 1e-9 * static_cast<double>(nanosecondsSince(start));
    return {};
}

/// Compiles the texts of bodies as one.
void compileBodies(const kernels::HostCompiler& compiler, std::span<const kernels::FusedKernel* const> texts,
                   std::span<Body> bodies, const base::Progress& progress) {
    // A few blocks show that kernels walk over what their grid does not cover.
    constexpr std::uint32_t mostBlocks = 7;
    const auto built =
        compileTexts(compiler, texts, {.flags = {"-O1"}, .limit = std::chrono::seconds(300)}, progress);
    if (built && built->library) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            bodies[i].run = runOnHost(built->library, texts[i]->name, mostBlocks);
            bodies[i].refusal = bodies[i].run ? "" : "The compiled kernel has no entry.";
        }
    } else if (bodies.size() == 1) {
        bodies[0].refusal = built ? messagesText(built->messages) : built.error().message;
    } else {
        // One that is refused must not keep the others from being checked.
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            compileBodies(compiler, texts.subspan(i, 1), bodies.subspan(i, 1), progress);
        }
    }
}

base::Result<void> compileForCpu(const kernels::FusionPlan& plan, base::Progress progress,
                                 CompiledKernels& made) {
    // Kernels that are compiled as one text: enough that the headers are read seldom, few enough that two
    // processors share the work.
    constexpr std::size_t kernelsPerText = 40;
    std::map<std::string_view, std::size_t> known;
    std::vector<const kernels::FusedKernel*> texts;
    for (const kernels::FusionGroup& group : plan.groups) {
        const auto [place, isNew] = known.try_emplace(group.kernel.bodyKey, texts.size());
        made.bodyOf.push_back(place->second);
        if (isNew) {
            texts.push_back(&group.kernel);
        }
    }
    made.bodies.resize(texts.size());
    AOTSCOPE_TRY(compiler, kernels::findHostCompiler(progress));
    made.compiler = compiler.version;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t first = 0; first < texts.size(); first += kernelsPerText) {
        progress.report("Compiling kernels", first, texts.size());
        AOTSCOPE_CHECK(progress.checkStop());
        const std::size_t count = std::min(kernelsPerText, texts.size() - first);
        compileBodies(compiler, std::span(texts).subspan(first, count),
                      std::span(made.bodies).subspan(first, count), progress);
    }
    made.seconds = 1e-9 * static_cast<double>(nanosecondsSince(start));
    return {};
}

} // namespace

KernelRun runOnDevice(LoadedKernel kernel) {
    return
        [kernel = std::move(kernel)](const kernels::KernelLaunch& launch, std::span<void* const> pointers) {
            if (auto launched = launchFused(kernel, launch, pointers); !launched) {
                throw RunFailure(std::move(launched).error());
            }
        };
}

KernelRun runOnHost(std::shared_ptr<const kernels::HostLibrary> library, const std::string& kernel,
                    std::uint32_t mostBlocks) {
    const kernels::HostEntry entry =
        library == nullptr
            ? nullptr
            : library->function<void(void**, unsigned, unsigned, unsigned)>(kernels::hostEntryName(kernel));
    if (entry == nullptr) {
        return {};
    }
    return [entry, library = std::move(library), mostBlocks](const kernels::KernelLaunch& launch,
                                                             std::span<void* const> pointers) {
        std::vector<void*> held(pointers.begin(), pointers.end());
        auto addresses = base::mapped(held, [](void*& pointer) { return static_cast<void*>(&pointer); });
        entry(addresses.data(), std::min(launch.grid, mostBlocks), launch.block,
              static_cast<unsigned>(launch.dynamicSharedBytes));
    };
}

base::Result<kernels::HostBuild> compileTexts(const kernels::HostCompiler& compiler,
                                              std::span<const kernels::FusedKernel* const> texts,
                                              kernels::HostCompileOptions options,
                                              const base::Progress& progress) {
    kernels::HostSource source;
    source.prelude = kernels::hostPreludeText();
    for (const kernels::FusedKernel* text : texts) {
        source.kernels.push_back(
            {text->name, text->source, kernels::hostEntryText(text->name, text->source)});
    }
    const std::vector<std::string> rules = kernels::hostCompileOptions();
    options.flags.insert(options.flags.begin(), rules.begin(), rules.end());
    return kernels::compileForHost(compiler, source, options, progress);
}

void CompiledKernels::launch(const kernels::FusedKernel& kernel, std::size_t group,
                             std::span<void* const> pointers) const {
    try {
        bodies[bodyOf[group]].run(kernel.launch, pointers);
    } catch (RunFailure& failure) {
        failure.error().message = "The kernel " + kernel.name + ": " + failure.error().message;
        throw;
    }
}

base::Result<CompiledKernels> compileKernels(const kernels::FusionPlan& plan, const RunPlace& place,
                                             const base::Progress& progress) {
    CompiledKernels made;
    if (!plan.groups.empty()) {
        AOTSCOPE_CHECK(place.isGpu() ? compileForDevice(plan, place.device.index(), progress, made)
                                     : compileForCpu(plan, progress, made));
    }
    return made;
}

} // namespace aotscope::torch

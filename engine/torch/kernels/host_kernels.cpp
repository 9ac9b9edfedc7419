#include "torch/kernels/host_kernels.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace aotscope::torch {

namespace {

/// Kernels that are compiled as one text: enough that the headers are read seldom, few enough that two
/// processors share the work.
constexpr std::size_t kernelsPerText = 40;

kernels::HostSource textOf(std::span<const kernels::FusedKernel* const> group) {
    kernels::HostSource source;
    source.prelude = kernels::hostPreludeText();
    for (const kernels::FusedKernel* kernel : group) {
        source.kernels.push_back(
            {kernel->name, kernel->source, kernels::hostEntryText(kernel->name, kernel->source)});
    }
    return source;
}

} // namespace

base::Result<HostKernels> HostKernels::compile(const kernels::FusionPlan& plan, base::Progress progress) {
    HostKernels result;
    std::map<std::string_view, std::size_t> known;
    for (const kernels::FusionGroup& group : plan.groups) {
        const auto [body, isNew] = known.try_emplace(group.kernel.bodyKey, result.m_bodies.size());
        if (isNew) {
            result.m_bodies.push_back({&group.kernel, nullptr, {}});
        }
        result.m_bodyOf.push_back(body->second);
    }
    if (result.m_bodies.empty()) {
        return result;
    }
    AOTSCOPE_TRY(compiler, kernels::findHostCompiler(progress));
    result.m_compiler = compiler.version;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t first = 0; first < result.m_bodies.size(); first += kernelsPerText) {
        progress.report("Compiling kernels", first, result.m_bodies.size());
        AOTSCOPE_CHECK(progress.checkStop());
        std::vector<Body*> bodies;
        for (std::size_t i = first; i < std::min(first + kernelsPerText, result.m_bodies.size()); ++i) {
            bodies.push_back(&result.m_bodies[i]);
        }
        result.compileBodies(compiler, bodies, progress);
    }
    result.m_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    // The plan may go before the kernels.
    for (Body& body : result.m_bodies) {
        body.kernel = nullptr;
    }
    return result;
}

void HostKernels::compileBodies(const kernels::HostCompiler& compiler, std::span<Body*> bodies,
                                const base::Progress& progress) {
    const auto group = base::mapped(bodies, [](const Body* body) { return body->kernel; });
    kernels::HostCompileOptions options;
    options.flags = kernels::hostCompileOptions();
    options.flags.emplace_back("-O1");
    options.limit = std::chrono::seconds(300);
    auto built = kernels::compileForHost(compiler, textOf(group), options, progress);
    if (built && built->library) {
        for (Body* body : bodies) {
            body->entry = built->library->function<void(void**, unsigned, unsigned, unsigned)>(
                kernels::hostEntryName(body->kernel->name));
            if (body->entry == nullptr) {
                body->refusal = "The compiled kernel has no entry.";
            }
        }
        m_libraries.push_back(built->library);
        return;
    }
    if (bodies.size() == 1) {
        bodies[0]->refusal = built ? messagesText(built->messages) : built.error().message;
        return;
    }
    // One that is refused must not keep the others from being checked.
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        compileBodies(compiler, bodies.subspan(i, 1), progress);
    }
}

const std::string& HostKernels::refusal(std::size_t group) const {
    return m_bodies[m_bodyOf[group]].refusal;
}

void HostKernels::launch(const kernels::FusedKernel& kernel, std::size_t group,
                         std::span<void* const> pointers) const {
    std::vector<void*> kept(pointers.begin(), pointers.end());
    auto addresses = base::mapped(kept, [](void*& pointer) { return static_cast<void*>(&pointer); });
    // Kernels walk over what their grid does not cover; a few blocks show that they do.
    constexpr std::uint32_t mostBlocks = 7;
    m_bodies[m_bodyOf[group]].entry(addresses.data(), std::min(kernel.launch.grid, mostBlocks),
                                    kernel.launch.block,
                                    static_cast<unsigned>(kernel.launch.dynamicSharedBytes));
}

} // namespace aotscope::torch

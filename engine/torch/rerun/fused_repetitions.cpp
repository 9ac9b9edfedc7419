#include "rerun/fused_repetitions.h"

#include "cuda/device_kernels.h"
#include "dispatch/failure.h"
#include "rerun/repetitions.h"

#include "kernels/cubin_facts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace aotscope::torch {

namespace {

void refuseWithoutKernel(const kernels::FusedKernel& kernel, session::RerunBuild& build) {
    build.messages.emplace_back().text = "There is no kernel named " + kernel.name + " in the text.";
}

RepeatedKernel buildForHost(const kernels::FusedKernel& kernel, RunContext& context) {
    // A few blocks do the same work.
    constexpr std::uint32_t mostBlocks = 8;
    const kernels::HostCompiler compiler = valueOrThrow(kernels::findHostCompiler(context.progress));
    const std::array<const kernels::FusedKernel*, 1> texts{&kernel};
    kernels::HostBuild built =
        valueOrThrow(compileTexts(compiler, texts, {.flags = {"-O2"}}, context.progress));
    RepeatedKernel repeated;
    repeated.build.compiler = compiler.version + ", for this computer's CPU";
    repeated.build.seconds = built.seconds;
    repeated.build.messages = std::move(built.messages);
    repeated.run = runOnHost(std::move(built.library), kernel.name, mostBlocks);
    if (!repeated.run && !repeated.build.isRefused()) {
        refuseWithoutKernel(kernel, repeated.build);
    }
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
    repeated.run = runOnDevice(valueOrThrow(compiler.load(built)));
    return repeated;
}

} // namespace

FusedRepetitions::FusedRepetitions(const ir::Graph& graph, const session::RerunRegion& region,
                                   const RegionValues& values, const session::RerunKernel& kernel,
                                   RunContext& context)
    : m_graph(graph), m_region(region), m_values(values), m_context(context) {
    findGroup(kernel);
    m_built = context.place.isGpu() ? buildForGpu(m_kernel, context) : buildForHost(m_kernel, context);
    if (m_built.run) {
        bind();
    }
}

void FusedRepetitions::findGroup(const session::RerunKernel& kernel) {
    kernels::FusionPlan plan = kernels::planFusion(m_graph, {m_context.symbols, m_values.layouts});
    const auto group = std::ranges::find_if(plan.groups, [this](const kernels::FusionGroup& each) {
        return each.kernel.nodes == m_region.nodes;
    });
    if (group == plan.groups.end()) {
        fail("rerun.no_such_group", "These nodes are not one fused kernel at the sizes of this run.",
             "The command kernels lists the fused kernels of a graph with their nodes.");
    }
    m_kernel = std::move(group->kernel);
    if (!kernel.source.empty()) {
        m_kernel.source = kernel.source;
    }
}

at::Tensor FusedRepetitions::inputOf(kernels::TensorName name) const {
    const auto input = std::ranges::find(m_region.inputs, name.node);
    return input == m_region.inputs.end()
               ? at::Tensor()
               : tensorOf(m_values.inputs[static_cast<std::size_t>(input - m_region.inputs.begin())],
                          name.result);
}

void FusedRepetitions::bind() {
    m_bound =
        bindKernel(m_kernel, m_context.place.device, "rerun.kernel_input", "The kernel",
                   [this](const kernels::KernelParameter& parameter) {
                       at::Tensor tensor = inputOf(parameter.tensor);
                       if (!tensor.defined()) {
                           fail("rerun.kernel_input", "The kernel reads " + parameter.name + ", which is " +
                                                          m_graph.node(parameter.tensor.node).name +
                                                          " and no input of the nodes.");
                       }
                       return tensor;
                   });
}

std::vector<at::Tensor> FusedRepetitions::expected() const {
    std::vector<at::Tensor> tensors;
    for (const KernelResult& result : m_bound.results) {
        const auto output = std::ranges::find(m_region.outputs, result.name.node);
        const auto at = static_cast<std::size_t>(output - m_region.outputs.begin());
        tensors.push_back(output == m_region.outputs.end()
                              ? at::Tensor()
                              : tensorOf(m_values.outputs[at], result.name.result));
    }
    return tensors;
}

std::vector<std::int64_t> FusedRepetitions::measure(const session::RerunSettings& settings) {
    if (!m_built.run) {
        return {};
    }
    return timeRepetitions(
        settings, m_context.place.device, m_context.progress, [] {},
        [this] { m_built.run(m_kernel.launch, m_bound.pointers); });
}

double FusedRepetitions::overhead() {
    return medianOverhead(m_context.place.device, m_context.progress, [] {});
}

} // namespace aotscope::torch

#include "rerun/fused_repetitions.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "rerun/repetition_loop.h"
#include "run/value_access.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// The tensor of a node, or one of its results; undefined: there is none.
at::Tensor resultOf(const IValue& value, std::size_t result) {
    const std::vector<at::Tensor> tensors = tensorsIn(value);
    return result < tensors.size() ? tensors[result] : at::Tensor();
}

/// Filled with a pattern, because an element that a kernel forgets would often be right in zeros.
at::Tensor filledTensor(const kernels::TensorLayout& layout) {
    const auto type = scalarType(layout.dtype);
    if (!type) {
        fail("rerun.kernel_input", "LibTorch does not know a dtype of the kernel's results.");
    }
    at::Tensor made = at::empty_strided(layout.sizes, layout.strides, at::TensorOptions().dtype(*type));
    const int pattern = layout.dtype == ir::DType::Bool ? 1 : 0x5B;
    std::memset(made.storage().mutable_data(), pattern, made.storage().nbytes());
    return made;
}

} // namespace

FusedRepetitions::FusedRepetitions(const ir::Graph& graph, const session::RerunRegion& region,
                                   const RegionValues& values, const session::RerunKernel& kernel,
                                   RunContext& context)
    : m_graph(graph), m_region(region), m_values(values), m_context(context) {
    findGroup(kernel);
    compile();
    if (m_entry != nullptr) {
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

void FusedRepetitions::compile() {
    const auto compiler = kernels::findHostCompiler(m_context.progress);
    if (!compiler) {
        throw RunFailure(compiler.error());
    }
    kernels::HostSource source;
    source.prelude = kernels::hostPreludeText();
    source.kernels.push_back(
        {m_kernel.name, m_kernel.source, kernels::hostEntryText(m_kernel.name, m_kernel.source)});
    kernels::HostCompileOptions options;
    options.flags = kernels::hostCompileOptions();
    options.flags.emplace_back("-O2");
    auto built = kernels::compileForHost(*compiler, source, options, m_context.progress);
    if (!built) {
        if (base::isCanceled(built.error())) {
            throw Canceled{};
        }
        throw RunFailure(built.error());
    }
    m_build.compiler = compiler->version + ", for this computer's CPU";
    m_build.seconds = built->seconds;
    m_build.messages = std::move(built->messages);
    m_library = built->library;
    if (m_library) {
        m_entry = m_library->function<void(void**, unsigned, unsigned, unsigned)>(
            kernels::hostEntryName(m_kernel.name));
    }
    if (m_entry == nullptr && !m_build.isRefused()) {
        kernels::CompileMessage message;
        message.text = "There is no kernel named " + m_kernel.name + " in the text.";
        m_build.messages.push_back(std::move(message));
    }
}

at::Tensor FusedRepetitions::inputOf(kernels::TensorName name) const {
    const auto input = std::ranges::find(m_region.inputs, name.node);
    return input == m_region.inputs.end()
               ? at::Tensor()
               : resultOf(m_values.inputs[static_cast<std::size_t>(input - m_region.inputs.begin())],
                          name.result);
}

void FusedRepetitions::bind() {
    for (const kernels::KernelParameter& parameter : m_kernel.parameters) {
        at::Tensor tensor = parameter.written ? filledTensor(parameter.layout) : inputOf(parameter.tensor);
        if (!tensor.defined()) {
            fail("rerun.kernel_input", "The kernel reads " + parameter.name + ", which is " +
                                           m_graph.node(parameter.tensor.node).name +
                                           " and no input of the nodes.");
        }
        if (parameter.written) {
            m_results.push_back({parameter.tensor, tensor});
            m_pointers.push_back(tensor.data_ptr());
        } else {
            m_pointers.push_back(const_cast<void*>(tensor.const_data_ptr()));
            m_inputs.push_back(std::move(tensor));
        }
    }
    for (void*& pointer : m_pointers) {
        m_addresses.push_back(&pointer);
    }
}

std::vector<at::Tensor> FusedRepetitions::expected() const {
    std::vector<at::Tensor> tensors;
    for (const KernelResult& result : m_results) {
        const auto output = std::ranges::find(m_region.outputs, result.name.node);
        const auto at = static_cast<std::size_t>(output - m_region.outputs.begin());
        tensors.push_back(output == m_region.outputs.end()
                              ? at::Tensor()
                              : resultOf(m_values.outputs[at], result.name.result));
    }
    return tensors;
}

std::vector<std::int64_t> FusedRepetitions::measure(const session::RerunSettings& settings) {
    if (m_entry == nullptr) {
        return {};
    }
    // Kernels walk over what their grid does not cover; here few blocks do the same work.
    constexpr std::uint32_t mostBlocks = 8;
    const unsigned grid = std::min(m_kernel.launch.grid, mostBlocks);
    const unsigned block = m_kernel.launch.block;
    const auto shared = static_cast<unsigned>(m_kernel.launch.dynamicSharedBytes);
    return timeRepetitions(
        settings, m_context.progress, [] {}, [&] { m_entry(m_addresses.data(), grid, block, shared); });
}

} // namespace aotscope::torch

#include "rerun/fused_repetitions.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "rerun/repetition_loop.h"
#include "run/run_place.h"
#include "run/tensor_copy.h"
#include "run/value_access.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
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
at::Tensor filledTensor(const kernels::TensorLayout& layout, c10::Device device) {
    const auto type = scalarType(layout.dtype);
    if (!type) {
        fail("rerun.kernel_input", "LibTorch does not know a dtype of the kernel's results.");
    }
    at::Tensor made =
        at::empty_strided(layout.sizes, layout.strides, at::TensorOptions(*type).device(device));
    (void)storageBytes(made.storage()).fill_(layout.dtype == ir::DType::Bool ? 1 : 0x5B);
    return made;
}

} // namespace

FusedRepetitions::FusedRepetitions(const ir::Graph& graph, const session::RerunRegion& region,
                                   const RegionValues& values, const session::RerunKernel& kernel,
                                   RunContext& context)
    : m_graph(graph), m_region(region), m_values(values), m_context(context) {
    findGroup(kernel);
    m_built = buildRepeated(m_kernel, m_context);
    if (m_built.launch) {
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
               : resultOf(m_values.inputs[static_cast<std::size_t>(input - m_region.inputs.begin())],
                          name.result);
}

void FusedRepetitions::bind() {
    for (const kernels::KernelParameter& parameter : m_kernel.parameters) {
        const c10::Device device = m_context.place.device;
        at::Tensor tensor =
            parameter.written ? filledTensor(parameter.layout, device) : inputOf(parameter.tensor);
        if (!tensor.defined()) {
            fail("rerun.kernel_input", "The kernel reads " + parameter.name + ", which is " +
                                           m_graph.node(parameter.tensor.node).name +
                                           " and no input of the nodes.");
        }
        // A scalar of the CPU may meet tensors of a GPU in ATen's operators.
        tensor = tensor.dim() == 0 ? movedTo(tensor, device) : std::move(tensor);
        if (tensor.device() != device) {
            fail("rerun.kernel_input", "The kernel reads " + parameter.name + ", which lies on " +
                                           tensor.device().str() + " and not on " + device.str() + ".");
        }
        if (tensor.is_neg()) {
            // A kernel reads memory, where the numbers still have their old signs.
            tensor = copyWithStorage(tensor);
        }
        if (parameter.written) {
            m_results.push_back({parameter.tensor, tensor});
            m_pointers.push_back(tensor.data_ptr());
        } else {
            m_pointers.push_back(const_cast<void*>(tensor.const_data_ptr()));
            m_inputs.push_back(std::move(tensor));
        }
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
    if (!m_built.launch) {
        return {};
    }
    return timeRepetitions(
        settings, m_context.place.device, m_context.progress, [] {}, [this] { m_built.launch(m_pointers); });
}

double FusedRepetitions::overhead() {
    session::RerunSettings settings;
    settings.repetitions = 101;
    settings.warmUp = 0;
    const std::vector<std::int64_t> samples = timeRepetitions(
        settings, m_context.place.device, m_context.progress, [] {}, [] {});
    return session::rerunTimes(samples, 1)->median;
}

} // namespace aotscope::torch

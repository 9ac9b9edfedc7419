#pragma once

#include "run/executor.h"
#include "torch/kernels/compiled_kernels.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// The tensor of a node, or one of its results; undefined: there is none.
[[nodiscard]] at::Tensor tensorOf(const c10::IValue& value, std::size_t result);
[[nodiscard]] kernels::TensorLayout layoutOf(const at::Tensor& tensor);
/// Memory of that layout, filled with a pattern that no kernel writes by chance.
[[nodiscard]] at::Tensor emptyOf(const kernels::TensorLayout& layout, c10::Device device);
/// A tensor as a kernel on that device reads it, unless it is a larger one that lies elsewhere.
[[nodiscard]] at::Tensor forKernel(const at::Tensor& tensor, c10::Device device);

/// Runs the kernel of a group on a device, and waits until it is done: `valueOf` gives the tensors that it
/// reads. Returns one tensor per parameter that it writes, in the order of the parameters. Throws RunFailure:
/// kernels.other_layout when a tensor lies otherwise than the kernel was written for, kernels.other_device
/// when it lies elsewhere; and what CompiledKernels::launch throws.
[[nodiscard]] std::vector<at::Tensor>
runKernel(const CompiledKernels& compiled, const kernels::FusionPlan& plan, std::size_t group,
          c10::Device device, const std::function<at::Tensor(kernels::TensorName)>& valueOf);

/// Runs a graph with the kernels of its plan in place of the nodes that they compute. Returns the values of
/// its output node. Throws as Executor::run.
[[nodiscard]] std::vector<c10::IValue>
runFused(Executor& executor, const ir::Graph& graph, const kernels::FusionPlan& plan,
         const CompiledKernels& compiled, std::vector<c10::IValue> inputs, NodeObserver* observer = nullptr);

} // namespace aotscope::torch

#pragma once

#include "run/execution/executor.h"
#include "torch/kernels/compiled_kernels.h"

#include <functional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// The tensor of a node, or one of its results; undefined: there is none.
[[nodiscard]] at::Tensor tensorOf(const c10::IValue& value, std::size_t result);
[[nodiscard]] kernels::TensorLayout layoutOf(const at::Tensor& tensor);

/// A result of a fused kernel.
struct KernelResult {
    kernels::TensorName name;
    at::Tensor tensor;
};

/// A kernel's tensors, ready for its launch.
struct BoundKernel {
    std::vector<at::Tensor> inputs;
    /// In the order of the parameters.
    std::vector<KernelResult> results;
    /// One per parameter.
    std::vector<void*> pointers;
};
/// Gives a kernel on that device what `valueOf` has for the parameters that it reads, and memory for those
/// that it writes. Throws RunFailure: `code` when a tensor lies elsewhere, which `kernelWords` ("The kernel")
/// reads.
[[nodiscard]] BoundKernel
bindKernel(const kernels::FusedKernel& kernel, c10::Device device, const char* code,
           const std::string& kernelWords,
           const std::function<at::Tensor(const kernels::KernelParameter&)>& valueOf);

/// Runs the kernel of a group on a device, and waits until it is done: `valueOf` gives the tensors that it
/// reads. Returns its results in the order of the parameters. Throws RunFailure: kernels.other_layout when a
/// tensor lies otherwise than the kernel was written for, kernels.other_device when it lies elsewhere; and
/// what CompiledKernels::launch throws.
[[nodiscard]] std::vector<KernelResult>
runKernel(const CompiledKernels& compiled, const kernels::FusionPlan& plan, std::size_t group,
          c10::Device device, const std::function<at::Tensor(kernels::TensorName)>& valueOf);

/// Runs a graph with the kernels of its plan in place of the nodes that they compute. Returns the values of
/// its output node. Throws as Executor::run.
[[nodiscard]] std::vector<c10::IValue>
runFused(Executor& executor, const ir::Graph& graph, const kernels::FusionPlan& plan,
         const CompiledKernels& compiled, std::vector<c10::IValue> inputs, NodeObserver* observer = nullptr);

} // namespace aotscope::torch

#include "torch/kernels/fused_run.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/symbols.h"
#include "run/state/frame.h"
#include "run/state/run_place.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <chrono>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Clock = std::chrono::steady_clock;

/// Whether two layouts put every element in the same place: strides of single elements do not matter.
bool liesAs(const kernels::TensorLayout& real, const kernels::TensorLayout& written) {
    if (real.dtype != written.dtype || real.sizes != written.sizes) {
        return false;
    }
    for (std::size_t i = 0; i < real.sizes.size(); ++i) {
        if (real.sizes[i] > 1 && real.strides[i] != written.strides[i]) {
            return false;
        }
    }
    return true;
}

/// Memory of that layout, filled with a pattern that no kernel writes by chance.
at::Tensor emptyOf(const kernels::TensorLayout& layout, c10::Device device) {
    const auto type = scalarType(layout.dtype);
    if (!type) {
        fail("rerun.kernel_input", "LibTorch does not know a dtype of the kernel's results.");
    }
    at::Tensor made =
        at::empty_strided(layout.sizes, layout.strides, at::TensorOptions(*type).device(device));
    // Zeros, which an element that was forgotten would often have by chance, would hide it.
    const int pattern = layout.dtype == ir::DType::Bool ? 1 : 0x5B;
    (void)storageBytes(made.storage()).fill_(pattern);
    return made;
}

/// A tensor as a kernel on that device reads it, unless it is a larger one that lies elsewhere.
at::Tensor forKernel(const at::Tensor& tensor, c10::Device device) {
    // A scalar of the CPU may meet tensors of a GPU in ATen's operators.
    at::Tensor there = tensor.dim() == 0 ? movedTo(tensor, device) : tensor;
    // A kernel reads memory, where the numbers of a lazily negated tensor still have their old signs.
    return there.is_neg() ? copyWithStorage(there) : there;
}

class FusedRunner {
public:
    FusedRunner(Executor& executor, const ir::Graph& graph, const kernels::FusionPlan& plan,
                const CompiledKernels& compiled, NodeObserver* observer)
        : m_executor(executor),
          m_graph(graph),
          m_plan(plan),
          m_compiled(compiled),
          m_observer(observer),
          m_frame(graph, executor.context()),
          m_uses(graph.idBound()) {}

    std::vector<IValue> run(std::vector<IValue> inputs) {
        std::size_t next = 0;
        for (const ir::NodeId id : m_graph.placeholders()) {
            m_frame.values[id.index()] = std::move(inputs.at(next++));
        }
        countUses();
        std::size_t done = 0;
        for (const kernels::FusedStep& step : m_plan.steps) {
            RunContext& context = m_executor.context();
            context.progress.report("Running with fused kernels", done++, m_plan.steps.size());
            if (context.progress.stopRequested()) {
                throw Canceled{};
            }
            if (step.group) {
                runGroup(*step.group);
            } else if (m_graph.node(step.node).op == ir::Opcode::Output) {
                return returnedValues(m_frame);
            } else {
                runNode(step.node);
            }
            for (const ir::NodeId read : readBy(step)) {
                if (--m_uses[read.index()] == 0) {
                    if (m_observer != nullptr) {
                        m_observer->released(read, m_frame.values[read.index()]);
                    }
                    m_frame.values[read.index()] = IValue();
                }
            }
        }
        return {};
    }

private:
    [[nodiscard]] std::vector<ir::NodeId> readBy(const kernels::FusedStep& step) const {
        if (step.group) {
            return m_plan.groups[*step.group].reads(m_graph);
        }
        const auto inputs = m_graph.inputs(step.node);
        return {inputs.begin(), inputs.end()};
    }
    void countUses() {
        for (const kernels::FusedStep& step : m_plan.steps) {
            for (const ir::NodeId read : readBy(step)) {
                ++m_uses[read.index()];
            }
        }
    }

    void noteStart(ir::NodeId id) {
        if (m_observer != nullptr) {
            m_observer->started(id);
            m_observer->computing(id);
        }
    }

    void runNode(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        if (node.op == ir::Opcode::Placeholder) {
            keep(id, m_frame.values[id.index()], Clock::now());
            return;
        }
        const Clock::time_point start = Clock::now();
        noteStart(id);
        IValue result;
        const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
        if (node.target.starts_with("aten.sym_") && symbol != nullptr) {
            // The tensor may be a value that only a kernel has.
            result = symbolValue(symbol->expression, m_executor.context());
        } else {
            result = m_executor.compute(m_frame, id);
            // A GPU has only queued it.
            awaitDevice(m_executor.context().place.device);
        }
        keep(id, std::move(result), start);
    }
    void keep(ir::NodeId id, IValue result, Clock::time_point start) {
        learnSymbols(m_graph.node(id).value, result, m_executor.context());
        (void)compareWithMeta(m_graph.node(id).value, result, m_executor.context());
        if (m_graph.node(id).op == ir::Opcode::Placeholder) {
            noteStart(id);
        }
        if (m_observer != nullptr) {
            m_observer->finished(id, result, nanosecondsSince(start));
        }
        m_frame.values[id.index()] = std::move(result);
    }

    void runGroup(std::size_t index) {
        const kernels::FusionGroup& group = m_plan.groups[index];
        if (!m_compiled.refusal(index).empty()) {
            fail("kernels.refused", m_compiled.refusal(index));
        }
        const Clock::time_point start = Clock::now();
        const auto valueOf = [this](kernels::TensorName name) {
            return tensorOf(m_frame.values[name.node.index()], name.result);
        };
        std::map<ir::NodeId, std::vector<IValue>> results;
        for (const KernelResult& made :
             runKernel(m_compiled, m_plan, index, m_executor.context().place.device, valueOf)) {
            std::vector<IValue>& values = results[made.name.node];
            values.resize(std::max(values.size(), made.name.result + 1));
            values[made.name.result] = made.tensor;
        }
        for (auto& [node, values] : results) {
            noteStart(node);
            keep(node, isTuple(node) ? IValue(c10::ivalue::Tuple::create(values)) : values[0], start);
        }
        for (const kernels::TensorName& remainder : group.remainders) {
            addRemainder(remainder, results[remainder.node]);
        }
    }
    /// What the kernel leaves out, from the node's own operator.
    void addRemainder(kernels::TensorName remainder, std::vector<IValue>& values) {
        makeViews(remainder.node);
        const std::vector<IValue> all = elementsOf(m_executor.compute(m_frame, remainder.node));
        values.resize(std::max(values.size(), all.size()));
        values.at(remainder.result) = all.at(remainder.result);
        m_frame.values[remainder.node.index()] = c10::ivalue::Tuple::create(values);
    }
    /// Views of values of the same group that the node reads: nothing else may have needed them yet.
    void makeViews(ir::NodeId id) {
        for (const ir::NodeId input : m_graph.inputs(id)) {
            if (m_frame.values[input.index()].isNone() &&
                m_graph.node(input).op == ir::Opcode::CallFunction) {
                makeViews(input);
                m_frame.values[input.index()] = m_executor.compute(m_frame, input);
            }
        }
    }
    [[nodiscard]] bool isTuple(ir::NodeId id) const {
        const ir::Node& node = m_graph.node(id);
        if (ir::asTensor(node.value) != nullptr) {
            return false;
        }
        const auto users = m_graph.users(id);
        return std::ranges::any_of(
            users, [this](ir::NodeId user) { return m_graph.node(user).target == "_operator.getitem"; });
    }

    Executor& m_executor;
    const ir::Graph& m_graph;
    const kernels::FusionPlan& m_plan;
    const CompiledKernels& m_compiled;
    NodeObserver* m_observer;
    Frame m_frame;
    std::vector<std::size_t> m_uses;
};

} // namespace

at::Tensor tensorOf(const IValue& value, std::size_t result) {
    if (value.isTensor()) {
        return result == 0 ? value.toTensor() : at::Tensor();
    }
    if (value.isTuple() || value.isList()) {
        const std::vector<IValue> elements = elementsOf(value);
        return result < elements.size() && elements[result].isTensor() ? elements[result].toTensor()
                                                                       : at::Tensor();
    }
    return {};
}

kernels::TensorLayout layoutOf(const at::Tensor& tensor) {
    return {dtypeOf(tensor.scalar_type()), tensor.sizes().vec(), tensor.strides().vec()};
}

BoundKernel bindKernel(const kernels::FusedKernel& kernel, c10::Device device, const char* code,
                       const std::string& kernelWords,
                       const std::function<at::Tensor(const kernels::KernelParameter&)>& valueOf) {
    BoundKernel bound;
    for (const kernels::KernelParameter& parameter : kernel.parameters) {
        if (parameter.written) {
            const at::Tensor made = emptyOf(parameter.layout, device);
            bound.results.push_back({parameter.tensor, made});
            bound.pointers.push_back(made.data_ptr());
            continue;
        }
        const at::Tensor tensor = forKernel(valueOf(parameter), device);
        if (tensor.device() != device) {
            fail(code, kernelWords + " reads " + parameter.name + ", which lies on " + tensor.device().str() +
                           " and not on " + device.str() + ".");
        }
        bound.pointers.push_back(const_cast<void*>(tensor.const_data_ptr()));
        bound.inputs.push_back(tensor);
    }
    return bound;
}

std::vector<KernelResult> runKernel(const CompiledKernels& compiled, const kernels::FusionPlan& plan,
                                    std::size_t group, c10::Device device,
                                    const std::function<at::Tensor(kernels::TensorName)>& valueOf) {
    const kernels::FusedKernel& kernel = plan.groups[group].kernel;
    const std::string words = "The kernel " + kernel.name;
    BoundKernel bound = bindKernel(
        kernel, device, "kernels.other_device", words, [&](const kernels::KernelParameter& parameter) {
            const at::Tensor tensor = valueOf(parameter.tensor);
            if (!tensor.defined() || !liesAs(layoutOf(tensor), parameter.layout)) {
                fail("kernels.other_layout",
                     words + " was written for another layout of " + parameter.name + ".");
            }
            return tensor;
        });
    compiled.launch(kernel, group, bound.pointers);
    // Before what it reads is freed, and for the errors of this kernel to be known as its own.
    awaitDevice(device);
    return std::move(bound.results);
}

std::vector<IValue> runFused(Executor& executor, const ir::Graph& graph, const kernels::FusionPlan& plan,
                             const CompiledKernels& compiled, std::vector<IValue> inputs,
                             NodeObserver* observer) {
    return FusedRunner(executor, graph, plan, compiled, observer).run(std::move(inputs));
}

} // namespace aotscope::torch

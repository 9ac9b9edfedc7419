#include "run/execution/executor.h"

#include "dispatch/failure.h"
#include "dispatch/python_functions.h"
#include "run/execution/higher_order.h"
#include "run/inputs/index_operands.h"
#include "run/inputs/input_needs.h"
#include "run/replacements/cpu_only.h"
#include "run/replacements/offload.h"
#include "run/replacements/stand_in.h"
#include "run/state/float64_copy.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include "base/crash_note.h"
#include "ir/higher_order.h"
#include "ir/operators/operator.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr int maxSubgraphDepth = 64;

[[noreturn]] void failDynamo(const ir::Node& node) {
    fail("run.python_call",
         "The node " + node.name + " calls the Python function " + node.target +
             ", which only Python can run: this is a graph as Dynamo captured it.",
         "Run the joint, forward, backward or inference graph of the same compile instead.");
}

/// Whether the operator is PyTorch's own: a missing one is an error and gets no stand-in.
bool belongsToPyTorch(std::string_view target) {
    constexpr std::string_view spaces[] = {"aten.", "prims.", "prim.", "quantized.", "mkldnn.", "rngprims."};
    return std::ranges::any_of(spaces, [&](std::string_view space) { return target.starts_with(space); });
}

/// Refuses calls that the memory limit does not catch: expanded tensors so large that a kernel would run for
/// hours, and splits into too many tensors.
void checkWork(std::string_view target, const std::vector<IValue>& args) {
    constexpr std::int64_t maxElements = std::int64_t{1} << 36;
    constexpr std::int64_t maxPieces = 1'000'000;
    const bool cuts = target.starts_with("aten.unbind") || target.starts_with("aten.split") ||
                      target.starts_with("aten.unsafe_split") || target.starts_with("aten.chunk") ||
                      target.starts_with("aten.tensor_split");
    for (const IValue& arg : args) {
        forEachTensor(arg, [&](const at::Tensor& tensor) {
            const bool manyPieces = cuts && std::ranges::any_of(tensor.sizes(), [](std::int64_t size) {
                                        return size > maxPieces;
                                    });
            if (tensor.numel() > maxElements || manyPieces) {
                fail("run.too_large", std::string(target) + " would work on a tensor of " +
                                          std::to_string(tensor.numel()) +
                                          " elements, which is too large to run.");
            }
        });
    }
}

/// An operator without tensor arguments and without a device would create its result on the CPU: adds the
/// device.
NamedValues withDevice(const c10::OperatorHandle& op, const std::vector<IValue>& args,
                       const NamedValues& kwargs, const Frame& frame, ir::NodeId node) {
    const bool takesDevice = op.schema().argumentIndexWithName("device").has_value();
    const auto isDevice = [](const auto& named) { return named.first == "device" && !named.second.isNone(); };
    const auto hasTensor = [](const IValue& value) { return value.isTensor() || value.isTensorList(); };
    if (!takesDevice || std::ranges::any_of(kwargs, isDevice) || std::ranges::any_of(args, hasTensor)) {
        return kwargs;
    }
    const ir::TensorMeta* meta = ir::asTensor(frame.graph.node(node).value);
    NamedValues told = kwargs;
    std::erase_if(told, [](const auto& named) { return named.first == "device"; });
    told.emplace_back("device",
                      frame.context.place.of(meta != nullptr ? meta->device : std::optional<ir::Device>()));
    return told;
}

/// Whether an operator computes on a tensor of zeros that has no memory (`_efficientzerotensor`) and leaves
/// it to a kernel to notice.
bool reachesKernelAsZero(const c10::OperatorHandle& op, const std::vector<IValue>& args) {
    bool hasZero = false;
    for (const IValue& arg : args) {
        forEachTensor(arg, [&](const at::Tensor& tensor) { hasZero = hasZero || tensor._is_zerotensor(); });
    }
    return hasZero && op.isKernelFallthroughKernel(c10::DispatchKey::ZeroTensor);
}

} // namespace

void failWithoutKernel(std::string_view target, const RunPlace& place) {
    fail(place.isGpu() ? "run.no_gpu_kernel" : "run.no_cpu_kernel", "The operator " + std::string(target) +
                                                                        " has no kernel for the " +
                                                                        (place.isGpu() ? "GPU." : "CPU."));
}

std::vector<IValue> Executor::run(const ir::Graph& graph, std::vector<IValue> inputs,
                                  NodeObserver* observer) {
    if (m_context.depth == maxSubgraphDepth) {
        fail("run.too_deep",
             "Subgraphs are nested more than " + std::to_string(maxSubgraphDepth) + " levels deep.");
    }
    ++m_context.depth;
    const auto leave = c10::make_scope_exit([this] { --m_context.depth; });
    NodeObserver nobody;
    NodeObserver& watching = observer != nullptr ? *observer : nobody;
    Frame frame(graph, m_context);
    std::size_t nextInput = 0;
    const auto order = graph.order();
    for (std::size_t at = watching.begun(frame, inputs); at < order.size(); ++at) {
        const ir::NodeId id = order[at];
        if (m_context.progress.stopRequested()) {
            throw Canceled{};
        }
        const ir::Node& node = graph.node(id);
        if (node.op == ir::Opcode::Output) {
            watching.ended();
            return returnedValues(frame);
        }
        watching.started(id);
        std::optional<std::vector<IValue>> operands = checkedOperands(frame, node);
        watching.computing(id);
        const auto start = std::chrono::steady_clock::now();
        IValue result;
        if (node.op == ir::Opcode::Placeholder) {
            if (nextInput >= inputs.size()) {
                fail("run.arguments", "The graph has more inputs than the " + std::to_string(inputs.size()) +
                                          " values it is called with; \"" + node.name + "\" has none.");
            }
            result = std::move(inputs[nextInput++]);
        } else {
            // For the one who started this process, should a kernel end it.
            if (base::mayCrash()) {
                base::noteRunning(node.name + " = " + node.target);
            }
            const auto noted = c10::make_scope_exit([] { base::noteRunning({}); });
            result = compute(frame, id, std::move(operands));
            // A GPU has only queued it.
            awaitDevice(m_context.place.device);
        }
        watching.finished(id, result, nanosecondsSince(start));
        frame.values[id.index()] = std::move(result);
        graph.forEachLastUse(id, [&](ir::NodeId last) {
            watching.released(last, frame.values[last.index()]);
            frame.values[last.index()] = IValue();
        });
    }
    return {};
}

IValue Executor::compute(const Frame& frame, ir::NodeId id, std::optional<std::vector<IValue>> checked) {
    const ir::Node& node = frame.graph.node(id);
    switch (node.op) {
    case ir::Opcode::GetAttr:
        return attribute(frame, id);
    case ir::Opcode::CallFunction:
        break;
    default:
        failDynamo(node);
    }
    if (ir::isHigherOrder(node.target)) {
        return callHigherOrder(*this, frame, id);
    }
    const bool areChecked = checked.has_value();
    IValue result = call(node.target, areChecked ? *std::move(checked) : argumentValues(node.args, frame),
                         keywordValues(node.kwargs, frame), frame, id, areChecked);
    if (m_context.zeroesUnwritten && ir::Operator(node.target).is(ir::Trait::Uninitialized) &&
        result.isTensor() && result.toTensor().has_storage()) {
        (void)storageBytes(result.toTensor().storage()).zero_();
    }
    return result;
}

std::optional<std::vector<IValue>> Executor::checkedOperands(const Frame& frame, const ir::Node& node) {
    if (node.op != ir::Opcode::CallFunction || ir::isHigherOrder(node.target) ||
        calleeOf(node.target).isPython) {
        return std::nullopt;
    }
    std::vector<IValue> operands = argumentValues(node.args, frame);
    checkWork(node.target, operands);
    checkIndexes(node.target, operands);
    return operands;
}

IValue Executor::attribute(const Frame& frame, ir::NodeId id) {
    const IValue constant = loggedConstant(frame, id);
    return m_context.inFloat64 ? widened(constant) : constant;
}

IValue Executor::loggedConstant(const Frame& frame, ir::NodeId id) {
    const ir::Node& node = frame.graph.node(id);
    if (frame.graph.trySubgraph(node.target)) {
        return {};
    }
    if (m_context.constants != nullptr) {
        if (const auto known = m_context.constants->find(node.target); known != m_context.constants->end()) {
            return known->second;
        }
    }
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    for (const auto& [name, value] : frame.graph.constants()) {
        if (meta == nullptr && name == node.target) {
            meta = ir::asTensor(value);
        }
    }
    if (meta == nullptr && node.target.starts_with("_tree_spec_constant")) {
        // How a schema is laid out, which Python alone reads.
        return {};
    }
    if (meta == nullptr) {
        fail("run.unknown_constant", "The graph reads the attribute \"" + node.target +
                                         "\", but its shape and dtype are not logged.");
    }
    m_context.note("The data of the constant \"" + node.target +
                   "\" is not logged: it is made from the seed.");
    const auto [needs, added] = m_needs.try_emplace(&frame.graph);
    if (added) {
        needs->second = valueNeeds(frame.graph, m_context);
    }
    return makeTensor(*meta, needs->second[id.index()], tensorSeed(m_context.seed, node.name), m_context);
}

const Executor::Callee& Executor::calleeOf(std::string_view target) {
    const auto known = m_callees.find(target);
    if (known != m_callees.end()) {
        return known->second;
    }
    const bool isPython = isPythonFunction(target);
    return m_callees
        .emplace(target, isPython ? Callee{true, {}, nullptr}
                                  : Callee{false, findOperator(target), findReplacement(target)})
        .first->second;
}

IValue Executor::call(std::string_view target, std::vector<IValue> args, const NamedValues& kwargs,
                      const Frame& frame, ir::NodeId node, bool areChecked) {
    const auto& [isPython, op, replacement] = calleeOf(target);
    if (isPython) {
        return callPythonFunction(target, args, kwargs);
    }
    const bool onGpu = m_context.place.isGpu();
    // Some stand for operators that have a kernel for GPUs alone.
    if (replacement != nullptr && !(onGpu && op && runsOn(*op, c10::kCUDA))) {
        return callReplacement(*replacement, target, std::move(args), kwargs, m_context);
    }
    if (auto result = onGpu && op ? callCpuOnly(*op, target, args, kwargs, m_context) : std::nullopt) {
        return *std::move(result);
    }
    if (op) {
        if (!runsOn(*op, m_context.place.device.type())) {
            failWithoutKernel(target, m_context.place);
        }
        if (!areChecked) {
            checkWork(target, args);
            checkIndexes(target, args);
        }
        if (auto copied = onGpu ? offloaded(target, args, kwargs) : std::nullopt) {
            return *std::move(copied);
        }
        if (onGpu) {
            const NamedValues told = withDevice(*op, args, kwargs, frame, node);
            return callOperator(*op, std::move(args), told);
        }
        if (m_context.zerosHaveNoMemory && reachesKernelAsZero(*op, args)) {
            base::noteRunning(frame.graph.node(node).name + " = " + std::string(target) +
                              " on zeros that have no memory (aten._efficientzerotensor), as the first call "
                              "does in PyTorch");
            const c10::impl::ExcludeDispatchKeyGuard asInFirstCall(c10::DispatchKey::ZeroTensor);
            return callOperator(*op, std::move(args), kwargs);
        }
        return callOperator(*op, std::move(args), kwargs);
    }
    if (target.starts_with("torch.") || target.find('.') == std::string_view::npos) {
        failDynamo(frame.graph.node(node));
    }
    if (const auto same = sameNamedOperator(target)) {
        return callOperator(*same, std::move(args), kwargs);
    }
    if (belongsToPyTorch(target)) {
        fail("run.unknown_operator", "The operator " + std::string(target) + " is not in LibTorch.",
             "It may be of another version of PyTorch, or exist in Python only.");
    }
    return standIn(target, frame, node);
}

} // namespace aotscope::torch

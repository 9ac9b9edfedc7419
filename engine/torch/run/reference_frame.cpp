#include "run/reference_frame.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/generator_seed.h"

#include "ir/bodies.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <array>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Keeps the numbers that the run draws next, whatever is computed meanwhile.
class GeneratorKeeper {
public:
    GeneratorKeeper() : m_state(cpuGeneratorState()) {}
    ~GeneratorKeeper() { setCpuGeneratorState(m_state); }
    GeneratorKeeper(const GeneratorKeeper&) = delete;
    GeneratorKeeper& operator=(const GeneratorKeeper&) = delete;

private:
    at::Tensor m_state;
};

class InFloat64 {
public:
    explicit InFloat64(RunContext& context) : m_context(context) { m_context.inFloat64 = true; }
    ~InFloat64() { m_context.inFloat64 = false; }
    InFloat64(const InFloat64&) = delete;
    InFloat64& operator=(const InFloat64&) = delete;

private:
    RunContext& m_context;
    Float64Default m_default;
};

/// What the bits of a number mean, or which number follows it, depends on its dtype.
bool dependsOnType(std::string_view target) {
    constexpr std::array<std::string_view, 6> names = {"aten.view.dtype", "prims.view_element_type",
                                                       "aten.nextafter",  "prims.nextafter",
                                                       "aten.frexp",      "inductor.bitcast"};
    return std::ranges::any_of(names, [&](std::string_view name) { return target.starts_with(name); });
}

} // namespace

ReferenceFrame::ReferenceFrame(const ir::Graph& graph, Executor& executor)
    : m_graph(graph), m_executor(executor), m_flags(passes::nodeFlags(graph, {})) {}

bool ReferenceFrame::movesOnly(ir::NodeId node) const {
    const std::uint32_t flags = m_flags[node.index()];
    return (flags & (passes::OpView | passes::OpGetitem)) != 0 && (flags & passes::OpMutable) == 0;
}

std::string ReferenceFrame::whyTakenOver(ir::NodeId id) const {
    const ir::Node& node = m_graph.node(id);
    // A nested graph may draw numbers too.
    bool draws =
        (m_flags[id.index()] & passes::OpDraws) != 0 || node.target.find("rng_state") != std::string::npos;
    draws = draws || std::ranges::any_of(ir::bodiesOf(m_graph, id), [](const ir::GraphPtr& body) {
                return std::ranges::any_of(passes::nodeFlags(*body, {}),
                                           [](std::uint32_t each) { return (each & passes::OpDraws) != 0; });
            });
    if (draws) {
        return "draws random numbers";
    }
    return ir::Operator(node.target).is(ir::Trait::Uninitialized) ? "memory that nothing has written"
                                                                  : std::string();
}

IValue ReferenceFrame::computeAsIs(ir::NodeId id, const std::vector<IValue>& inputs) {
    const GeneratorKeeper generator;
    Frame frame(m_graph, m_executor.context());
    for (const ir::NodeId input : m_graph.inputs(id)) {
        frame.values[input.index()] = inputs[input.index()];
    }
    return m_executor.compute(frame, id);
}

ExactValue ReferenceFrame::compute(ir::NodeId id, const std::vector<IValue>& inputs,
                                   const std::vector<IValue>& own, const IValue* computed) {
    std::string why = whyTakenOver(id);
    if (!why.empty() && computed != nullptr) {
        return {Float64Copier()(*computed), std::move(why), true};
    }
    if (!dependsOnType(m_graph.node(id).target)) {
        try {
            const InFloat64 exact(m_executor.context());
            return {widened(computeAsIs(id, inputs)), {}, false};
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            const std::string message = handledError("run.operator_failed").message;
            why = "has no float64 form: " + message.substr(0, message.find('\n'));
        }
    } else {
        why = "depends on the dtype's bits";
    }
    std::vector<IValue> narrow(inputs.size());
    for (const ir::NodeId input : m_graph.inputs(id)) {
        const IValue& like = own[input.index()];
        narrow[input.index()] =
            like.isNone() ? inputs[input.index()] : withTypesOf(inputs[input.index()], like);
    }
    return {Float64Copier()(computeAsIs(id, narrow)), std::move(why), false};
}

} // namespace aotscope::torch

#include "run/reference/reference_frame.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/state/tensor_copy.h"

#include "ir/bodies.h"
#include "ir/operators/operator.h"

#include <c10/util/ScopeExit.h>

#include <algorithm>
#include <array>

namespace aotscope::torch {

namespace {

using c10::IValue;

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
    // The run draws next what it would have drawn.
    const auto restored =
        c10::make_scope_exit([state = cpuGeneratorState()] { setCpuGeneratorState(state); });
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
        IValue exact;
        const auto failed = failureOf(
            "run.operator_failed",
            [&] {
                const Float64Default inFloat64;
                bool& isExact = m_executor.context().inFloat64;
                const auto restored = c10::make_scope_exit([&] { isExact = false; });
                isExact = true;
                exact = widened(computeAsIs(id, inputs));
            },
            handledError);
        if (!failed) {
            return {std::move(exact), {}, false};
        }
        why = "has no float64 form: " + firstLine(failed->message);
    } else {
        why = "depends on the dtype's bits";
    }
    std::vector<IValue> narrow(inputs.size());
    for (const ir::NodeId input : m_graph.inputs(id)) {
        narrow[input.index()] = withTypesOf(inputs[input.index()], own[input.index()]);
    }
    return {Float64Copier()(computeAsIs(id, narrow)), std::move(why), false};
}

} // namespace aotscope::torch

#include "torch/kernels/kernel_check.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/state/value_access.h"
#include "torch/kernels/exact_values.h"
#include "torch/kernels/fused_run.h"
#include "torch/kernels/fused_run_check.h"
#include "torch/kernels/kernel_distance.h"
#include "torch/kernels/plan_from_run.h"

#include "aot/tensor_elements.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <map>
#include <set>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Runs each kernel as soon as the last of its nodes has run, before anything can write to its inputs.
class CheckObserver final : public GraphObserver {
public:
    CheckObserver(const ir::Graph& graph, RunContext& context, const kernels::FusionPlan& plan,
                  const CompiledKernels& compiled, session::KernelCheck& check)
        : GraphObserver(graph, context), m_plan(plan), m_compiled(compiled), m_check(check) {
        for (std::size_t i = 0; i < plan.groups.size(); ++i) {
            m_groupAfter[plan.groups[i].nodes.back()] = i;
            for (const ir::NodeId needed : valuesOf(plan.groups[i])) {
                ++m_uses[needed];
            }
        }
    }

    /// The largest KernelDistance::lost.
    [[nodiscard]] double lost() const { return m_lost; }

private:
    /// What its kernel reads and writes, and what its nodes read.
    [[nodiscard]] std::set<ir::NodeId> valuesOf(const kernels::FusionGroup& group) const {
        std::set<ir::NodeId> values(group.nodes.begin(), group.nodes.end());
        for (const ir::NodeId node : group.nodes) {
            const auto inputs = m_graph.inputs(node);
            values.insert(inputs.begin(), inputs.end());
        }
        for (const kernels::KernelParameter& parameter : group.kernel.parameters) {
            values.insert(parameter.tensor.node);
        }
        return values;
    }

    void seen(ir::NodeId id, const IValue& result) override {
        if (m_uses.contains(id)) {
            m_values[id] = result;
        }
        const auto group = m_groupAfter.find(id);
        if (group == m_groupAfter.end()) {
            return;
        }
        m_context.progress.report("Checking kernels", m_done++, m_plan.groups.size(), m_graph.node(id).name);
        compare(group->second, m_check.kernels[group->second]);
        for (const ir::NodeId needed : valuesOf(m_plan.groups[group->second])) {
            if (--m_uses[needed] == 0) {
                m_values.erase(needed);
            }
        }
    }

    void compare(std::size_t index, session::KernelVerdict& verdict) {
        if (!m_compiled.refusal(index).empty()) {
            verdict.failure = m_compiled.refusal(index);
            return;
        }
        const kernels::FusionGroup& group = m_plan.groups[index];
        std::vector<KernelResult> made;
        try {
            made = runKernel(m_compiled, m_plan, index, m_context.place.device,
                             [this](kernels::TensorName name) { return valueOf(name); });
        } catch (const RunFailure&) {
            verdict.failure = survivedError("run.operator_failed").message;
            return;
        }
        const GroupAccuracy accuracy = accuracyOf(group);
        verdict.agrees = true;
        verdict.identical = true;
        std::vector<ApartResult> apart;
        for (const KernelResult& result : made) {
            const KernelDistance distance = distanceOf(result.tensor, valueOf(result.name), accuracy);
            m_lost = std::max(m_lost, distance.lost);
            verdict.identical = verdict.identical && distance.identical;
            if (!distance.agrees()) {
                apart.push_back({result, distance});
            } else if (distance.error * verdict.allowed >= verdict.error * distance.allowed) {
                verdict.error = distance.error;
                verdict.allowed = distance.allowed;
            }
        }
        if (!apart.empty()) {
            judgeExactly(group, apart, verdict);
        }
    }

    /// A result that is further from ATen's than its dtype lets expect.
    struct ApartResult {
        KernelResult made;
        KernelDistance distance;
    };

    /// ATen's operators lose digits too, where large numbers cancel.
    void judgeExactly(const kernels::FusionGroup& group, const std::vector<ApartResult>& apart,
                      session::KernelVerdict& verdict) {
        const auto make = [&] {
            return exactGroup(m_graph, m_context, group, [this](ir::NodeId id) {
                const auto known = m_values.find(id);
                return known == m_values.end() ? IValue() : known->second;
            });
        };
        const auto isNear = [&](const ApartResult& result, const ExactValues& values) {
            const auto at = static_cast<std::size_t>(std::ranges::find(group.nodes, result.made.name.node) -
                                                     group.nodes.begin());
            std::vector<at::Tensor> correct = {valueOf(result.made.name)};
            for (const std::vector<IValue>& other : values.correct) {
                correct.push_back(tensorOf(other.at(at), result.made.name.result));
            }
            return isAsNear(result.made.tensor, tensorOf(values.exact.at(at), result.made.name.result),
                            correct);
        };
        const bool areNear =
            areNearExact(apart, make, isNear, [&](const ApartResult& result, const std::string& why) {
                differs(result, why, verdict);
            });
        if (areNear) {
            verdict.explained =
                asFarText(m_graph.node(apart.front().made.name.node).name, apart.front().distance.worst);
        }
    }
    void differs(const ApartResult& result, const std::string& why, session::KernelVerdict& verdict) const {
        verdict.agrees = false;
        verdict.difference = m_graph.node(result.made.name.node).name + ": " + result.distance.worst + why;
        verdict.error = result.distance.error;
        verdict.allowed = result.distance.allowed;
    }

    [[nodiscard]] at::Tensor valueOf(kernels::TensorName name) {
        return tensorOf(m_values[name.node], name.result);
    }

    [[nodiscard]] GroupAccuracy accuracyOf(const kernels::FusionGroup& group) {
        GroupAccuracy accuracy;
        accuracy.roundings = group.nodes.size();
        accuracy.terms = group.kernel.columns;
        for (const ir::NodeId id : group.nodes) {
            forEachTensor(m_values[id], [&](const at::Tensor& tensor) { addValue(tensor, accuracy); });
            if (ir::Operator(m_graph.node(id).target).is(ir::Trait::CancelsInside)) {
                addCancelled(id, accuracy);
            }
        }
        for (const kernels::KernelParameter& parameter : group.kernel.parameters) {
            const at::Tensor tensor = valueOf(parameter.tensor);
            if (!parameter.written && tensor.defined()) {
                addValue(tensor, accuracy);
            }
        }
        return accuracy;
    }
    void addCancelled(ir::NodeId id, GroupAccuracy& accuracy) {
        for (const ir::NodeId input : m_graph.inputs(id)) {
            forEachTensor(m_values[input], [&](const at::Tensor& tensor) {
                accuracy.cancelled = std::max(accuracy.cancelled, largestMagnitude(tensor));
            });
        }
    }
    static void addValue(const at::Tensor& tensor, GroupAccuracy& accuracy) {
        if (tensor.is_floating_point()) {
            accuracy.roundoff = std::max(accuracy.roundoff, aot::unitRoundoff(layoutOf(tensor).dtype));
        }
        if (tensor.is_floating_point() && tensor.layout() == at::kStrided) {
            const double magnitude = largestMagnitude(tensor);
            accuracy.magnitude = std::max(accuracy.magnitude, magnitude);
            accuracy.overflows = accuracy.overflows || mayOverflow(magnitude, tensor.scalar_type());
        }
    }

    const kernels::FusionPlan& m_plan;
    const CompiledKernels& m_compiled;
    session::KernelCheck& m_check;
    std::map<ir::NodeId, std::size_t> m_groupAfter;
    std::map<ir::NodeId, std::size_t> m_uses;
    double m_lost = 0;
    std::map<ir::NodeId, IValue> m_values;
    std::size_t m_done = 0;
};

/// The kernels of a plan and what becomes of each node, before anything is checked.
session::KernelCheck described(const ir::Graph& graph, const kernels::FusionPlan& plan) {
    session::KernelCheck check;
    check.counts = plan.counts;
    for (const kernels::FusionGroup& group : plan.groups) {
        session::KernelVerdict verdict;
        verdict.name = group.kernel.name;
        verdict.source = group.kernel.source;
        verdict.kind = group.kernel.kind;
        verdict.launch = group.kernel.launch;
        verdict.rows = group.kernel.rows;
        verdict.columns = group.kernel.columns;
        verdict.nodes =
            base::mapped(group.kernel.nodes, [&](const ir::NodeId node) { return graph.node(node).name; });
        check.kernels.push_back(std::move(verdict));
    }
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.op != ir::Opcode::CallFunction) {
            continue;
        }
        const kernels::NodeFate& fate = plan.fates[id.index()];
        check.nodes.push_back({node.name, node.target, fate.kind,
                               fate.group ? plan.groups[*fate.group].kernel.name : std::string(),
                               fate.reason});
    }
    return check;
}

base::Result<session::KernelCheck> checked(const ir::Graph& graph, const session::RunOptions& options,
                                           const base::Progress& progress, const kernels::FusionPlan& plan) {
    RunContext context = contextOf(graph, options, progress);
    session::KernelCheck check = described(graph, plan);
    AOTSCOPE_TRY(compiled, compileKernels(plan, context.place, progress));
    check.compiler = compiled.compiler;
    check.compileSeconds = compiled.seconds;
    CheckObserver observer(graph, context, plan, compiled, check);
    std::vector<IValue> inputs = graphInputs(graph, options, context);
    const std::vector<IValue> held = inputs;
    seedGenerator(options.seed, context.place.device);
    PlainRun plain;
    plain.values = Executor(context).run(graph, std::move(inputs), &observer);
    plain.values.insert(plain.values.end(), held.begin(), held.end());
    plain.symbols = context.symbols;
    plain.lost = observer.lost();
    check.notes = context.notes;
    check.wholeRun = checkFusedRun(graph, options, progress, plan, compiled, plain);
    return check;
}

} // namespace

base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph, const session::RunOptions& options,
                                                const base::Progress& progress, const ChangePlan& change) {
    const PlainExecution plain{};
    try {
        const CurrentPlace current(placeFor(options.device, graph));
        kernels::FusionPlan plan = planFromRun(graph, options, progress);
        if (change) {
            change(plan);
        }
        return checked(graph, options, progress, plan);
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        session::KernelCheck check;
        check.error = handledError("run.operator_failed");
        return check;
    }
}

} // namespace aotscope::torch

#include "torch/kernels/exact_values.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/execution/executor.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/reference/reference_frame.h"
#include "run/state/float64_copy.h"
#include "run/state/frame.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"
#include "torch/kernels/plan_from_run.h"

#include "aot/tensor_elements.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"
#include "passes/op_facts.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Enough that a value of a single element, which may have come out exactly by chance, has one that did not.
constexpr std::uint64_t roundingSeeds = 4;

double roundoffOf(const at::Tensor& tensor) {
    return aot::unitRoundoff(dtypeOf(tensor.scalar_type()));
}

bool isInexact(const at::Tensor& tensor) {
    return tensor.is_floating_point() || tensor.is_complex();
}

bool sameSizes(const IValue& left, const IValue& right) {
    return std::ranges::equal(
        tensorsIn(left), tensorsIn(right),
        [](const at::Tensor& one, const at::Tensor& other) { return one.sizes() == other.sizes(); });
}

/// Smaller types are added up in float32.
double addedUpIn(const std::vector<at::Tensor>& results) {
    double roundoff = std::ldexp(1.0, -24);
    for (const at::Tensor& result : results) {
        roundoff = std::min(roundoff, roundoffOf(result));
    }
    return roundoff;
}

/// Float64 numbers that the dtype can hold.
at::Tensor inType(const at::Tensor& tensor, c10::ScalarType type) {
    // Only float can be converted to float8.
    const at::Tensor plain = c10::elementSize(type) == 1 ? tensor.to(c10::kFloat) : tensor;
    return plain.to(type).to(tensor.scalar_type());
}

/// Nodes of a graph in exact arithmetic, that is float64, beside a run of them. Random numbers, unwritten
/// memory and what stand-ins make are taken over from the run.
///
/// With `roundings`, a seed, they are what another correct implementation may get: each result that its dtype
/// cannot hold is rounded to one of the numbers beside it, up or down by chance, and operators that add up
/// get operands that are as much off as the adding may be.
class ExactNodes {
public:
    ExactNodes(const ir::Graph& graph, RunContext& context, std::optional<std::uint64_t> roundings)
        : m_graph(graph),
          m_context(context),
          m_executor(context),
          m_reference(graph, m_executor),
          m_frame(graph, context),
          m_rounds(roundings.has_value()),
          m_generator(at::make_generator<at::CPUGeneratorImpl>(roundings.value_or(0))) {}

    /// Gives a node the run's value. Values that share memory share it here too.
    void take(ir::NodeId node, const IValue& made) { value(node) = m_copier(made); }

    /// Computes a node, whose inputs must have values, beside the run's value. Throws as Executor::compute,
    /// and run.no_float64 when it can only be computed in the run's dtypes.
    void compute(ir::NodeId id, const IValue& made) {
        if (m_graph.node(id).op == ir::Opcode::GetAttr || !m_context.nodeStandIns.empty()) {
            value(id) = Float64Copier()(made);
            return;
        }
        const bool moves = movesOnly(id);
        const std::vector<IValue> inputs = operandsOf(id, made, moves);
        const ExactValue exact = m_reference.compute(id, inputs, std::vector<IValue>(inputs.size()), &made);
        if (!exact.instead.empty() && !exact.isTakenOver && readsFloats(id)) {
            fail("run.no_float64", m_graph.node(id).target + " " + exact.instead);
        }
        if (moves || exact.isTakenOver) {
            value(id) = exact.value;
            return;
        }
        // Later views need the strides of the run's value. Sizes that data decide may be others.
        value(id) = sameSizes(exact.value, made) ? laidOutLike(exact.value, made) : Float64Copier()(made);
        if (m_rounds) {
            roundLike(made, id);
        }
    }
    /// Whether a node only moves or selects values of its inputs.
    [[nodiscard]] bool movesOnly(ir::NodeId node) const { return m_reference.movesOnly(node); }

    [[nodiscard]] IValue& value(ir::NodeId node) { return m_frame.values[node.index()]; }
    [[nodiscard]] const Frame& frame() const { return m_frame; }

private:
    [[nodiscard]] bool readsFloats(ir::NodeId id) const {
        return std::ranges::any_of(m_graph.inputs(id), [this](ir::NodeId input) {
            return std::ranges::any_of(tensorsIn(m_frame.values[input.index()]), isInexact);
        });
    }

    /// What an operator adds up inside, it rounds inside: as if its operands were a little off.
    [[nodiscard]] std::vector<IValue> operandsOf(ir::NodeId id, const IValue& made, bool moves) {
        const ir::Node& node = m_graph.node(id);
        const std::vector<at::Tensor> results = tensorsIn(made);
        const bool isMutable = (passes::opFlags(node.target) & passes::OpMutable) != 0;
        // Where results are positions, equal operands must stay equal.
        const bool addsUp =
            !moves && !isMutable && !ir::Operator(node.target).is(ir::Trait::Pointwise) && !results.empty() &&
            !ir::operatorNamed(ir::splitTarget(node.target).name).is(ir::Trait::MovesValues) &&
            std::ranges::all_of(results, isInexact);
        if (!m_rounds || !addsUp) {
            return m_frame.values;
        }
        std::vector<IValue> changed(m_frame.values.size());
        for (const ir::NodeId input : m_graph.inputs(id)) {
            changed[input.index()] = mapTensors(value(input), [&](const at::Tensor& tensor) {
                return isInexact(tensor) ? moved(tensor, addedUpIn(results)) : tensor;
            });
        }
        return changed;
    }

    /// Each number a fraction larger or smaller, by chance.
    [[nodiscard]] at::Tensor moved(const at::Tensor& tensor, double fraction) {
        const at::Tensor signs =
            at::randint(0, 2, tensor.sizes(), m_generator, at::TensorOptions(c10::kDouble)).mul(2).sub(1);
        return tensor.mul(signs.mul(fraction).add(1).to(tensor.device()));
    }

    void roundLike(const IValue& made, ir::NodeId id) {
        const std::vector<at::Tensor> exacts = tensorsIn(value(id));
        const std::vector<at::Tensor> results = tensorsIn(made);
        for (std::size_t i = 0; i < exacts.size(); ++i) {
            const c10::ScalarType type = results[i].scalar_type();
            // An element that lies at several places cannot be written to.
            const auto strides = exacts[i].strides();
            if (isInexact(results[i]) && exacts[i].layout() == c10::kStrided && roundoffOf(results[i]) > 0 &&
                std::ranges::find(strides, 0) == strides.end()) {
                const at::Tensor nearest = inType(exacts[i], type);
                const at::Tensor beside = inType(moved(exacts[i], roundoffOf(results[i])), type);
                exacts[i].copy_(at::where(nearest.eq(exacts[i]), exacts[i], beside));
            }
        }
    }

    const ir::Graph& m_graph;
    RunContext& m_context;
    Executor m_executor;
    ReferenceFrame m_reference;
    Frame m_frame;
    Float64Copier m_copier;
    bool m_rounds;
    at::Generator m_generator;
};

ExactValues withRoundings(const std::function<std::vector<IValue>(std::optional<std::uint64_t>)>& valuesOf) {
    ExactValues values{valuesOf(std::nullopt), {}};
    for (std::uint64_t seed = 1; seed <= roundingSeeds; ++seed) {
        values.correct.push_back(valuesOf(seed));
    }
    return values;
}

/// Computes each node again as soon as the run has.
class ExactObserver final : public GraphObserver {
public:
    ExactObserver(const ir::Graph& graph, RunContext& context, std::optional<std::uint64_t> roundings)
        : GraphObserver(graph, context), m_nodes(graph, context, roundings) {}

    [[nodiscard]] std::vector<IValue> values() const {
        std::vector<IValue> all = returnedValues(m_nodes.frame());
        all.insert(all.end(), m_inputs.begin(), m_inputs.end());
        return all;
    }

    void started(ir::NodeId /*node*/) override { m_context.nodeStandIns.clear(); }
    void released(ir::NodeId node, const IValue& /*value*/) override { m_nodes.value(node) = IValue(); }

private:
    void seen(ir::NodeId id, const IValue& made) override {
        if (m_graph.node(id).op != ir::Opcode::Placeholder) {
            m_nodes.compute(id, made);
            return;
        }
        m_nodes.take(id, made);
        m_inputs.push_back(m_nodes.value(id));
    }

    ExactNodes m_nodes;
    std::vector<IValue> m_inputs;
};

/// The nodes of a group from what it reads.
class ExactGroup {
public:
    ExactGroup(const ir::Graph& graph, RunContext& context, const kernels::FusionGroup& group,
               const std::function<IValue(ir::NodeId)>& valueOf, std::optional<std::uint64_t> roundings)
        : m_graph(graph), m_group(group), m_valueOf(valueOf), m_nodes(graph, context, roundings) {
        context.nodeStandIns.clear();
    }

    std::vector<IValue> values() {
        std::vector<IValue> values;
        for (const ir::NodeId id : m_group.nodes) {
            find(id);
            values.push_back(m_nodes.value(id));
        }
        return values;
    }

private:
    void find(ir::NodeId id) {
        if (!m_nodes.value(id).isNone()) {
            return;
        }
        if (!comesFromGroup(id)) {
            m_nodes.take(id, m_valueOf(id));
            return;
        }
        for (const ir::NodeId input : m_graph.inputs(id)) {
            find(input);
        }
        m_nodes.compute(id, m_valueOf(id));
    }
    /// Computed by the group, or a view of what is.
    [[nodiscard]] bool comesFromGroup(ir::NodeId id) const {
        const auto inputs = m_graph.inputs(id);
        return std::ranges::find(m_group.nodes, id) != m_group.nodes.end() ||
               (m_nodes.movesOnly(id) && !inputs.empty() && comesFromGroup(inputs.front()));
    }

    const ir::Graph& m_graph;
    const kernels::FusionGroup& m_group;
    const std::function<IValue(ir::NodeId)>& m_valueOf;
    ExactNodes m_nodes;
};

} // namespace

std::string asFarText(const std::string& value, const std::string& worst) {
    return value + " is as far from float64 as the graph's own operators: " + worst;
}

ExactValues exactRun(const ir::Graph& graph, const session::RunOptions& options,
                     const base::Progress& progress) {
    return withRoundings([&](std::optional<std::uint64_t> roundings) {
        RunContext context = contextOf(graph, options, progress);
        std::vector<IValue> inputs = graphInputs(graph, options, context);
        ExactObserver observer(graph, context, roundings);
        seedGenerator(options.seed, context.place.device);
        (void)Executor(context).run(graph, std::move(inputs), &observer);
        return observer.values();
    });
}

ExactValues exactGroup(const ir::Graph& graph, RunContext& context, const kernels::FusionGroup& group,
                       const std::function<IValue(ir::NodeId)>& valueOf) {
    return withRoundings([&](std::optional<std::uint64_t> roundings) {
        return ExactGroup(graph, context, group, valueOf, roundings).values();
    });
}

} // namespace aotscope::torch

#include "torch/kernels/exact_values.h"

#include "run/generator_seed.h"
#include "run/graph_inputs.h"
#include "torch/kernels/exact_nodes.h"
#include "torch/kernels/plan_from_run.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Enough that a value of a single element, which may have come out exactly by chance, has one that did not.
constexpr std::uint64_t roundingSeeds = 4;

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

std::string cannotTellText(const base::Error& error) {
    return " (float64 cannot tell whether that is right: " + error.message + ")";
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

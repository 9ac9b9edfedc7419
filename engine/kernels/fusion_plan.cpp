#include "kernels/fusion_plan.h"

#include "kernels/fusion_groups.h"
#include "kernels/graph_facts.h"
#include "kernels/lowering.h"

#include "ir/operator_name.h"

#include <algorithm>
#include <set>

namespace aotscope::kernels {

namespace {

std::string kernelName(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes, std::size_t number) {
    constexpr std::size_t mostNames = 4;
    std::string name = "fused";
    std::set<std::string> seen;
    for (const ir::NodeId id : nodes) {
        std::string operation(ir::splitTarget(graph.node(id).target).name);
        std::ranges::replace_if(
            operation, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; },
            '_');
        if (seen.size() < mostNames && seen.insert(operation).second) {
            name += (operation.starts_with('_') ? "" : "_") + operation;
        }
    }
    return name + "_" + std::to_string(number);
}

class Planner {
public:
    Planner(const ir::Graph& graph, const FusionOptions& options)
        : m_facts(graph, options), m_traits(nodeTraits(m_facts)), m_groups(m_facts, m_traits) {}

    FusionPlan plan() {
        m_plan.fates.resize(m_facts.graph().idBound());
        fateWithoutGroup();
        m_groups.form();
        for (const FusionGroups::Group& group : m_groups.groups()) {
            if (!group.nodes.empty()) {
                addGroup(group);
            }
        }
        std::ranges::sort(m_plan.groups, {}, [this](const FusionGroup& group) {
            return m_facts.graph().position(group.nodes.front());
        });
        for (std::size_t i = 0; i < m_plan.groups.size(); ++i) {
            for (const ir::NodeId node : m_plan.groups[i].kernel.nodes) {
                m_plan.fates[node.index()].group = i;
            }
        }
        m_plan.steps = fusedSteps(m_facts, m_traits, m_plan);
        return std::move(m_plan);
    }

private:
    void fateWithoutGroup() {
        for (const ir::NodeId id : m_facts.graph().order()) {
            const NodeTraits& traits = m_traits[id.index()];
            NodeFate& fate = m_plan.fates[id.index()];
            fate.reason = traits.reason;
            if (traits.role == NodeRole::View) {
                fate.kind = NodeFateKind::View;
            } else if (traits.role == NodeRole::Eligible) {
                ++m_plan.counts.eligible;
            } else if (traits.role == NodeRole::NotEligible) {
                fate.kind = NodeFateKind::NotEligible;
                ++m_plan.counts.notEligible;
            }
        }
    }

    void addGroup(const FusionGroups::Group& group) {
        FusionGroups::Outputs outputs = m_groups.outputsOf(group.nodes);
        auto lowered = lowerGroup({m_facts, group.nodes, outputs.computed});
        if (!lowered) {
            for (const ir::NodeId node : group.nodes) {
                m_plan.fates[node.index()].kind = NodeFateKind::NotGenerated;
                m_plan.fates[node.index()].reason = lowered.error().message;
            }
            return;
        }
        const bool alone = group.nodes.size() == 1;
        for (const ir::NodeId node : group.nodes) {
            m_plan.fates[node.index()].kind = alone ? NodeFateKind::GeneratedAlone : NodeFateKind::Fused;
        }
        if (alone) {
            m_plan.fates[group.nodes.front().index()].reason =
                group.refusal.empty() ? "no eligible neighbour" : group.refusal;
        }
        (alone ? m_plan.counts.generatedAlone : m_plan.counts.fused) += group.nodes.size();
        ++m_plan.counts.kernels;
        for (const ir::NodeId view : lowered->foldedViews) {
            NodeFate& fate = m_plan.fates[view.index()];
            m_plan.counts.foldedViews += fate.kind == NodeFateKind::View ? 1 : 0;
            fate.kind = NodeFateKind::FoldedView;
        }
        FusionGroup result;
        result.nodes = group.nodes;
        result.remainders = std::move(outputs.remainders);
        std::vector<ir::NodeId> shown = group.nodes;
        shown.insert(shown.end(), lowered->foldedViews.begin(), lowered->foldedViews.end());
        std::ranges::sort(shown, {}, [this](ir::NodeId id) { return m_facts.graph().position(id); });
        const std::size_t number = m_facts.graph().position(group.nodes.front());
        result.kernel = writeKernel(m_facts.graph(), kernelName(m_facts.graph(), group.nodes, number),
                                    std::move(shown), *std::move(lowered));
        m_plan.groups.push_back(std::move(result));
    }

    GraphFacts m_facts;
    std::vector<NodeTraits> m_traits;
    FusionGroups m_groups;
    FusionPlan m_plan;
};

} // namespace

std::vector<ir::NodeId> FusionGroup::reads(const ir::Graph& graph) const {
    std::vector<ir::NodeId> read;
    for (const KernelParameter& parameter : kernel.parameters) {
        if (!parameter.written) {
            read.push_back(parameter.tensor.node);
        }
    }
    for (const TensorName& remainder : remainders) {
        const auto inputs = graph.inputs(remainder.node);
        read.insert(read.end(), inputs.begin(), inputs.end());
    }
    return read;
}

FusionCounts& FusionCounts::operator+=(const FusionCounts& other) {
    base::visitMembers(
        *this, [](const char* /*name*/, std::size_t& own, std::size_t more) { own += more; }, other);
    return *this;
}

double FusionCounts::share() const {
    return eligible == 0 ? 1.0 : static_cast<double>(fused + generatedAlone) / static_cast<double>(eligible);
}

FusionPlan planFusion(const ir::Graph& graph, const FusionOptions& options) {
    return Planner(graph, options).plan();
}

KernelOfNode kernelsOfNodes(const ir::Graph& graph, const FusionPlan& plan) {
    KernelOfNode kernels;
    std::optional<std::size_t> last;
    std::vector<ir::NodeId> between;
    for (const ir::NodeId id : graph.order()) {
        const NodeFate& fate = plan.fates[id.index()];
        if (fate.kind == NodeFateKind::NoKernel || fate.kind == NodeFateKind::View ||
            fate.kind == NodeFateKind::FoldedView) {
            // They launch nothing. Views are among a kernel's nodes too, but stand where the graph has them.
            between.push_back(id);
            continue;
        }
        if (fate.group) {
            const std::string& name = plan.groups[*fate.group].kernel.name;
            kernels.emplace(graph.node(id).name, name);
            for (const ir::NodeId view : last == fate.group ? between : std::vector<ir::NodeId>()) {
                kernels.emplace(graph.node(view).name, name);
            }
        }
        between.clear();
        last = fate.group;
    }
    return kernels;
}

} // namespace aotscope::kernels

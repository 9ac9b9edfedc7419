#include "run/execution/backward_again.h"

#include "dispatch/failure.h"
#include "run/execution/generator_seed.h"
#include "run/state/value_access.h"

#include "ir/argument.h"
#include "passes/op_facts.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Keeps what nodes give, until it is too much.
class ValueKeeper final : public NodeObserver {
public:
    ValueKeeper(std::vector<IValue>& values, std::int64_t mostBytes)
        : m_values(values), m_mostBytes(mostBytes) {}

    void finished(ir::NodeId node, IValue& result, std::int64_t /*nanoseconds*/) override {
        forEachTensor(result, [&](const at::Tensor& tensor) {
            const c10::StorageImpl* storage = storageIn(tensor);
            if (storage != nullptr && m_storages.insert(storage).second) {
                m_bytes += static_cast<std::int64_t>(storage->nbytes());
            }
        });
        if (m_bytes <= m_mostBytes) {
            m_values[node.index()] = result;
        } else {
            m_values.clear();
            m_values.resize(node.index() + 1);
            m_isFull = true;
        }
    }

    [[nodiscard]] bool isFull() const { return m_isFull; }

private:
    std::vector<IValue>& m_values;
    std::int64_t m_mostBytes = 0;
    std::int64_t m_bytes = 0;
    std::unordered_set<const void*> m_storages;
    bool m_isFull = false;
};

bool drawsRandom(const ir::Graph& graph) {
    const passes::NodeFlags flags = passes::nodeFlags(graph, {});
    return std::ranges::any_of(graph.order(),
                               [&](ir::NodeId id) { return (flags[id.index()] & passes::OpRandom) != 0; });
}

/// A backward that writes to its inputs would find them changed the second time.
void refuseWrites(const ir::Graph& graph) {
    for (const ir::NodeId id : graph.order()) {
        const std::string& target = graph.node(id).target;
        if (target == "aten.copy_.default" || target == "aten.set_.source_Tensor") {
            fail("run.hooks", "The backward writes to its inputs (" + graph.node(id).name +
                                  "), so it cannot be run again with other values.");
        }
    }
}

} // namespace

BackwardAgain::BackwardAgain(const ir::Graph& graph, RunContext& context, std::vector<IValue> inputs,
                             std::int64_t mostBytes)
    : m_graph(graph), m_context(context), m_inputs(std::move(inputs)) {
    refuseWrites(graph);
    m_values.resize(graph.idBound());
    ValueKeeper keeper(m_values, mostBytes);
    m_gradients = Executor(context).run(graph, m_inputs, &keeper);
    if (keeper.isFull() || drawsRandom(graph)) {
        m_values.clear();
    }
}

std::vector<BackwardAgain::Gradient>
BackwardAgain::gradientsWith(const std::map<ir::NodeId, IValue>& changed) {
    std::vector<bool> reached(m_graph.idBound(), false);
    for (const auto& [input, value] : changed) {
        reached[input.index()] = true;
    }
    for (const ir::NodeId id : m_graph.order()) {
        const auto inputs = m_graph.inputs(id);
        reached[id.index()] = reached[id.index()] || std::ranges::any_of(inputs, [&](ir::NodeId input) {
                                  return reached[input.index()];
                              });
    }
    std::vector<IValue> values = m_values.empty() ? runAgain(changed) : computeAgain(changed, reached);
    std::vector<Gradient> gradients;
    const ir::Arguments items = ir::treeLeaves(m_graph.node(*m_graph.output()).args[0]);
    for (std::size_t i = 0; i < items.size() && i < m_gradients.size(); ++i) {
        const auto* node = items[i].as<ir::NodeId>();
        Gradient gradient{m_gradients[i], {}, node != nullptr && reached[node->index()]};
        if (gradient.isReached) {
            gradient.with = std::move(values[i]);
        }
        gradients.push_back(std::move(gradient));
    }
    return gradients;
}

std::vector<IValue> BackwardAgain::computeAgain(const std::map<ir::NodeId, IValue>& changed,
                                                const std::vector<bool>& reached) {
    Executor executor(m_context);
    Frame frame(m_graph, m_context);
    frame.values = m_values;
    for (const auto& [input, value] : changed) {
        frame.values[input.index()] = value;
    }
    for (const ir::NodeId id : m_graph.order()) {
        if (m_context.progress.stopRequested()) {
            throw Canceled{};
        }
        const ir::Node& node = m_graph.node(id);
        if (node.op == ir::Opcode::Output) {
            return argumentValues(ir::treeLeaves(node.args[0]), frame);
        }
        if (reached[id.index()] && node.op != ir::Opcode::Placeholder) {
            frame.values[id.index()] = executor.compute(frame, id);
        }
    }
    return {};
}

std::vector<IValue> BackwardAgain::runAgain(const std::map<ir::NodeId, IValue>& changed) {
    std::vector<IValue> inputs = m_inputs;
    const std::vector<ir::NodeId> placeholders = m_graph.placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        if (const auto other = changed.find(placeholders[i]); other != changed.end()) {
            inputs[i] = other->second;
        }
    }
    seedGenerator(m_context.seed, m_context.place.device);
    return Executor(m_context).run(m_graph, std::move(inputs));
}

} // namespace aotscope::torch

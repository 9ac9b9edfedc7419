#include "rerun/region_values.h"

#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/execution/generator_seed.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/symbols.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"
#include "stepping/written_arguments.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Ends the run after the region's last node.
struct RegionComplete : std::exception {};

bool writesToArgument(const ir::Node& node) {
    const auto op = node.op == ir::Opcode::CallFunction ? findOperator(node.target) : std::nullopt;
    return op && op->schema().is_mutable();
}

/// Whether a node calls nested graphs in which something is written to.
bool callsWriting(const ir::Graph& graph, ir::NodeId id, int depth = 0) {
    const auto writes = [&](const ir::GraphPtr& nested) {
        return depth < 64 && std::ranges::any_of(nested->order(), [&](ir::NodeId inner) {
                   return writesToArgument(nested->node(inner)) || callsWriting(*nested, inner, depth + 1);
               });
    };
    return ir::isHigherOrder(graph.node(id).target) && std::ranges::any_of(ir::bodiesOf(graph, id), writes);
}

class RegionObserver final : public NodeObserver {
public:
    RegionObserver(const ir::Graph& graph, const session::RerunRegion& region, RunContext& context)
        : m_graph(graph),
          m_region(region),
          m_context(context),
          m_writes(graph),
          m_place(graph.idBound()),
          m_captured(region.inputs.size()),
          m_results(region.nodes.size()) {
        for (std::size_t i = 0; i < region.nodes.size(); ++i) {
            m_place[region.nodes[i].index()] = i;
        }
        m_values.inputs.resize(region.inputs.size());
        m_values.isLaidOutAgain.resize(region.nodes.size());
    }

    std::size_t begun(Frame& frame, std::vector<IValue>&) override {
        m_frame = &frame;
        return 0;
    }

    void started(ir::NodeId id) override {
        m_current = id;
        m_context.nodeStandIns.clear();
        m_context.progress.report("Computing the inputs", m_done++, m_graph.size(), m_graph.node(id).name);
        const bool isInside = m_place[id.index()].has_value();
        if (isInside) {
            checkGenerator();
            takeInputs(id);
        }
        if (m_graph.node(id).op != ir::Opcode::CallFunction) {
            return;
        }
        if (isInside && m_writes.changesStorage(id)) {
            fail("rerun.changes_storage",
                 "The node " + m_graph.node(id).name +
                     " gives a tensor other memory, which cannot be undone "
                     "between two repetitions.",
                 "Choose other nodes.");
        }
        for (const at::Tensor& tensor : m_writes.of(id, *m_frame)) {
            keepFromWrite(tensor, isInside);
        }
        if (callsWriting(m_graph, id)) {
            // Which of them is not known here.
            for (const ir::NodeId input : m_graph.inputs(id)) {
                forEachTensor(m_frame->values[input.index()],
                              [&](const at::Tensor& tensor) { keepFromWrite(tensor, isInside); });
            }
        }
    }

    void finished(ir::NodeId id, IValue& result, std::int64_t) override {
        const ir::Node& node = m_graph.node(id);
        learnSymbols(node.value, result, m_context);
        const std::vector<at::Tensor> made = tensorsIn(result);
        (void)compareWithMeta(node.value, result, m_context);
        noteLayouts(id, result, m_values.layouts);
        const auto place = m_place[id.index()];
        if (!place) {
            return;
        }
        if (!m_context.nodeStandIns.empty()) {
            fail("rerun.stand_in", "The operator " + m_context.nodeStandIns.front() +
                                       " is not registered here, so that the node " + node.name +
                                       " cannot be run again.");
        }
        const std::vector<at::Tensor> laidOut = tensorsIn(result);
        m_values.isLaidOutAgain[*place] = !std::ranges::equal(
            made, laidOut, [](const at::Tensor& a, const at::Tensor& b) { return a.is_same(b); });
        m_results[*place] = result;
        noteGenerator();
        if (id == m_region.nodes.back()) {
            throw RegionComplete{};
        }
    }

    [[nodiscard]] const ir::NodeId& current() const { return m_current; }

    [[nodiscard]] RegionValues take() {
        for (const ir::NodeId output : m_region.outputs) {
            m_values.outputs.push_back(m_results[*m_place[output.index()]]);
        }
        if (!m_isRandom) {
            m_values.generator = at::Tensor();
        }
        return std::move(m_values);
    }

private:
    void takeInputs(ir::NodeId id) {
        for (const ir::NodeId input : m_graph.inputs(id)) {
            const auto known = std::ranges::find(m_region.inputs, input);
            const auto at = static_cast<std::size_t>(known - m_region.inputs.begin());
            if (known == m_region.inputs.end() || m_captured[at]) {
                continue;
            }
            m_captured[at] = true;
            // Writes inside the region must be visible to its later inputs.
            m_values.inputs[at] = mapTensors(m_frame->values[input.index()],
                                             [this](const at::Tensor& tensor) { return inCopy(tensor); });
        }
    }

    [[nodiscard]] at::Tensor inCopy(const at::Tensor& tensor) const {
        const auto copy = m_copies.find(storageIn(tensor));
        return copy == m_copies.end() ? tensor : inStorage(copy->second, tensor.options(), tensor);
    }

    /// Copies the memory of an input before it is written to for the first time.
    void keepFromWrite(const at::Tensor& written, bool byRegion) {
        if (!written.has_storage()) {
            return;
        }
        const c10::StorageImpl* storage = storageIn(written);
        const bool isInput = std::ranges::any_of(m_values.inputs, [&](const IValue& input) {
            const std::vector<at::Tensor> tensors = tensorsIn(input);
            return std::ranges::any_of(
                tensors, [&](const at::Tensor& tensor) { return storageIn(tensor) == storage; });
        });
        if (isInput && !m_copies.contains(storage)) {
            m_originals.push_back(written.storage());
            m_copies[storage] = copyWithStorage(written).storage();
            for (IValue& input : m_values.inputs) {
                input = mapTensors(input, [this](const at::Tensor& tensor) { return inCopy(tensor); });
            }
        }
        if (const auto copy = m_copies.find(storage); byRegion && copy != m_copies.end()) {
            m_values.written.insert(copy->second.unsafeGetStorageImpl());
        }
    }

    void checkGenerator() {
        at::Tensor state = generatorState();
        if (!m_values.generator.defined()) {
            m_values.generator = state;
        } else if (!state.equal(m_stateAfter)) {
            m_othersDrew = true;
        }
        m_stateBefore = std::move(state);
    }
    void noteGenerator() {
        m_stateAfter = generatorState();
        if (!m_stateAfter.equal(m_stateBefore)) {
            m_isRandom = true;
            m_values.othersDraw = m_values.othersDraw || m_othersDrew;
        }
    }

    const ir::Graph& m_graph;
    const session::RerunRegion& m_region;
    RunContext& m_context;
    WrittenArguments m_writes;
    /// By node index, the position in the region.
    std::vector<std::optional<std::size_t>> m_place;
    std::vector<bool> m_captured;
    /// By position in the region.
    std::vector<IValue> m_results;
    RegionValues m_values;
    /// Copies of storages by the original one, which is held so that its address stays its own.
    std::map<const c10::StorageImpl*, c10::Storage> m_copies;
    std::vector<c10::Storage> m_originals;
    Frame* m_frame = nullptr;
    ir::NodeId m_current;
    std::uint64_t m_done = 0;
    at::Tensor m_stateBefore;
    at::Tensor m_stateAfter;
    bool m_isRandom = false;
    bool m_othersDrew = false;
};

} // namespace

RegionValues runUpTo(const ir::Graph& graph, const session::RerunRegion& region, std::vector<IValue> inputs,
                     RunContext& context) {
    RegionObserver observer(graph, region, context);
    namingNode(graph, observer.current(), [&] {
        try {
            (void)Executor(context).run(graph, std::move(inputs), &observer);
        } catch (const RegionComplete&) {
            // No later node is needed.
        }
    });
    return observer.take();
}

} // namespace aotscope::torch

#include "rerun/repetitions.h"

#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/execution/generator_seed.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/symbols.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include <algorithm>
#include <map>

namespace aotscope::torch {

using c10::IValue;

Repetitions::Repetitions(const ir::Graph& graph, const session::RerunRegion& region,
                         const RegionValues& values, RunContext& context)
    : m_graph(graph),
      m_region(region),
      m_values(values),
      m_context(context),
      m_executor(context),
      m_frame(graph, context),
      m_lastUses(region.nodes.size()) {
    std::vector<bool> changes(graph.idBound());
    for (std::size_t i = 0; i < region.nodes.size(); ++i) {
        const ir::NodeId id = region.nodes[i];
        changes[id.index()] = true;
        for (const ir::NodeId input : graph.inputs(id)) {
            const auto users = graph.users(input);
            const bool isResult = std::ranges::find(region.outputs, input) != region.outputs.end();
            if (changes[input.index()] && !isResult && users.back() == id) {
                m_lastUses[i].push_back(input);
            }
        }
    }
    takeInputs();
    runFirst();
    for (const ir::NodeId id : region.nodes) {
        m_calls.emplace_back(m_executor, m_frame, id, changes);
    }
    measureOverhead();
}

/// Inputs that are written to get memory to work in; tensors that share memory go on sharing it.
void Repetitions::takeInputs() {
    std::map<const c10::StorageImpl*, c10::Storage> working;
    for (std::size_t i = 0; i < m_region.inputs.size(); ++i) {
        IValue& value = m_frame.values[m_region.inputs[i].index()];
        value = mapTensors(m_values.inputs[i], [&](const at::Tensor& tensor) {
            const c10::StorageImpl* storage = storageIn(tensor);
            if (!m_values.written.contains(storage)) {
                return tensor;
            }
            if (!working.contains(storage)) {
                const at::Tensor copy = copyWithStorage(tensor);
                working[storage] = copy.storage();
                m_restored.push_back({wholeStorage(copy), wholeStorage(tensor)});
            }
            return inStorage(working[storage], tensor.options(), tensor);
        });
    }
}

/// All values stay in the frame, for the calls to be prepared on.
void Repetitions::runFirst() {
    if (m_values.generator.defined()) {
        setGeneratorState(m_values.generator);
    }
    namingNode(m_graph, m_current, [this] {
        for (std::size_t i = 0; i < m_region.nodes.size(); ++i) {
            m_current = m_region.nodes[i];
            IValue& value = m_frame.values[m_current.index()];
            value = m_executor.compute(m_frame, m_current);
            learnSymbols(m_graph.node(m_current).value, value, m_context);
            if (m_values.isLaidOutAgain[i]) {
                layOutAgain(m_current);
            }
        }
    });
}

void Repetitions::layOutAgain(ir::NodeId node) {
    (void)compareWithMeta(m_graph.node(node).value, m_frame.values[node.index()], m_context);
}

std::vector<IValue> Repetitions::outputs() const {
    std::vector<IValue> values;
    for (const ir::NodeId output : m_region.outputs) {
        values.push_back(m_frame.values[output.index()]);
    }
    return values;
}

bool Repetitions::isRestored(std::size_t input) const {
    const std::vector<at::Tensor> tensors = tensorsIn(m_values.inputs[input]);
    return std::ranges::any_of(
        tensors, [&](const at::Tensor& tensor) { return m_values.written.contains(storageIn(tensor)); });
}

bool Repetitions::hasGeneralCalls() const {
    return std::ranges::any_of(m_calls, [](const PreparedCall& call) { return call.isGeneral(); });
}

void Repetitions::restore() {
    for (const Restored& restored : m_restored) {
        restored.working.copy_(restored.original);
    }
    if (m_values.generator.defined()) {
        setGeneratorState(m_values.generator);
    }
}

void Repetitions::callAll() {
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
        m_current = m_calls[i].node();
        m_frame.values[m_current.index()] = m_calls[i](m_frame);
        if (m_values.isLaidOutAgain[i]) {
            layOutAgain(m_current);
        }
        for (const ir::NodeId used : m_lastUses[i]) {
            m_frame.values[used.index()] = IValue();
        }
    }
}

std::vector<std::int64_t> Repetitions::measure(const session::RerunSettings& settings) {
    const auto before = [this] {
        // The last repetition's results are freed outside of the time that is measured.
        for (const ir::NodeId node : m_region.nodes) {
            m_frame.values[node.index()] = IValue();
        }
        restore();
    };
    m_current = ir::NodeId();
    std::vector<std::int64_t> samples;
    namingNode(m_graph, m_current, [&] {
        samples = timeRepetitions(settings, m_context.place.device, m_context.progress, before,
                                  [this] { callAll(); });
    });
    return samples;
}

/// While the frame has the values that each call reads.
void Repetitions::measureOverhead() {
    m_overhead = medianOverhead(m_context.place.device, m_context.progress, [this] {
        for (const PreparedCall& call : m_calls) {
            const c10::Stack arguments = call.arguments(m_frame);
        }
    });
}

} // namespace aotscope::torch

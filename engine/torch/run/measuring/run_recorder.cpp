#include "run/measuring/run_recorder.h"

#include "dispatch/failure.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/symbols.h"
#include "run/inputs/tensor_data.h"
#include "run/measuring/statistics.h"
#include "run/state/value_access.h"

#include <algorithm>
#include <string>
#include <utility>

namespace aotscope::torch {

using c10::IValue;

RunRecorder::RunRecorder(const ir::Graph& graph, const session::RunOptions& options, RunContext& context,
                         session::RunSnapshot& snapshot, const std::vector<IValue>& inputs)
    : m_graph(graph),
      m_options(options),
      m_context(context),
      m_snapshot(snapshot),
      m_standIns(graph),
      m_meter(context.place.device) {
    for (const IValue& input : inputs) {
        holdAsInput(input);
    }
    m_snapshot.nodes.reserve(graph.size());
    m_allocatedBeforeRun = m_meter.allocated();
}

/// Keeps the value's storages until the end of the run, as the caller of a graph keeps its inputs.
void RunRecorder::holdAsInput(const IValue& value) {
    forEachTensor(value, [this](const at::Tensor& tensor) {
        if (tensor.has_storage()) {
            m_inputStorages.push_back(tensor.storage());
            m_isInput[tensor.storage().unsafeGetStorageImpl()] = true;
        }
    });
}

void RunRecorder::started(ir::NodeId node) {
    m_current = node;
    m_context.nodeStandIns.clear();
    m_context.progress.report("Running", m_done++, m_graph.size(), m_graph.node(node).name);
}

void RunRecorder::computing(ir::NodeId node) {
    m_allocatedBefore = m_meter.allocated();
    if (m_marksNodes) {
        m_range.emplace(m_graph.node(node));
    }
    m_meter.restartPeak();
}

void RunRecorder::measure(session::NodeRun& run, const IValue& result) {
    const std::int64_t allocated = m_meter.allocated();
    run.scratchBytes = m_meter.peak() - std::max(allocated, m_allocatedBefore);
    if (m_graph.node(run.node).op == ir::Opcode::GetAttr) {
        holdAsInput(result);
        m_constantBytes += allocated - m_allocatedBefore;
    }
    run.aliveBytes = allocated - m_allocatedBeforeRun - m_constantBytes;
    m_snapshot.peakBytes = std::max(m_snapshot.peakBytes, run.aliveBytes);
}

void RunRecorder::finished(ir::NodeId id, IValue& result, std::int64_t nanoseconds) {
    m_range.reset();
    const ir::Node& node = m_graph.node(id);
    session::NodeRun run;
    run.node = id;
    run.nanoseconds = nanoseconds;
    measure(run, result);
    learnSymbols(node.value, result, m_context);
    run.mismatch = compareWithMeta(node.value, result, m_context);
    noteStandIns(run, result);
    run.scalar = numberText(result);
    forEachTensor(result, [&](const at::Tensor& tensor) {
        if (run.outputs.size() < 10'000) {
            run.outputs.push_back(summarize(tensor, m_options.statistics));
        }
    });
    count(result, 1);
    const session::RunOrigin origin = run.origin;
    m_snapshot.nodes.push_back(std::move(run));
    if (std::ranges::find(m_options.keepValues, node.name) != m_options.keepValues.end()) {
        keep(id, result, origin);
    }
}

void RunRecorder::keep(ir::NodeId id, const IValue& result, session::RunOrigin origin) {
    constexpr std::size_t bins = 64;
    const std::int64_t most = availableMemory() / 2;
    session::NodeValue value{id, {}, origin};
    forEachTensor(result, [&](const at::Tensor& tensor) {
        session::NodeTensor kept{{}, summarize(tensor, true, bins)};
        m_keptBytes += kept.summary.bytes;
        if (m_keptBytes > most) {
            fail("run.too_large", "The values to keep need more memory than is free.");
        }
        kept.data = tensorData(tensor);
        value.tensors.push_back(std::move(kept));
    });
    if (value.tensors.empty()) {
        aot::TensorData number = valueData(result);
        if (!number.dtype.empty()) {
            const at::Tensor scalar = tensorFromData(number);
            value.tensors.push_back({std::move(number), summarize(scalar, true, bins)});
        }
    }
    m_snapshot.values.push_back(std::make_shared<const session::NodeValue>(std::move(value)));
    if (m_options.onlyKeptValues && m_snapshot.values.size() == m_options.keepValues.size()) {
        throw KeptValuesComplete{};
    }
}

void RunRecorder::noteStandIns(session::NodeRun& run, const IValue& result) {
    const std::vector<std::string> standIns = std::exchange(m_context.nodeStandIns, {});
    run.origin = m_standIns.finished(run.node, result, !standIns.empty());
    for (const std::string& target : standIns) {
        run.note += (run.note.empty() ? "synthetic, in place of " : ", ") + target;
        auto& all = m_snapshot.standIns;
        const auto known = std::ranges::find(all, target, &session::StandInOperator::target);
        if (known == all.end()) {
            all.push_back({target, 1});
        } else {
            ++known->nodes;
        }
    }
}

void RunRecorder::count(const IValue& value, int change) {
    forEachTensor(value, [this, change](const at::Tensor& tensor) {
        const c10::StorageImpl* storage = storageIn(tensor);
        if (storage == nullptr || m_isInput.contains(storage)) {
            return;
        }
        std::int64_t& holders = m_holders[storage];
        holders += change;
        if (holders <= 0) {
            m_holders.erase(storage);
            m_standIns.freed(storage);
        }
    });
}

} // namespace aotscope::torch

#include "stepping/graph_passage.h"

#include "base/mapped.h"
#include "run/state/value_access.h"

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// A graph's first nodes are cheaper to recompute than to keep.
constexpr std::size_t nodesBeforeFirst = 16;

void addStatistics(const session::TensorSummary& summary, steps::EventFacts& facts) {
    facts.nanCount += summary.nanCount;
    facts.infCount += summary.infCount;
    if (summary.minimum && summary.maximum) {
        facts.largest = std::max({facts.largest, std::abs(*summary.minimum), std::abs(*summary.maximum)});
    }
}

/// Whether a result has other sizes than the graph says.
bool hasOtherSizes(const ir::ValueMeta& meta, const IValue& value, const RunContext& context) {
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&meta)) {
        const std::vector<IValue> items = elementsOf(value);
        const std::size_t count = std::min(items.size(), (*tuple)->elements.size());
        for (std::size_t i = 0; i < count; ++i) {
            if (hasOtherSizes((*tuple)->elements[i], items[i], context)) {
                return true;
            }
        }
        return false;
    }
    const auto* logged = std::get_if<ir::TensorMeta>(&meta);
    const at::Tensor* tensor = tensorIn(value);
    return logged != nullptr && tensor != nullptr &&
           !std::ranges::equal(tensor->sizes(), logged->shape,
                               [&](std::int64_t size, const ir::SymInt& expected) {
                                   return size == sizeValue(expected, context);
                               });
}

} // namespace

void AliveBytes::add(const IValue& value) {
    forEachTensor(value, [this](const at::Tensor& tensor) {
        const c10::StorageImpl* storage = storageIn(tensor);
        if (storage == nullptr || m_callers.owns(storage)) {
            return;
        }
        Held& held = m_held[storage];
        if (held.holders++ == 0) {
            held.bytes = static_cast<std::int64_t>(storage->nbytes());
            m_bytes += held.bytes;
        }
    });
}

void AliveBytes::remove(const IValue& value) {
    forEachTensor(value, [this](const at::Tensor& tensor) {
        const auto held = m_held.find(storageIn(tensor));
        if (held != m_held.end() && --held->second.holders == 0) {
            m_bytes -= held->second.bytes;
            m_held.erase(held);
        }
    });
}

GraphPassage::Start GraphPassage::begin(Frame& frame, std::vector<IValue>& inputs, std::size_t next,
                                        std::optional<std::size_t> target) {
    ++m_run;
    m_frame = &frame;
    m_inputs = CalledWith(inputs);
    m_writtenInputs.clear();
    m_alive.clear();
    m_position = 0;
    m_firstEvent = next;
    m_storageChanged = false;
    auto& writes = m_writes[&frame.graph];
    if (!writes) {
        writes = std::make_unique<WrittenArguments>(frame.graph);
    }
    m_written = writes.get();
    if (!target) {
        return {0, next};
    }
    const auto [checkpoint, event] = m_checkpoints.lastOf(m_run, *target);
    if (checkpoint == nullptr) {
        return {0, next};
    }
    checkpoint->restore(frame, inputs);
    for (const WrittenInput& written : checkpoint->written()) {
        const c10::Storage& storage = inputs.at(written.input).toTensor().storage();
        m_writtenInputs.emplace(written.input, storage);
        m_summaries.forget(storage.unsafeGetStorageImpl());
    }
    inputs.clear();
    for (const IValue& value : frame.values) {
        m_alive.add(value);
    }
    m_position = checkpoint->position();
    return {m_position, event};
}

FrameCheckpoint GraphPassage::capture() const {
    return {*m_frame, m_position, m_inputs, base::mapped(m_writtenInputs, [this](const auto& each) {
                return WrittenInput{each.first, bytesOf(each.second), m_inputs.versionOf(each.first)};
            })};
}

void GraphPassage::arrive(ir::NodeId node, std::size_t event) {
    const bool isDue = m_frame->graph.node(node).op != ir::Opcode::Placeholder && !m_storageChanged &&
                       event >= m_firstEvent + nodesBeforeFirst && m_checkpoints.wants(event);
    if (isDue) {
        m_checkpoints.add(m_run, event, capture(), false);
    }
    ++m_position;
}

std::vector<const c10::StorageImpl*> GraphPassage::beforeRun(ir::NodeId node) {
    std::vector<const c10::StorageImpl*> storages;
    m_storageChanged = m_storageChanged || m_written->changesStorage(node);
    for (const at::Tensor& tensor : m_written->of(node, *m_frame)) {
        if (!tensor.has_storage()) {
            continue;
        }
        const c10::Storage& storage = tensor.storage();
        m_checkpoints.beforeWrite(storage);
        m_summaries.forget(storage.unsafeGetStorageImpl());
        if (const auto input = m_inputs.inputOf(storage.unsafeGetStorageImpl())) {
            m_writtenInputs.try_emplace(*input, storage);
        }
        storages.push_back(storage.unsafeGetStorageImpl());
    }
    return storages;
}

void GraphPassage::finished(ir::NodeId id, const IValue& result, steps::EventFacts* facts) {
    m_alive.add(result);
    if (facts == nullptr) {
        return;
    }
    const ir::Node& node = m_frame->graph.node(id);
    forEachTensor(result, [&](const at::Tensor& tensor) { addStatistics(m_summaries.of(tensor), *facts); });
    facts->shapeChanged = hasOtherSizes(node.value, result, m_frame->context);
    facts->aliveBytes = m_alive.bytes();
}

void GraphPassage::end(std::size_t event) {
    if (!m_storageChanged && event > m_firstEvent && !m_checkpoints.has(m_run, event)) {
        m_checkpoints.add(m_run, event, capture(), true);
    }
    m_frame = nullptr;
}

} // namespace aotscope::torch

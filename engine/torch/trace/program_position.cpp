#include "trace/program_position.h"

#include "trace/functional_tensor.h"

#include <ATen/SequenceNumber.h>

#include <algorithm>
#include <utility>

namespace aotscope::torch {

void ProgramPosition::enter(const ir::Node& node, std::shared_ptr<const ir::NodeOrigin> origin,
                            std::shared_ptr<const ir::NodeOrigin> source) {
    m_node = &node;
    ++m_entered;
    enterSpan(std::move(origin), std::move(source));
}

void ProgramPosition::enterSpan(std::shared_ptr<const ir::NodeOrigin> origin,
                                std::shared_ptr<const ir::NodeOrigin> source) {
    const std::uint64_t next = at::sequence_number::peek();
    if (m_spans.empty() || m_spans.back().first != next) {
        m_spans.emplace_back(next, std::move(source));
    } else {
        m_spans.back().second = std::move(source);
    }
    restore(std::move(origin));
}

void ProgramPosition::leave() {
    m_node = nullptr;
    enterSpan(nullptr, nullptr);
}

const ir::SourceLocation* ProgramPosition::source() const {
    const ir::NodeOrigin* origin = m_recorder != nullptr ? m_recorder->state().origin.get()
                                   : m_node != nullptr   ? m_node->origin.get()
                                                         : nullptr;
    return origin != nullptr && origin->source ? &*origin->source : nullptr;
}

std::shared_ptr<const ir::NodeOrigin> ProgramPosition::originOf(std::uint64_t sequenceNumber) const {
    const auto after =
        std::upper_bound(m_spans.begin(), m_spans.end(), sequenceNumber,
                         [](std::uint64_t number, const auto& span) { return number < span.first; });
    return after == m_spans.begin() ? nullptr : std::prev(after)->second;
}

std::shared_ptr<const ir::NodeOrigin> ProgramPosition::recordedOrigin() const {
    return m_recorder == nullptr ? nullptr : m_recorder->state().origin;
}

void ProgramPosition::restore(std::shared_ptr<const ir::NodeOrigin> origin) {
    if (m_recorder != nullptr) {
        m_recorder->state().origin = std::move(origin);
    }
}

ir::PartitionerTag ProgramPosition::exchangeTag(ir::PartitionerTag tag) {
    return m_recorder == nullptr ? tag : std::exchange(m_recorder->state().partitionerTag, tag);
}

void ProgramPosition::noteUncheckedSave(const at::Tensor& outer) {
    const auto node = m_recorder == nullptr ? std::nullopt : m_recorder->tryNode(fromFunctional(outer));
    if (node) {
        m_recorder->graph().editMeta(*node).extra.emplace_back("saved_tensor_with_no_vc_check", "true");
    }
}

} // namespace aotscope::torch

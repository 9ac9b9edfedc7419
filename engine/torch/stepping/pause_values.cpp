#include "stepping/pause_values.h"

#include "run/state/value_access.h"

#include <string>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

class Describer {
public:
    Describer(ValueStates states, TensorSummaries& summaries, bool contents)
        : m_states(std::move(states)), m_summaries(summaries) {
        m_states.hashContents(contents);
    }

    /// Items of a tuple or list are named "split.0".
    void add(const std::string& name, const IValue& value, bool withHistogram) {
        if (value.isTuple() || value.isList()) {
            const std::vector<IValue> items = elementsOf(value);
            for (std::size_t i = 0; i < items.size(); ++i) {
                add(name + "." + std::to_string(i), items[i], withHistogram);
            }
            return;
        }
        steps::ValueDetails details;
        details.state = m_states.of(value, name);
        // A tensor keeps the name that it had first; here each value has its own.
        details.state.name = name;
        if (value.isTensor() && value.toTensor().defined()) {
            const session::TensorSummary& summary = m_summaries.of(value.toTensor());
            details.minimum = summary.minimum;
            details.mean = summary.mean;
            details.maximum = summary.maximum;
            details.nanCount = summary.nanCount;
            details.infCount = summary.infCount;
            if (withHistogram) {
                details.histogram = histogramOf(value.toTensor(), summary);
            }
        }
        m_all.push_back(std::move(details));
    }

    [[nodiscard]] std::vector<steps::ValueDetails> take() { return std::move(m_all); }

private:
    ValueStates m_states;
    TensorSummaries& m_summaries;
    std::vector<steps::ValueDetails> m_all;
};

} // namespace

std::vector<steps::ValueDetails> pauseValues(const ShownValues& shown, ValueStates states,
                                             TensorSummaries& summaries) {
    Describer describer(std::move(states), summaries, shown.contents);
    for (std::size_t i = 0; i < shown.callers.arguments.size(); ++i) {
        if (shown.callers.arguments[i].defined()) {
            describer.add(shown.callers.names[i], shown.callers.arguments[i], false);
        }
    }
    for (const CallerLeaf& leaf : shown.callers.leaves) {
        if (const at::Tensor& grad = leaf.tensor.grad(); grad.defined()) {
            describer.add("gradient of " + leaf.name, grad, false);
        }
    }
    if (shown.frame == nullptr) {
        return describer.take();
    }
    const ir::Graph& graph = shown.frame->graph;
    for (const ir::NodeId id : graph.order()) {
        const IValue& value = shown.frame->values[id.index()];
        if (!value.isNone()) {
            describer.add(graph.node(id).name, value, shown.near.contains(id));
        }
    }
    return describer.take();
}

} // namespace aotscope::torch

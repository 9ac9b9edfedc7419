#include "wrappers/graph_call.h"

#include "dispatch/failure.h"
#include "run/executor.h"
#include "run/symbols.h"

#include "base/crash_note.h"
#include "ir/used_symbols.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>
#include <set>

namespace aotscope::torch {

GraphCall::GraphCall(ir::GraphPtr graph, bool backward, std::shared_ptr<GraphSettings> settings)
    : m_graph(std::move(graph)),
      m_backward(backward),
      m_settings(std::move(settings)),
      m_placeholders(m_graph->placeholders()) {
    for (std::size_t i = 0; i < m_placeholders.size(); ++i) {
        std::set<std::string> symbols;
        ir::addSymbols(m_graph->node(m_placeholders[i]).value, symbols);
        if (!symbols.empty()) {
            m_symbolic.push_back(i);
        }
    }
}

Values GraphCall::call(Values& arguments) {
    if (arguments.size() != m_placeholders.size()) {
        fail("call.arguments", std::string("The ") + (m_backward ? "backward" : "forward") + " graph takes " +
                                   std::to_string(m_placeholders.size()) + " values and is called with " +
                                   std::to_string(arguments.size()) + ".");
    }
    const c10::AutoGradMode noGrad(false);
    const at::AutoDispatchBelowAutograd belowAutograd;
    std::optional<at::AutoDispatchBelowADInplaceOrView> belowViews;
    if (!m_settings->tracksViews) {
        belowViews.emplace();
    }
    RunContext context;
    context.progress = m_settings->progress;
    context.constants = &m_settings->constants;
    context.place = m_settings->place;
    // Where PyTorch's process would crash, this one does too only if it reports crashes to its parent.
    context.zerosHaveNoMemory = !m_backward && m_settings->isFirstCall && base::mayCrash();
    m_settings->isFirstCall = m_settings->isFirstCall && m_backward;
    for (const std::size_t i : m_symbolic) {
        learnSymbols(m_graph->node(m_placeholders[i]).value, arguments[i], context);
    }
    CallObserver* observer = m_settings->observer;
    NodeObserver* nodes =
        observer == nullptr ? nullptr : observer->graphEntered(*m_graph, m_backward, arguments);
    Values given = std::move(arguments);
    arguments.clear();
    Values results = Executor(context).run(*m_graph, std::move(given), nodes);
    if (observer != nullptr) {
        observer->graphLeft(results);
    }
    for (std::string& note : context.notes) {
        if (std::ranges::find(m_settings->notes, note) == m_settings->notes.end()) {
            m_settings->notes.push_back(std::move(note));
        }
    }
    return results;
}

} // namespace aotscope::torch

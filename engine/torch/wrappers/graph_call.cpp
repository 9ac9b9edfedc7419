#include "wrappers/graph_call.h"

#include "dispatch/failure.h"
#include "run/execution/executor.h"
#include "run/inputs/symbols.h"

#include "base/crash_note.h"
#include "ir/used_symbols.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>
#include <set>

namespace aotscope::torch {

BoxedCall graphCall(ir::GraphPtr graph, bool backward, std::shared_ptr<GraphSettings> settings) {
    std::vector<ir::NodeId> placeholders = graph->placeholders();
    // Those whose metadata has symbols, by position.
    std::vector<std::size_t> symbolic;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        std::set<std::string> symbols;
        ir::addSymbols(graph->node(placeholders[i]).value, symbols);
        if (!symbols.empty()) {
            symbolic.push_back(i);
        }
    }
    return [graph = std::move(graph), backward, settings = std::move(settings),
            symbolic = std::move(symbolic), placeholders = std::move(placeholders)](Values& arguments) {
        if (arguments.size() != placeholders.size()) {
            fail("call.arguments", std::string("The ") + (backward ? "backward" : "forward") +
                                       " graph takes " + std::to_string(placeholders.size()) +
                                       " values and is called with " + std::to_string(arguments.size()) +
                                       ".");
        }
        const c10::AutoGradMode noGrad(false);
        const at::AutoDispatchBelowAutograd belowAutograd;
        std::optional<at::AutoDispatchBelowADInplaceOrView> belowViews;
        if (!settings->tracksViews) {
            belowViews.emplace();
        }
        RunContext context;
        context.progress = settings->progress;
        context.constants = &settings->constants;
        context.place = settings->place;
        // Where PyTorch's process would crash, this one does too only if it reports crashes to its parent.
        context.zerosHaveNoMemory = !backward && settings->isFirstCall && base::mayCrash();
        settings->isFirstCall = settings->isFirstCall && backward;
        for (const std::size_t i : symbolic) {
            learnSymbols(graph->node(placeholders[i]).value, arguments[i], context);
        }
        CallObserver* observer = settings->observer;
        NodeObserver* nodes =
            observer == nullptr ? nullptr : observer->graphEntered(*graph, backward, arguments);
        Values given = std::move(arguments);
        arguments.clear();
        Values results = Executor(context).run(*graph, std::move(given), nodes);
        if (observer != nullptr) {
            observer->graphLeft(results);
        }
        for (std::string& note : context.notes) {
            if (std::ranges::find(settings->notes, note) == settings->notes.end()) {
                settings->notes.push_back(std::move(note));
            }
        }
        return results;
    };
}

} // namespace aotscope::torch

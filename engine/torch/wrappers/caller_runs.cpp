#include "wrappers/caller_runs.h"

#include "dispatch/failure.h"
#include "run/execution/generator_seed.h"

#include <c10/core/GradMode.h>

#include <optional>

namespace aotscope::torch {

void CallerRuns::call(CallerSide& side, std::size_t call, const Values* like) const {
    if (call > 0) {
        m_arguments.renew(side.arguments);
    }
    side.prepare();
    const session::CallOptions& options = m_subject.request.options;
    seedGenerator(options.seed + call, m_subject.place.device);
    {
        const c10::AutoGradMode grad(m_subject.request.request.state.gradEnabled);
        side.outputs = m_program(side.arguments.values);
    }
    side.differentiate(options, backwardsOf(options, call), like);
}

CallerSide CallerRuns::until(std::size_t last, OperatorWatch* watch, const Values* exactLike) const {
    CallerSide side;
    side.arguments = m_arguments.make(exactLike != nullptr);
    std::optional<DrawAgain> again;
    if (m_draws != nullptr) {
        again.emplace(*m_draws);
        if (watch != nullptr) {
            watch->setNext(&*again);
        } else {
            watch = &*again;
        }
    }
    const WatchScope scope(watch);
    for (std::size_t i = 0; i <= last; ++i) {
        call(side, i, exactLike);
        const auto& rate = m_subject.request.options.learningRate;
        if (rate && (i < last || m_subject.goThrough)) {
            side.step(*rate);
        }
    }
    if (again && again->count() != m_draws->size()) {
        fail("call.random", "eager draws random numbers " + std::to_string(again->count()) +
                                " times, the compiled graph " + std::to_string(m_draws->size()) + " times");
    }
    if (m_unwritten != nullptr) {
        clearUnwritten(side, *m_unwritten);
    }
    return side;
}

} // namespace aotscope::torch

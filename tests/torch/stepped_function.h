#pragma once

#include "wrapper_support.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::test {

/// A call of a small program, stepped through by a function. It pauses at the start and at the end, and
/// hashes all elements.
class SteppedFunction {
public:
    using Person = std::function<steps::StepAnswer(const steps::StepPause& pause, std::size_t count)>;

    explicit SteppedFunction(Compiled function) : compiled(std::move(function)) {
        pauses.atStart = true;
        pauses.atEnd = true;
        pauses.contents = true;
    }

    /// Calls it; `person` answers each pause, the first with count 1.
    steps::CallRecord call(const Person& person) {
        std::size_t count = 0;
        pauses.onPause = [&](const steps::StepPause& pause) { return person(pause, ++count); };
        auto record = backend().answer(session::FunctionCall{compiled.request, pauses});
        REQUIRE_MESSAGE(record.ok(), record.error().text());
        REQUIRE_MESSAGE(!record->error, record->error->text());
        return std::move(record).value();
    }

    /// Goes on at every pause, and returns the pauses. The last is that at the end.
    std::vector<steps::StepPause> stops() {
        std::vector<steps::StepPause> stops;
        call([&](const steps::StepPause& pause, std::size_t /*count*/) {
            stops.push_back(pause);
            return steps::StepAnswer{steps::StepAnswer::Kind::Resume};
        });
        return stops;
    }

    Compiled compiled;
    steps::StepPauses pauses;
};

} // namespace aotscope::test

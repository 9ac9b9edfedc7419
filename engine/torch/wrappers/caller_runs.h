#pragma once

#include "run/execution/operator_watch.h"
#include "run/execution/random_draws.h"
#include "wrappers/call_function.h"
#include "wrappers/caller_side.h"
#include "wrappers/unwritten_memory.h"

#include <cstddef>
#include <functional>
#include <utility>

namespace aotscope::torch {

/// Calls of a program by callers with separate arguments: as it is, or with its operators watched.
class CallerRuns {
public:
    using Program = std::function<Values(Values)>;

    /// `subject` and `arguments` must outlive it. `program`: the subject's own, in eager mode, or one that
    /// takes its place.
    CallerRuns(const CallSubject& subject, const CallerArguments& arguments, Program program)
        : m_subject(subject), m_arguments(arguments), m_program(std::move(program)) {}

    /// Call number `call` of a caller, with its backward. `like` as for CallerSide::differentiate.
    void call(CallerSide& side, std::size_t call, const Values* like = nullptr) const;

    /// A new caller after the calls up to number `last`, with the steps between them. `watch` sees what runs
    /// (null: nobody). `exactLike`: with float64 arguments, and tangents in these outputs' dtypes.
    [[nodiscard]] CallerSide until(std::size_t last, OperatorWatch* watch,
                                   const Values* exactLike = nullptr) const;

    /// From now on `until` draws these numbers; they must outlive it. Null: what the generator gives.
    void drawAgain(const RandomDraws* draws) { m_draws = draws; }

    /// Elements that depend on memory that nothing has written become 0 in what `until` returns. They must
    /// outlive it.
    void clear(const UnwrittenElements& unwritten) { m_unwritten = &unwritten; }

private:
    const CallSubject& m_subject;
    const CallerArguments& m_arguments;
    Program m_program;
    const RandomDraws* m_draws = nullptr;
    const UnwrittenElements* m_unwritten = nullptr;
};

} // namespace aotscope::torch

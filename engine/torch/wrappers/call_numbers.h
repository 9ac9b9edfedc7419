#pragma once

#include "wrappers/caller_side.h"
#include "wrappers/eager_runs.h"
#include "wrappers/value_paths.h"

#include "steps/call_record.h"

#include "base/progress.h"

#include <optional>
#include <string>
#include <vector>

/// How far apart the numbers of a compiled call and of an eager one are, and may be.
namespace aotscope::torch {

/// Sets what any two correct runs may be apart: four roundings of the value's own dtype, nothing for integers
/// and bools; and whether the value agrees.
void compareClosely(steps::ComparedValue& value, c10::ScalarType type);

/// Judges numbers that are further apart than that. What is allowed then is measured for each value: by how
/// much eager mode's own value changes if its operators round in other ways (RoundingNoise), and how far it
/// is from the same program in float64 (EagerInFloat64).
class NumberJudge {
public:
    /// All must outlive it.
    NumberJudge(const EagerRuns& runs, const ValuePaths& ways, const std::vector<std::string>& names,
                const base::Progress& progress)
        : m_runs(runs), m_paths(ways), m_names(names), m_progress(progress) {}

    /// After call number `last`.
    void judge(std::vector<steps::ComparedValue>& values, const CallerSide& compiled, const CallerSide& eager,
               std::size_t last) const;

private:
    struct Measured;
    [[nodiscard]] Measured measure(const CallerSide& compiled, const CallerSide& eager,
                                   std::size_t last) const;
    void measureFloat64(Measured& measured, const CallerSide& compiled, const CallerSide& eager,
                        std::size_t last) const;
    void findCauses(std::vector<steps::ComparedValue>& values, std::size_t last) const;

    const EagerRuns& m_runs;
    const ValuePaths& m_paths;
    const std::vector<std::string>& m_names;
    base::Progress m_progress;
};

} // namespace aotscope::torch

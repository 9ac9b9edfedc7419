#pragma once

#include "wrappers/caller_runs.h"
#include "wrappers/caller_side.h"
#include "wrappers/value_paths.h"

#include "steps/call_record.h"

#include "base/progress.h"

#include <string>
#include <vector>

/// How far apart the numbers of a compiled call and of an eager one are, and may be.
namespace aotscope::torch {

/// Sets what any two correct runs may be apart: four roundings of the value's own dtype, nothing for integers
/// and bools; and whether the value agrees.
void compareClosely(steps::ComparedValue& value, c10::ScalarType type);

/// Judges numbers that are further apart than that, after call number `last`. What is allowed then is
/// measured for each value: by how much eager mode's own value changes if its operators round in other ways
/// (RoundingNoise), and how far it is from the same program in float64 (EagerInFloat64).
struct NumberJudge {
    const CallerRuns& runs;
    const ValuePaths& paths;
    const std::vector<std::string>& names;
    const base::Progress& progress;

    void judge(std::vector<steps::ComparedValue>& values, const CallerSide& compiled, const CallerSide& eager,
               std::size_t last) const;
};

} // namespace aotscope::torch

#pragma once

#include "answer.h"
#include "program.h"

#include "base/verdict.h"
#include "contract/retrace_snapshot.h"
#include "judge/recorded_calls.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A call of graphs that were traced here, compared with what PyTorch recorded or with eager.
struct NumberRun {
    /// "min_cut bw"; "eager"
    std::string call;
    session::NumberComparison comparison;
    /// The value at each position; empty: returned values in order.
    std::vector<std::string> names;
    /// Why this call was skipped; empty: it ran.
    std::string skipped;
    /// What alone may make the numbers differ; mostly empty.
    std::string caution = {};
};

/// A tensor that differs.
struct TensorApart : session::TensorComparison {
    std::string name = {};
};
AOTSCOPE_MORE_MEMBERS(TensorApart, session::TensorComparison, name)

struct NumberAnswer {
    std::string call;
    base::Verdict verdict;
    std::string skipped;
    std::string caution;
    /// Nothing: it was skipped.
    std::optional<bool> agrees = {};
    /// Their number.
    std::size_t tensors = 0;
    /// The largest distance; infinite where shapes, dtypes or NaNs differ.
    double worst = 0;
    std::vector<TensorApart> apart = {};
    /// How many numbers are NaN in both.
    std::size_t nan = 0;
};
AOTSCOPE_MEMBERS(NumberAnswer, call, verdict, skipped, caution, agrees, tensors, worst, apart, nan)

/// Repeats every recorded call of a golden file's unit ("units/0"): partitions the traced joint graph with
/// the call's partitioner and runs the half on the recorded inputs and that device. Empty if the file has no
/// tensors.
[[nodiscard]] std::vector<NumberRun> runRecordedCalls(Program& program, const std::filesystem::path& golden,
                                                      const session::RetraceSnapshot& snapshot,
                                                      session::DeviceChoice device);

/// The comparison with eager (RetraceOptions::numbers); empty unless requested.
[[nodiscard]] std::vector<NumberRun> runBesideEager(const session::RetraceSnapshot& snapshot);

/// Of one call: equal, differs, or not comparable with the reason; random numbers that the decomposed graph
/// draws in another way decide nothing.
[[nodiscard]] base::Verdict verdictOf(const NumberRun& run);

/// "    numbers: 4 calls, 52 tensors differ by at most 3.1e-07 of their largest magnitude from PyTorch's",
/// and a line for each call that differs.
/// `explain`: also what is behind each verdict.
[[nodiscard]] std::string numbersText(const std::vector<NumberRun>& runs, bool explain = false);
[[nodiscard]] std::vector<NumberAnswer> numberAnswers(const std::vector<NumberRun>& runs);
[[nodiscard]] bool numbersAgree(const std::vector<NumberRun>& runs);

} // namespace aotscope::cli

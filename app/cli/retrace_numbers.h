#pragma once

#include "json_text.h"
#include "program.h"

#include "session/recorded_calls.h"
#include "session/retrace_snapshot.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A call made with the graphs that were traced here, beside what PyTorch recorded of it or what the program
/// gives as eager runs it.
struct NumberRun {
    /// "min_cut bw"; "eager"
    std::string call;
    session::NumberComparison comparison;
    /// What is at each position; empty: returned values in order.
    std::vector<std::string> names;
    /// Why the call could not be made; empty: it was.
    std::string skipped;
    /// What alone may make the numbers differ; mostly empty.
    std::string caution = {};
};

/// Makes every recorded call of a unit of a golden file ("units/0"): the traced joint graph is partitioned as
/// the call names, and the half is run on the recorded inputs. None where the file has no tensors.
[[nodiscard]] std::vector<NumberRun> runRecordedCalls(Program& program, const std::filesystem::path& golden,
                                                      const session::RetraceSnapshot& snapshot);

/// The traced graph beside its program (RetraceOptions::numbers); none where that was not asked for.
[[nodiscard]] std::vector<NumberRun> runBesideEager(const session::RetraceSnapshot& snapshot);

/// "    numbers: 4 calls, 52 tensors at most 3.1e-07 of their largest magnitude from PyTorch's", and a line
/// for each call that differs.
[[nodiscard]] std::string numbersText(const std::vector<NumberRun>& runs);
[[nodiscard]] Json numbersJson(const std::vector<NumberRun>& runs);
[[nodiscard]] bool numbersAgree(const std::vector<NumberRun>& runs);

} // namespace aotscope::cli

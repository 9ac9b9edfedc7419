#pragma once

#include "base/verdict.h"
#include "common/theme.h"
#include "load/wrapper_sources.h"
#include "steps/current_call.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace aotscope::views {

/// What is known of one wrapper of a function: why it applies, its state, and of one passage through it what
/// it did and how long that took (HTML). `passage`: index in the record's wrappers; nothing: it did not run.
[[nodiscard]] QString wrapperHtml(const CalledFunction& function, std::size_t step,
                                  std::optional<std::size_t> passage, const Theme& theme);
/// The same of the compiled graph inside all wrappers.
[[nodiscard]] QString compiledGraphHtml(const CalledFunction& function, const Theme& theme);
/// "forward 12 nodes, backward 9 nodes", "12 nodes"
[[nodiscard]] QString compiledGraphWords(const CalledFunction& function);

/// The code that torch 2.15 generated for a wrapper, as logged; empty: none.
[[nodiscard]] QString wrapperSource(const CalledFunction& function, std::size_t step);

/// Time spent in nodes and wrappers, without what a person stood paused.
[[nodiscard]] std::int64_t workNanoseconds(const steps::CallRecord& record);
/// The wrapper's own time in one call, forward and backward; nothing: it did not run there.
[[nodiscard]] std::optional<std::int64_t> ownNanoseconds(const steps::CallRecord& record, std::size_t step,
                                                         std::size_t call);

/// How the function's last call went beside eager. The reason of an equal one says how much was compared, how
/// far apart it is, and what saved-tensors hooks change. Nothing: it was not called.
[[nodiscard]] std::optional<base::Verdict> callVerdict(const CalledFunction& function);

/// A number of a comparison: "1.2e-07", "0".
[[nodiscard]] QString errorText(double error);

} // namespace aotscope::views

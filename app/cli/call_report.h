#pragma once

#include "json_text.h"

#include "base/verdict.h"
#include "contract/call_snapshot.h"

#include <string>

namespace aotscope::cli {

/// The events in order, indented by the wrappers around them, with what each wrapper did and its own time;
/// then the comparison with Dynamo's graph in eager mode. `explain`: with all that is behind the verdict.
[[nodiscard]] std::string callText(const session::CallSnapshot& call, bool explain);
/// One function of schema aotscope.call/1.
[[nodiscard]] Json callJson(const session::CallSnapshot& call);
/// Each value beside eager's: whether it agrees, the largest difference, and what differs in structure; then
/// the losses and the verdict.
[[nodiscard]] std::string comparisonText(const session::CallSnapshot& call, bool explain);
/// The first value that differs, in the order output, argument, gradient; else the verdict.
[[nodiscard]] std::string firstDifferenceText(const session::CallSnapshot& call, bool explain);
/// One function of schema aotscope.eager/1; with `onlyFirst`, of its values the first that differs.
[[nodiscard]] Json comparisonJson(const session::CallSnapshot& call, bool onlyFirst);
/// Per passage through a wrapper, in the order of entry: its own time and what it did.
[[nodiscard]] std::string wrapperCallsText(const session::CallSnapshot& call);
[[nodiscard]] Json wrapperCallsJson(const session::CallSnapshot& call);
/// What the cache of compiled functions did for the call; empty: the call did not use it.
[[nodiscard]] std::string callCacheText(const session::CallSnapshot& call);
/// The heading and lines of each list of a verdict that is not empty, without its word.
[[nodiscard]] std::string explanationOf(const base::Verdict& verdict, const std::string& indent);
/// Compares the call with Dynamo's graph in eager mode.
[[nodiscard]] base::Verdict verdictOf(const session::CallSnapshot& call);
/// One line: "equal to Dynamo's graph in eager mode (…)", "differs from …: …", or why there is no answer.
[[nodiscard]] std::string callVerdict(const session::CallSnapshot& call);
/// Whether it was called and agrees with eager, where it was compared.
[[nodiscard]] bool callAgrees(const session::CallSnapshot& call);
/// Whether there was an eager call to compare it with.
[[nodiscard]] bool isCompared(const session::CallSnapshot& call);

} // namespace aotscope::cli

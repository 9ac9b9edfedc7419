#pragma once

#include "ir/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::load {

/// Extracts the reason from payloads that explain a graph break, a recompile or an error.

/// The reason in a `dynamo_graph_break_reason` payload, without the source location before it and the
/// traceback after it. Follows torch 2.11, torch/_dynamo/symbolic_convert.py: log_graph_break.
[[nodiscard]] std::string graphBreakReason(std::string_view payload);
/// The line of a reason that says what happened. Of the introductory lines before it, which end with a colon,
/// "Encountered graph break…" is dropped and others, such as an exception's name, are put in front.
[[nodiscard]] std::string headline(std::string_view reason);
/// The source location at the beginning of a `dynamo_graph_break_reason` payload, "model.py:41"; empty: none.
[[nodiscard]] std::string graphBreakPlace(std::string_view payload);
/// The reasons in a `recompile_reasons` payload: a JSON string or a list of strings. Follows torch 2.11,
/// torch/_dynamo/guards.py: get_and_maybe_log_recompilation_reasons.
[[nodiscard]] std::vector<std::string> recompileReasons(std::string_view payload);
/// "pytorch_version" in a `torch_version` payload; empty: missing.
[[nodiscard]] std::string torchVersion(std::string_view payload);
/// The exception in a `dynamo_error` payload: what follows the stack of its last traceback.
[[nodiscard]] std::string errorOf(std::string_view payload);
/// The last line of the user's program that a `dynamo_error` payload names after "from user code"; nothing:
/// none.
[[nodiscard]] std::optional<ir::SourceLocation> errorPlace(std::string_view payload);

} // namespace aotscope::load

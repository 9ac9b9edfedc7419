#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::load {

/// Payloads that say why something happened, cut down to the reason.

/// Without blanks and line feeds at both ends.
[[nodiscard]] std::string trimmedText(std::string_view text);

/// Of `dynamo_graph_break_reason`: without the place before and the traceback behind it.
[[nodiscard]] std::string graphBreakReason(std::string_view payload);
/// The line of a reason that says what happened: what only leads up to it and ends with a colon is passed
/// over, or stays in front where it is an exception's name.
[[nodiscard]] std::string headline(std::string_view reason);
/// The place in user code that `dynamo_graph_break_reason` begins with, "model.py:41"; empty: it names none.
[[nodiscard]] std::string graphBreakPlace(std::string_view payload);
/// Of `recompile_reasons`: a JSON string or a list of strings.
[[nodiscard]] std::vector<std::string> recompileReasons(std::string_view payload);
/// Of `torch_version`; empty when it isn't there.
[[nodiscard]] std::string torchVersion(std::string_view payload);
/// Of `dynamo_error`: the last line of a traceback.
[[nodiscard]] std::string errorOf(std::string_view payload);

} // namespace aotscope::load

#pragma once

#include "aot/global_state.h"

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::aot {

/// All members, as in the JSON of a compiled function's configuration.
[[nodiscard]] std::string globalStateToJson(const GlobalState& state);
/// Reads what globalStateToJson wrote. Errors: aot.json_syntax, aot.json_form (names the field).
[[nodiscard]] base::Result<GlobalState> globalStateFromJson(std::string_view json);

} // namespace aotscope::aot

#pragma once

#include "json_text.h"

#include "session/call_snapshot.h"

#include <string>

namespace aotscope::cli {

/// The events in order, indented by the wrappers around them, with what each wrapper did and its own time;
/// then the comparison with eager.
[[nodiscard]] std::string callText(const session::CallSnapshot& call);
/// One function of schema aotscope.call/1.
[[nodiscard]] Json callJson(const session::CallSnapshot& call);
/// One line: "equal to eager", "differs from eager: …", or why there is no answer.
[[nodiscard]] std::string callVerdict(const session::CallSnapshot& call);
/// Whether it was called and agrees with eager, where it was compared.
[[nodiscard]] bool callAgrees(const session::CallSnapshot& call);

} // namespace aotscope::cli

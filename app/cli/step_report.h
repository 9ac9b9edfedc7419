#pragma once

#include "json_text.h"

#include "steps/step_pause.h"

#include <cstddef>
#include <string>
#include <string_view>

/// What the command `step` shows of a pause.
namespace aotscope::cli {

/// Where a call stands: the event that runs next, the wrappers around it, why it paused, what is kept.
[[nodiscard]] std::string standText(const steps::StepPause& pause);
/// The events around the current one, which is marked.
[[nodiscard]] std::string eventsText(const steps::StepPause& pause);
/// The wrappers around the current event, outermost first, with what each did to its arguments so far.
[[nodiscard]] std::string wrapperStackText(const steps::StepPause& pause);
/// A table of all values that are alive.
[[nodiscard]] std::string valuesText(const steps::StepPause& pause);
/// All that is known of one value; where there is none of that name, which there are.
[[nodiscard]] std::string valueText(const steps::StepPause& pause, std::string_view name);

[[nodiscard]] Json standJson(const steps::StepPause& pause);
[[nodiscard]] Json eventsJson(const steps::StepPause& pause);
[[nodiscard]] Json wrapperStackJson(const steps::StepPause& pause);
[[nodiscard]] Json valuesJson(const steps::StepPause& pause);
/// Null: there is none of that name.
[[nodiscard]] Json valueJson(const steps::StepPause& pause, std::string_view name);

} // namespace aotscope::cli

#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What a process was at when a signal ended it: a kernel that reads a wrong address takes its process along,
/// and the process that started it wants to name the call.
namespace aotscope::base {

/// Says what runs now; cheap enough for every node of a graph. One thread at a time. Empty: nothing that is
/// worth a name.
void noteRunning(std::string_view what);

/// From now on a fatal signal of this process writes what runs to the error output before it ends the
/// process. For processes that run what may crash.
void tellWhatRanOnCrash();
/// Whether that was called: what PyTorch does not survive may then be tried here.
[[nodiscard]] bool mayCrash();

/// What ran, from the last words of a process that ended so.
[[nodiscard]] std::optional<std::string> ranOnCrash(std::string_view lastWords);

} // namespace aotscope::base

#pragma once

#include "contract/backend.h"

#include "base/result.h"

#include <functional>

namespace aotscope::remote {

/// The engine's side: answers calls that arrive on `in` with messages on `out` until the other side hangs up.
/// The backend is opened by the first call; its errors, and exceptions of libraries, become failures of that
/// call. Each call runs on a separate thread; the caller of RemoteBackend sees to it that one works at a
/// time. `onHangup` is called at the end, before calls that are still at work are stopped and waited for: a
/// program can end itself there. Errors: those of MessageReader; the other side gets them as well.
[[nodiscard]] base::Result<void> serve(int in, int out, session::BackendFactory factory,
                                       const std::function<void()>& onHangup = {});

} // namespace aotscope::remote

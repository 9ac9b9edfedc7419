#pragma once

#include "load/log_index.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <functional>

namespace aotscope::load {

class FileBytes;

/// Scans a file from byte `from` on, with several threads if it is long, and joins the pieces to `index` in
/// order. After each piece calls `onJoined` on the calling thread with the bytes read so far. Errors:
/// session.canceled, load.open (the file was truncated meanwhile).
[[nodiscard]] base::Result<void> readInto(LogIndex& index, const FileBytes& file, std::uint64_t from,
                                          const std::function<void(std::uint64_t)>& onJoined,
                                          base::Progress& progress);

} // namespace aotscope::load

#pragma once

#include "load/trace_log.h"

#include <string_view>

namespace aotscope::load {

/// The kind of an envelope key; `Other` for a key this program doesn't know.
[[nodiscard]] RecordKind kindFromKey(std::string_view key);

/// Name of the main graph a kind holds ("joint", "forward", …); empty for other kinds.
[[nodiscard]] std::string_view mainGraphName(RecordKind kind);

/// Whether the payload is text of an FX graph. Artifacts are judged by their name.
[[nodiscard]] bool holdsGraph(RecordKind kind, std::string_view artifactName);

/// Whether the payload of such a record is something a person opens (not the timeline's events).
[[nodiscard]] bool isOpenable(RecordKind kind);

} // namespace aotscope::load

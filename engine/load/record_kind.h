#pragma once

#include "load/compile_repetitions.h"
#include "load/trace_log.h"

#include <string_view>

namespace aotscope::load {

/// The kind of an envelope key, the `name` in torch 2.11, torch/_logging/_internal.py: trace_structured.
/// `Other` for an unknown key.
[[nodiscard]] RecordKind kindFromKey(std::string_view key);

/// What a record of that key says of its compile, except for an artifact, whose name decides.
[[nodiscard]] RecordRole roleOfKey(std::string_view key);

/// Name of the main graph a kind holds ("joint", "forward", …); empty for other kinds.
[[nodiscard]] std::string_view mainGraphName(RecordKind kind);

/// Whether the payload is the text of an FX graph. For artifacts, the name decides.
[[nodiscard]] bool holdsGraph(RecordKind kind, std::string_view artifactName);

/// Whether the user can open the payload of such a record (unlike the timeline's events).
[[nodiscard]] bool isOpenable(RecordKind kind);

} // namespace aotscope::load

#pragma once

#include "load/compile_repetitions.h"
#include "load/trace_log.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace aotscope::load {

/// The kind of an envelope key, the `name` in torch 2.11, torch/_logging/_internal.py: trace_structured.
/// `Other` for an unknown key.
[[nodiscard]] RecordKind kindFromKey(std::string_view key);
/// The key of a kind; the first of those that share one.
[[nodiscard]] std::string_view keyOf(RecordKind kind);

[[nodiscard]] inline bool isOneOf(RecordKind kind, std::initializer_list<RecordKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

/// Artifacts of AOTAutograd: the repr of its metadata, and the halves before saved-tensors hooks were inlined
/// with each pack and unpack graph, whose sections are named by these and the saved tensor.
inline constexpr std::string_view metadataArtifact = "aot_forward_graph_fw_metadata";
inline constexpr std::string_view hooksArtifact = "aot_saved_tensors_hooks_graphs";
inline constexpr std::string_view packSection = "aot_saved_tensors_hooks_pack ";
inline constexpr std::string_view unpackSection = "aot_saved_tensors_hooks_unpack ";

/// What a record of that key says of its compile, except for an artifact, whose name decides.
[[nodiscard]] RecordRole roleOfKey(std::string_view key);

/// Name of the main graph a kind holds ("joint", "forward", …); empty for other kinds.
[[nodiscard]] std::string_view mainGraphName(RecordKind kind);

/// Whether the payload is the text of an FX graph. For artifacts, the name decides.
[[nodiscard]] bool holdsGraph(RecordKind kind, std::string_view artifactName);

/// Whether the user can open the payload of such a record (unlike the timeline's events).
[[nodiscard]] bool isOpenable(RecordKind kind);

} // namespace aotscope::load

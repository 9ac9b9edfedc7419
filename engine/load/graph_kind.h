#pragma once

#include "load/artifact_list.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace aotscope::load {

/// The graphs of a compile that a person looks at, in the order in which the compiler makes them; what a
/// compile's other graphs are, their names tell.
enum class GraphKind : std::uint8_t {
    Dynamo,
    CompiledAutograd,
    Joint,
    Inference,
    Forward,
    Backward,
    /// The graph of a file that holds nothing else.
    File,
};

inline constexpr std::array graphKinds = {
    GraphKind::Dynamo,  GraphKind::CompiledAutograd, GraphKind::Joint, GraphKind::Inference,
    GraphKind::Forward, GraphKind::Backward,         GraphKind::File};
/// The same, what tells most of a compile first.
inline constexpr std::array tellingGraphKinds = {
    GraphKind::Joint,  GraphKind::Forward,          GraphKind::Inference, GraphKind::Backward,
    GraphKind::Dynamo, GraphKind::CompiledAutograd, GraphKind::File};

/// "joint", "compiled_autograd", …: how artifacts, commands and this program's files name it.
[[nodiscard]] std::string_view graphKindName(GraphKind kind);
/// Of an artifact, or of a graph that was made here, by its name: "joint#2", "forward of joint",
/// "0/0/forward", and "fw" or "bw" of a golden unit. Nothing: it is another graph.
[[nodiscard]] std::optional<GraphKind> tryGraphKind(std::string_view artifact);
/// The place of the first artifact of the first kind there is; nothing: there is none of them.
[[nodiscard]] std::optional<std::uint32_t> tryFirstGraph(const ArtifactList& artifacts,
                                                         std::span<const GraphKind> kinds);

} // namespace aotscope::load

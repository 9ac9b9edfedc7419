#pragma once

#include "load/artifact_list.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace aotscope::load {

/// The main graphs of a compile, in the compiler's order; other graphs have only a name.
enum class GraphKind : std::uint8_t {
    Dynamo,
    CompiledAutograd,
    Joint,
    Inference,
    Forward,
    Backward,
    /// torch 2.15: the inference graph after the passes over its subgraphs (invoke_subgraph).
    InferenceAfterPasses,
    /// The only graph of a file.
    File,
};

inline constexpr std::array graphKinds = {GraphKind::Dynamo,
                                          GraphKind::CompiledAutograd,
                                          GraphKind::Joint,
                                          GraphKind::Inference,
                                          GraphKind::Forward,
                                          GraphKind::Backward,
                                          GraphKind::InferenceAfterPasses,
                                          GraphKind::File};
/// The same kinds, the most informative first.
inline constexpr std::array tellingGraphKinds = {
    GraphKind::Joint,    GraphKind::Forward, GraphKind::Inference,        GraphKind::InferenceAfterPasses,
    GraphKind::Backward, GraphKind::Dynamo,  GraphKind::CompiledAutograd, GraphKind::File};

/// "joint", "compiled_autograd", …: the name in artifacts, commands and this program's files.
[[nodiscard]] std::string_view graphKindName(GraphKind kind);
/// The kind of an artifact or of this program's graph, by its name: "joint#2", "forward of joint",
/// "0/0/forward", and "fw" or "bw" of a golden unit. Nothing: another graph.
[[nodiscard]] std::optional<GraphKind> tryGraphKind(std::string_view artifact);
/// The place of the first artifact of the first of `kinds` that occurs; nothing: none of them occurs.
[[nodiscard]] std::optional<std::uint32_t> tryFirstGraph(const ArtifactList& artifacts,
                                                         std::span<const GraphKind> kinds);

} // namespace aotscope::load

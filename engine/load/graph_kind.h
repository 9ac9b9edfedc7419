#pragma once

#include "load/artifact_list.h"

#include "base/describe.h"

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
AOTSCOPE_WORDS(GraphKind, "dynamo", "compiled_autograd", "joint", "inference", "forward", "backward",
               "aot_inference_graph_after_hop_passes", "graph")

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

/// The kind of an artifact or of a graph of this program, by its name: "joint#2", "forward of joint",
/// "0/0/forward", and "fw" or "bw" of a golden unit. Nothing: another graph.
[[nodiscard]] std::optional<GraphKind> tryGraphKind(std::string_view artifact);
/// The place of the first artifact of the first of `kinds` that occurs; nothing: none of them occurs.
[[nodiscard]] std::optional<std::uint32_t> tryFirstGraph(const ArtifactList& artifacts,
                                                         std::span<const GraphKind> kinds);

} // namespace aotscope::load

#pragma once

#include "session/backend.h"
#include "session/snapshots.h"

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Calls of compiled graphs that PyTorch made, with the numbers that went in and came out: golden files keep
/// them beside their graphs (`real`, and a file of tensors).
namespace aotscope::session {

struct RecordedCall {
    /// "default", "min_cut"
    std::string partitioner;
    /// "fw", "bw", "inf"
    std::string half;
    /// Saved-tensors hooks were put into the halves: saved values are recorded as the hooks pack them.
    bool hooked = false;
    /// That was set before the call; nothing: the file does not tell.
    std::optional<std::uint64_t> seed = {};
    /// One per placeholder; nothing where the value was not stored.
    std::vector<std::optional<aot::TensorData>> inputs;
    /// One per returned value; nothing for what is no tensor, or was not stored.
    std::vector<std::optional<aot::TensorData>> outputs;
};

/// The calls of a unit ("units/0") of a golden file; none where no tensors lie beside it
/// ("NAME.tensors.safetensors"). Errors: those of reading either file, ir.json_syntax,
/// session.no_such_artifact.
[[nodiscard]] base::Result<std::vector<RecordedCall>> readRecordedCalls(const std::filesystem::path& golden,
                                                                        std::string_view unit);

/// The options that run a graph on a call's inputs, by the graph's placeholders. Errors:
/// session.not_recorded (another number of inputs, or which one was not stored).
[[nodiscard]] base::Result<RunOptions> optionsFor(const ir::Graph& graph, const RecordedCall& call);

} // namespace aotscope::session

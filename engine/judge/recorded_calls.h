#pragma once

#include "aot/tensor_data.h"
#include "ir/graph.h"

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Calls of compiled graphs that PyTorch recorded, with inputs and outputs. Golden files store them beside
/// their graphs (`real`, and a file of tensors).
namespace aotscope::judge {

struct RecordedCall {
    /// "default", "min_cut"
    std::string partitioner;
    /// "fw", "bw", "inf"
    std::string half;
    /// Saved-tensors hooks were inlined into the halves, so saved values are recorded as the hooks pack them.
    bool hooked = false;
    /// The seed set before the call; nothing if the file does not say.
    std::optional<std::uint64_t> seed = {};
    /// One per placeholder; nothing if the value was not stored.
    std::vector<std::optional<aot::TensorData>> inputs;
    /// One per returned value; nothing if it is not a tensor or was not stored.
    std::vector<std::optional<aot::TensorData>> outputs;
};

/// The calls of a unit ("units/0") of a golden file; none if it has no file of tensors
/// ("NAME.tensors.safetensors"). Errors: those of reading either file, session.no_such_artifact.
[[nodiscard]] base::Result<std::vector<RecordedCall>> readRecordedCalls(const std::filesystem::path& golden,
                                                                        std::string_view unit);

/// Arguments of PyTorch's first call of a unit: values of the compiled forward's inputs by name, and the
/// seed, as far as they were stored. Nothing if no call was recorded. `joint`: PyTorch's joint or inference
/// graph.
struct RecordedArguments {
    std::map<std::string, aot::TensorData> inputs;
    std::optional<std::uint64_t> seed;
};
[[nodiscard]] std::optional<RecordedArguments> recordedArguments(const std::vector<RecordedCall>& calls,
                                                                 const ir::Graph& joint);

} // namespace aotscope::judge

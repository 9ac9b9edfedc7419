#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Predicted memory: the live ranges of values, and the peaks that follow. Sizes are those of storages, so
/// views count nothing. Memory that an operator allocates and frees internally is not in a graph and not
/// counted.
namespace aotscope::memory {

enum class Category : std::uint8_t {
    Parameter,
    Buffer,
    /// Another input of the forward.
    Input,
    /// Saved for backward until its last use there.
    SavedActivation,
    /// Returned by the forward to the user.
    Output,
    Tangent,
    Gradient,
    Temporary,
    /// Rematerialized: computed in the forward and recomputed in the backward.
    Recomputed,
};
AOTSCOPE_WORDS(Category, "parameter", "buffer", "input", "saved activation", "output", "tangent", "gradient",
               "temporary", "recomputed")
inline constexpr std::size_t categoryCount = 9;

enum class Rounding : std::uint8_t {
    Exact,
    /// Multiples of 512 bytes.
    Blocks512,
    /// The blocks that the CUDA caching allocator hands out (caching_allocator.h), where each is as large as
    /// the free one that it found.
    CachingAllocator,
};

struct ProfileOptions {
    Rounding rounding = Rounding::Exact;
    /// Values of symbols; they override the graph's example values.
    ir::SymbolBindings symbols = {};
    /// Whether an operator's result may overwrite its input, element by element. If set, such a result in a
    /// step's backward reuses the memory of a donated buffer (a saved value that nothing else holds) if it is
    /// the last to read the buffer and has the same dtype, device, size and strides, as Inductor's memory
    /// reuse does for kernels. Null: a donated buffer is freed after its last use, as when the graphs run
    /// node by node.
    bool (*writesOver)(std::string_view target) = nullptr;
};

/// A storage that one or more values share, alive from the node at `from` until the node at `last` is done.
struct StorageRange {
    /// The name of the node that makes the storage, and of every other node that shares it.
    std::string name;
    std::vector<std::string> aliases;
    Category category = Category::Temporary;
    std::int64_t bytes = 0;
    /// First and last position on the profile's time line.
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    /// The donated buffer whose memory it reuses and whose range ends where this one begins; empty: none.
    std::string takesOver = {};
};
AOTSCOPE_MEMBERS(StorageRange, name, aliases, category, bytes, from, last, takesOver)
struct LiveRange : StorageRange {
    /// Its node in the forward graph and in the backward graph; invalid: not there. In an eager profile these
    /// are ids of the joint graph, and only the one for the half that makes the value is valid.
    ir::NodeId forwardNode;
    ir::NodeId backwardNode;
};

struct Peak {
    std::uint32_t position = 0;
    std::int64_t bytes = 0;
};
AOTSCOPE_MEMBERS(Peak, position, bytes)

/// The time line has one position per node: first the forward graph's nodes in order, then one position for
/// the loss, then the backward graph's nodes, then one for the optimizer. For a single graph only its nodes.
struct MemoryProfile {
    std::vector<LiveRange> ranges;
    /// The node at each position: of the forward graph before `forwardEnd`, of the backward graph from
    /// `backwardBegin` on, or of the joint graph for eager. Invalid: the loss, the optimizer.
    std::vector<ir::NodeId> nodes;
    /// Bytes alive at each position: the node's inputs and results, and everything else that is still needed.
    std::vector<std::int64_t> bytes;
    /// The same without inputs of the graph or step (parameters, buffers, inputs).
    std::vector<std::int64_t> intermediateBytes;
    /// Positions before it belong to the forward.
    std::uint32_t forwardEnd = 0;
    std::uint32_t backwardBegin = 0;
    Peak forwardPeak;
    Peak backwardPeak;
    Peak peak;
    Peak intermediatePeak;
    /// Values whose size is not known (no shape, or a symbol without an example value); they count 0.
    std::vector<std::string> unknown;
    /// How a real run may differ, one sentence each; empty: exactly these graphs run.
    std::vector<std::string> approximations;
};

/// The profile of a single graph. Inputs are alive throughout, because the caller holds them; returned
/// values to the end; everything else until its last use.
[[nodiscard]] MemoryProfile profileGraph(const ir::Graph& graph, const ProfileOptions& options = {});

/// A training step: forward, loss, backward.
struct TrainingStepGraphs {
    const ir::Graph& forward;
    const ir::Graph& backward;
    /// How many of the forward's outputs are the user's; the rest is saved for backward.
    std::size_t forwardOutputs = 0;
    /// Positions of parameters and buffers among the forward's inputs.
    std::vector<std::size_t> staticInputs = {};
};

/// Parameters, buffers and inputs are alive throughout; saved activations until their last use in the
/// backward; outputs until the end of the loss, unless they are also saved; gradients to the end of the step.
[[nodiscard]] MemoryProfile profileTrainingStep(const TrainingStepGraphs& graphs,
                                                const ProfileOptions& options = {});

/// The memory profile of the training step in eager mode, predicted from the joint graph: the forward nodes
/// in order, then the loss, then the backward in autograd's order. A value lives until its last use, in the
/// backward if it is used there; the user's outputs live until the end of the loss, gradients to the end.
/// Nothing is recomputed, and common subexpressions are not merged. `approximations` lists how eager may
/// still differ. `staticInputs` as in TrainingStepGraphs.
[[nodiscard]] MemoryProfile profileEager(const ir::Graph& joint, std::size_t forwardOutputs,
                                         const std::vector<std::size_t>& staticInputs,
                                         const ProfileOptions& options = {});

/// The ranges alive at a position, largest first. They point into `profile`.
[[nodiscard]] std::vector<const LiveRange*> aliveAt(const MemoryProfile& profile, std::uint32_t position);

} // namespace aotscope::memory

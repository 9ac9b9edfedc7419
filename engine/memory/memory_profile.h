#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Predicted memory: which values are alive when, and the peaks that follow. Sizes are those of storages, so
/// that views count nothing; what an operator allocates and frees inside itself is not in a graph and not
/// counted.
namespace aotscope::memory {

enum class Category : std::uint8_t {
    Parameter,
    Buffer,
    /// Another input of the forward.
    Input,
    /// Kept by autograd from the forward to its last use in the backward.
    SavedActivation,
    /// What the user gets from the forward.
    Output,
    Tangent,
    Gradient,
    Temporary,
    /// Of the backward: computed in the forward already, and again.
    Recomputed,
};
inline constexpr std::size_t categoryCount = 9;

[[nodiscard]] std::string_view categoryName(Category category);

enum class Rounding : std::uint8_t {
    Exact,
    /// The CUDA caching allocator's blocks: multiples of 512 bytes.
    Blocks512,
};

struct ProfileOptions {
    Rounding rounding = Rounding::Exact;
    /// Values of symbols, before the graph's own example values.
    ir::SymbolBindings symbols = {};
    /// Whether an operator's result may be written over what it reads, element by element. Where given, such
    /// a result in a step's backward takes over the memory of a donated buffer (saved, and held by nobody
    /// else) that it is the last to read, and that has its dtype, device, size and strides: as compiled by
    /// Inductor, which does so with kernels in place of nodes. Null: a donated buffer is freed after its last
    /// use, as when the graphs run node by node.
    bool (*writesOver)(std::string_view target) = nullptr;
};

/// Memory that one or more values share, alive from the node at `from` until the one at `last` is done.
struct LiveRange {
    /// The node whose value it is first, and every other that shares it, by name.
    std::string name;
    std::vector<std::string> aliases;
    Category category = Category::Temporary;
    std::int64_t bytes = 0;
    /// Positions on the profile's time line.
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    /// In the forward graph, else in the backward graph; invalid: not there. Of eager's profile both are ids
    /// of the joint graph, and one is valid: the half that makes the value.
    ir::NodeId forwardNode;
    ir::NodeId backwardNode;
    /// The donated buffer whose memory it takes over, which ends where this begins; empty: it has its own.
    std::string takesOver = {};
};

struct Peak {
    std::uint32_t position = 0;
    std::int64_t bytes = 0;
};

/// Time goes by node: first the forward graph's in order, then one position for what lies between forward and
/// backward (the loss), then the backward graph's, then one for the optimizer. Of a single graph only its
/// own.
struct MemoryProfile {
    std::vector<LiveRange> ranges;
    /// Which node runs at each position: of the forward graph before `forwardEnd`, of the backward graph from
    /// `backwardBegin` on, of the joint graph for eager. Invalid: the loss, the optimizer.
    std::vector<ir::NodeId> nodes;
    /// Bytes alive at each position: what the node reads, what it makes, and what is kept.
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
    /// In what the true run may be different, one sentence each; empty: the graphs are what runs.
    std::vector<std::string> approximations;
};

/// One graph by itself. Inputs are alive throughout, as their owner holds them; everything else until its
/// last use, returned values to the end. For frozen graphs.
[[nodiscard]] MemoryProfile profileGraph(const ir::Graph& graph, const ProfileOptions& options = {});

/// A training step: forward, loss, backward.
struct TrainingStepGraphs {
    const ir::Graph& forward;
    const ir::Graph& backward;
    /// How many of the forward's outputs are the user's; the rest is saved for the backward.
    std::size_t forwardOutputs = 0;
    /// Positions among the forward's inputs of parameters and buffers, told apart by their sources.
    std::vector<std::size_t> staticInputs = {};
};

/// Parameters, buffers and inputs are alive throughout; saved activations to their last use in the backward;
/// outputs to the end of the loss, unless saved, too; gradients to the end of the step.
[[nodiscard]] MemoryProfile profileTrainingStep(const TrainingStepGraphs& graphs,
                                                const ProfileOptions& options = {});

/// What is alive at a position, largest first.
[[nodiscard]] std::vector<const LiveRange*> aliveAt(const MemoryProfile& profile, std::uint32_t position);

} // namespace aotscope::memory

#pragma once

#include "passes/op_facts.h"
#include "passes/partition_options.h"

#include "ir/graph.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

/// The joint graph as the partitioners work on it: flat arrays by position, because every step walks all
/// nodes. Private to engine/passes.
namespace aotscope::passes {

/// Position of a node in a JointProgram.
using Index = std::uint32_t;
inline constexpr Index noIndex = std::numeric_limits<Index>::max();

/// The kind of `node.meta["val"]`.
enum class ValueKind : std::uint8_t { Unknown, Tensor, SymInt, SymFloat, SymBool, Tuple, Other };

/// node.meta["recompute"]; follows torch 2.11, torch/utils/checkpoint.py: CheckpointPolicy.
enum class RecomputeTag : std::uint8_t { None, MustSave, PreferSave, MustRecompute, PreferRecompute };
AOTSCOPE_WORDS(RecomputeTag, "", "MUST_SAVE", "PREFER_SAVE", "MUST_RECOMPUTE", "PREFER_RECOMPUTE")

/// What a placeholder is to the partitioners; a backward token counts as a tangent. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/utils.py: _is_primal, _is_tangent, _is_fwd_seed_offset,
/// _is_bwd_seed_offset.
enum class InputRole : std::uint8_t { None, Primal, Tangent, ForwardSeed, BackwardSeed };

struct Item {
    ir::NodeId id;
    std::uint32_t op = 0;
    ir::Opcode opcode = ir::Opcode::CallFunction;
    ValueKind value = ValueKind::Unknown;
    RecomputeTag recompute = RecomputeTag::None;
    ir::PartitionerTag tag = ir::PartitionerTag::None;
    InputRole role = InputRole::None;
    bool noVersionCheck = false;
    /// Bytes of the value (_size_of): 1 for a symbolic number, the sum for several tensors.
    std::int64_t bytes = 0;

    [[nodiscard]] bool is(std::uint32_t flag) const { return (op & flag) != 0; }
    [[nodiscard]] bool isSymbolic() const {
        return value == ValueKind::SymInt || value == ValueKind::SymFloat || value == ValueKind::SymBool;
    }
    [[nodiscard]] bool mustRecompute() const {
        return recompute == RecomputeTag::MustRecompute || recompute == RecomputeTag::PreferRecompute;
    }
    [[nodiscard]] bool mustBeInForward() const {
        const bool backward =
            tag == ir::PartitionerTag::Backward || tag == ir::PartitionerTag::MustBeInBackward;
        return tag == ir::PartitionerTag::MustBeInForward || (!backward && is(OpMutable));
    }
    [[nodiscard]] bool mustBeInBackward() const {
        return tag == ir::PartitionerTag::MustBeInBackward ||
               (tag == ir::PartitionerTag::Backward && is(OpMutable));
    }
};

/// One value the joint graph returns: a node, or a constant (None).
struct ReturnedValue {
    Index node = noIndex;
    ir::Argument literal;
    ir::Descriptor descriptor;
};

/// By index, which of `count` are in one of the lists.
[[nodiscard]] std::vector<bool> marked(Index count, std::initializer_list<std::span<const Index>> lists);

/// How many of the values that a joint graph returns are the forward's.
[[nodiscard]] std::size_t forwardOutputsOf(const ir::Graph& joint, const PartitionOptions& options);

class JointProgram {
public:
    /// Takes the nodes of `order`. `replacement`, by node id index or empty, gives the node to use instead;
    /// an invalid id: the node itself. `graph` and `replacement` must outlive the program.
    JointProgram(const ir::Graph& graph, std::span<const ir::NodeId> order,
                 std::span<const ir::NodeId> replacement, const PartitionOptions& options,
                 const NodeFlags& flags);

    [[nodiscard]] const ir::Graph& graph() const { return m_graph; }
    [[nodiscard]] Index size() const { return static_cast<Index>(items.size()); }
    [[nodiscard]] const Item& operator[](Index i) const { return items[i]; }
    [[nodiscard]] const ir::Node& node(Index i) const { return m_graph.node(items[i].id); }
    [[nodiscard]] const std::string& name(Index i) const { return node(i).name; }
    /// Distinct inputs in order of appearance.
    [[nodiscard]] std::span<const Index> inputs(Index i) const {
        return std::span(m_inputs).subspan(m_inputOffsets[i], m_inputOffsets[i + 1] - m_inputOffsets[i]);
    }
    /// Distinct users in program order.
    [[nodiscard]] std::span<const Index> users(Index i) const {
        return std::span(m_users).subspan(m_userOffsets[i], m_userOffsets[i + 1] - m_userOffsets[i]);
    }
    /// The position of a node after replacement; noIndex: the node was removed. `id` must be valid.
    [[nodiscard]] Index indexOf(ir::NodeId id) const;
    /// Argument `position` if it is a node, else noIndex.
    [[nodiscard]] Index argument(Index i, std::size_t position) const;
    [[nodiscard]] Index output() const { return m_output; }

    /// Everything the joint graph returns; the first `forwardOutputs` values belong to the forward.
    std::vector<ReturnedValue> returned;
    std::size_t forwardOutputs = 0;
    std::vector<Index> primals;
    std::vector<Index> tangents;
    std::vector<Index> forwardSeeds;
    std::vector<Index> backwardSeeds;
    std::vector<Item> items;
    /// Symbols without an example value; sizes count each as 4096, as PyTorch does.
    std::vector<std::string> unboundSymbols;

private:
    void connect(std::span<const ir::NodeId> order);
    void readReturned();

    const ir::Graph& m_graph;
    std::span<const ir::NodeId> m_replacement;
    std::vector<Index> m_indexOf;
    std::vector<std::uint32_t> m_inputOffsets;
    std::vector<Index> m_inputs;
    std::vector<std::uint32_t> m_userOffsets;
    std::vector<Index> m_users;
    Index m_output = noIndex;
};

} // namespace aotscope::passes

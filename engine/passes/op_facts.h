#pragma once

#include "passes/partition_rules.h"

#include "ir/graph.h"

#include <cstdint>
#include <string_view>
#include <vector>

/// What the partitioners need to know of an operator. Follows torch 2.11, torch/_functorch/partitioners.py:
/// get_default_op_list, and torch/fx/node.py: Node.is_impure.
namespace aotscope::passes {

/// Properties of an operator. They hold for all its overloads, except those marked (overload).
enum OpFlag : std::uint32_t {
    /// Can be fused into one kernel with a fusible neighbour: recomputable or random.
    OpFusible = 1U << 0U,
    OpComputeIntensive = 1U << 1U,
    OpRandom = 1U << 2U,
    OpView = 1U << 3U,
    /// Cheap enough to recompute: in `default_recomputable_ops`, which includes all pointwise operators.
    OpRecomputable = 1U << 4U,
    /// Never merged with an equal call (`rand_ops` and aten.empty).
    OpNotMergeable = 1U << 5U,
    OpGetitem = 1U << 6U,
    OpCat = 1U << 7U,
    /// aten.lift_fresh(_copy).default (overload)
    OpLiftFresh = 1U << 8U,
    /// The schema writes to an argument (overload).
    OpMutable = 1U << 9U,
    /// Dead code elimination keeps it: mutable, effectful, or in FX's list (overload).
    OpImpure = 1U << 10U,
    /// torch.Tag.nondeterministic_seeded (overload)
    OpSeeded = 1U << 11U,
    /// In the namespace _c10d_functional.
    OpCollective = 1U << 12U,
    OpWaitTensor = 1U << 13U,
    /// aten.copy_.default
    OpCopyInto = 1U << 14U,
    /// Assertions and profiler marks, which the default partition never saves.
    OpNeverSaved = 1U << 15U,
    OpWithEffects = 1U << 16U,
    OpAutoFunctionalized = 1U << 17U,
    OpTritonWrapper = 1U << 18U,
    /// In the namespace aten, prim or prims, or not a dispatcher operator at all.
    OpBuiltin = 1U << 19U,
    /// An ATen, prims or custom operator: torch._ops.OpOverload.
    OpOverload = 1U << 20U,
    /// aten.view.default or aten.reshape.default
    OpReshape = 1U << 21U,
    OpAssertScalar = 1U << 22U,
    /// The call draws random numbers (is_rng_op): seeded, and no attention without dropout. Only nodeFlags
    /// tells, because it depends on the call's arguments.
    OpDraws = 1U << 23U,
};

/// The flags of a call_function target ("aten.add.Tensor", "_operator.getitem").
[[nodiscard]] std::uint32_t opFlags(std::string_view target, const PartitionRules& rules = {});

/// What a functional wrapper of a mutation (auto_functionalized, triton_kernel_wrapper_functional) writes to,
/// in copies; nothing for other nodes.
[[nodiscard]] std::vector<const ir::Argument*> writtenOperands(const ir::Node& node);

/// Flags by node id index; 0 for a node that is not a call_function.
using NodeFlags = std::vector<std::uint32_t>;
[[nodiscard]] NodeFlags nodeFlags(const ir::Graph& graph, const PartitionRules& rules);

/// Whether a call of an FX target can end its process (ir::Trait::CanEndProcess). Such graphs run in a
/// process of their own.
[[nodiscard]] bool canEndProcess(std::string_view target);

/// Whether a node of the graph or of a graph in it can.
[[nodiscard]] bool canEndProcess(const ir::Graph& graph);

} // namespace aotscope::passes

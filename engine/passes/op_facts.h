#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <string_view>
#include <vector>

/// What the partitioners ask of an operator (OpTypes, is_impure and is_mutation_op of the wheel).
namespace aotscope::passes {

/// The kinds a partitioner tells operators apart by. They belong to an operator with all its overloads,
/// except those marked (overload).
enum OpFlag : std::uint32_t {
    /// May be computed in one kernel with a fusible neighbour: recomputable or random.
    OpFusible = 1U << 0U,
    OpComputeIntensive = 1U << 1U,
    OpRandom = 1U << 2U,
    OpView = 1U << 3U,
    /// On the list of operators cheap enough to compute again (`default_recomputable_ops`, all pointwise
    /// ones).
    OpRecomputable = 1U << 4U,
    /// Never merged with an equal call (`rand_ops` and aten.empty).
    OpNotMergeable = 1U << 5U,
    OpGetitem = 1U << 6U,
    OpCat = 1U << 7U,
    /// aten.lift_fresh(_copy).default (overload)
    OpLiftFresh = 1U << 8U,
    /// The schema writes to an argument (overload).
    OpMutable = 1U << 9U,
    /// Kept although nothing uses it: mutable, effectful, or on FX's list (overload).
    OpImpure = 1U << 10U,
    /// torch.Tag.nondeterministic_seeded (overload)
    OpSeeded = 1U << 11U,
    /// Of the namespace _c10d_functional.
    OpCollective = 1U << 12U,
    OpWaitTensor = 1U << 13U,
    /// aten.copy_.default
    OpCopyInto = 1U << 14U,
    /// Checks and profiler marks that the default partition never saves.
    OpNeverSaved = 1U << 15U,
    OpWithEffects = 1U << 16U,
    OpAutoFunctionalized = 1U << 17U,
    OpTritonWrapper = 1U << 18U,
    /// Of a namespace aten, prim or prims; or no operator of the dispatcher at all.
    OpBuiltin = 1U << 19U,
    /// An ATen, prims or custom operator: torch._ops.OpOverload.
    OpOverload = 1U << 20U,
    /// aten.view.default or aten.reshape.default
    OpReshape = 1U << 21U,
    OpAssertScalar = 1U << 22U,
};

/// The flags of a call_function target ("aten.add.Tensor", "_operator.getitem").
[[nodiscard]] std::uint32_t opFlags(std::string_view target);

/// Flags by node id index; 0 for what is no call_function.
using NodeFlags = std::vector<std::uint32_t>;
[[nodiscard]] NodeFlags nodeFlags(const ir::Graph& graph);

/// "aten.add" of "aten.add.Tensor"; the target itself where it has no overload.
[[nodiscard]] std::string_view overloadPacket(std::string_view target);

} // namespace aotscope::passes

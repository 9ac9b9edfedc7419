#pragma once

#include "run/execution/executor.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Runs a higher-order operator by running its subgraphs: control flow, effects, invoke_subgraph,
/// auto_functionalized, wrappers of random state, flex_attention. Throws RunFailure
/// (run.unsupported_higher_order) with the name of an unknown one. Follows torch 2.11,
/// torch/_higher_order_ops and torch/_prims/rng_prims.py.
[[nodiscard]] c10::IValue callHigherOrder(Executor& executor, const Frame& frame, ir::NodeId node);

/// A higher-order call: its node, and access to its arguments. All throw RunFailure (run.arguments).
struct HigherOrderCall {
    Executor& executor;
    const Frame& frame;
    ir::NodeId id;
    const ir::Node& node;

    [[nodiscard]] const ir::Argument& argument(std::size_t index) const;
    [[nodiscard]] c10::IValue value(std::size_t index) const { return argumentValue(argument(index), frame); }
    /// The elements of an argument.
    [[nodiscard]] std::vector<c10::IValue> values(std::size_t index) const;
    /// The same of an argument that may be missing.
    [[nodiscard]] std::vector<c10::IValue> valuesIfAny(std::size_t index) const;
    /// The positional arguments from `first` on.
    [[nodiscard]] std::vector<c10::IValue> rest(std::size_t first) const;
    [[nodiscard]] ir::GraphPtr graph(const ir::Argument& argument) const;
    [[nodiscard]] ir::GraphPtr graph(std::size_t index) const { return graph(argument(index)); }
    /// The target of an operator that is passed as a value.
    [[nodiscard]] std::string op(std::size_t index) const;
    [[nodiscard]] std::vector<c10::IValue> run(const ir::GraphPtr& body,
                                               std::vector<c10::IValue> inputs) const {
        return executor.run(*body, std::move(inputs));
    }
};

/// `auto_functionalized(op, **arguments)`: calls a mutating operator on copies of the arguments that it
/// writes to. Returns its results followed by the copies. Follows torch 2.11,
/// torch/_higher_order_ops/auto_functionalize.py: auto_functionalized_dense.
[[nodiscard]] c10::IValue autoFunctionalized(const HigherOrderCall& call);
/// The second version (auto_functionalized_v2_dense): `_all_bases` lists the mutated tensors, and each
/// mutable argument x is a view of a base (`_x_base_index`, `_x_size`, `_x_stride`, `_x_storage_offset`,
/// `_x_alias`, `_x_slice_…`). The operator may be invoke_subgraph, whose inputs are then named arg0, arg1, ….
[[nodiscard]] c10::IValue autoFunctionalizedV2(const HigherOrderCall& call);

/// `flex_attention` by its definition: the full score matrix, the score and mask functions called once on
/// tensors of all positions, softmax in float32 or wider. Returns the output, the log-sum-exp (base 2) and
/// the maximum scores. Follows torch 2.11, torch/_higher_order_ops/flex_attention.py: math_attention.
[[nodiscard]] c10::IValue flexAttention(const HigherOrderCall& call);
/// Its backward by definition (sdpa_dense_backward): gradients of query, key, value and the buffers that the
/// score function reads.
[[nodiscard]] c10::IValue flexAttentionBackward(const HigherOrderCall& call);

} // namespace aotscope::torch

#pragma once

#include "passes/partition.h"

#include "ir/graph.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::passes {

/// One input of the backward graph as its compiler receives it.
struct BackwardInput {
    enum class Kind : std::uint8_t { SavedSymbol, SavedTensor, Tangent };

    std::string name;
    Kind kind = Kind::SavedTensor;
    /// The backward may overwrite it, because nothing else holds its memory.
    bool donated = false;
    /// As traced, in elements; nothing: not a tensor, or not known.
    std::optional<ir::SymInts> stride;
    /// The stride that the compiled forward returns, where it differs from `stride`.
    std::optional<ir::SymInts> restrided;
};
AOTSCOPE_MEMBERS(BackwardInput, name, kind, donated, stride, restrided)
AOTSCOPE_WORDS(BackwardInput::Kind, "saved symbol", "saved tensor", "tangent")

/// The inputs of a partition's backward in order. `compiled` is the backward graph that the compiler received
/// (Inductor's before_post_grad_graph): its placeholders have the strides that the compiled forward chose.
/// Null: the forward runs as traced. Only the strides of saved tensors can differ. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: _aot_stage2b_bw_compile.
[[nodiscard]] std::vector<BackwardInput> backwardInputs(const Partition& partition,
                                                        const ir::Graph* compiled = nullptr);

/// Whether both graphs have the same placeholder names in the same order.
[[nodiscard]] bool takesSameInputs(const ir::Graph& left, const ir::Graph& right);

} // namespace aotscope::passes

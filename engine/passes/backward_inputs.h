#pragma once

#include "passes/partition.h"

#include "ir/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::passes {

/// One input of the backward as its compiler is given it.
struct BackwardInput {
    enum class Kind : std::uint8_t { SavedSymbol, SavedTensor, Tangent };

    std::string name;
    Kind kind = Kind::SavedTensor;
    /// The backward may overwrite it: nobody else holds its memory.
    bool donated = false;
    /// As traced; nothing: no tensor, or not known.
    std::optional<ir::SymInts> stride;
    /// As the compiled forward really returned it, where that is another.
    std::optional<ir::SymInts> restrided;
};

/// The inputs of a partition's backward in order. `compiled` is the backward as its compiler was given it
/// (Inductor's before_post_grad_graph), whose placeholders have the strides that the compiled forward chose;
/// null where the forward runs as traced. Only saved tensors are given other strides.
[[nodiscard]] std::vector<BackwardInput> backwardInputs(const Partition& partition,
                                                        const ir::Graph* compiled = nullptr);

/// Whether both graphs take inputs of the same names in the same order.
[[nodiscard]] bool takesSameInputs(const ir::Graph& left, const ir::Graph& right);

} // namespace aotscope::passes

#pragma once

#include "fake/operator_model.h"

/// Symbolic shapes, guards and data-dependent results by the files that define them; the operators they
/// belong to are in operators.
namespace aotscope::torch::symbolic {

using ShapeFunction = SymbolicShape(const FakeCall& call, std::size_t result);
using GuardFunction = void(const FakeCall& call);
using FormatFunction = std::optional<at::MemoryFormat>(c10::ArrayRef<c10::IValue> arguments);
using DataFunction = std::vector<c10::IValue>(const FakeCall& call);

/// The sizes of that argument.
template<std::size_t argument>
SymbolicShape asArgument(const FakeCall& call, std::size_t /*result*/) {
    return {call.sizes(argument), {}, {}};
}

// broadcasting.cpp
ShapeFunction ofBoth, quick, batchNorm, layerNorm, layerNormGradient, groupNorm;
GuardFunction askQuick;
// images.cpp
ShapeFunction convolved, pooled, padded, imageColumns, image, shuffled, unshuffled, groupNormGradient, halved,
    joinedHalves, convolutionGradient;
// pieces.cpp
ShapeFunction range, masked, diagonal, diagonalCopy, diagonalMatrices, blocks, joined, stacked, repeated,
    copyOfFirst, preserved, realParts, complexNumbers, reinterpreted, unfolded, unfoldedView, unbound,
    selected, embedded, bags, transposedMatrix, transposed, permuted, squeezed, unsqueezed;
GuardFunction askDiagonal, guardJoined, askStacked;
// data_dependent.cpp
DataFunction nonzero, item, maskedSelect, repeatInterleave, bincount, unique, uniqueConsecutive;
// fast_path_layout.cpp
FormatFunction paddedFormat, contiguousFormat;

} // namespace aotscope::torch::symbolic

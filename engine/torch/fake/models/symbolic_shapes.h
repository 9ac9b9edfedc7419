#pragma once

#include "fake/operator_model.h"

/// Symbolic shapes, guards and data-dependent results by the files that define them; the operators they
/// belong to are in operators.
namespace aotscope::torch::symbolic {

using ShapeFunction = SymbolicShape(const FakeCall& call, std::size_t result);
using GuardFunction = void(const FakeCall& call);
using DataFunction = std::vector<c10::IValue>(const FakeCall& call);

// broadcasting.cpp
ShapeFunction ofBoth, quick, batchNorm, layerNorm, layerNormGradient, groupNorm;
GuardFunction askQuick;
// images.cpp
ShapeFunction convolved, pooled, padded, imageColumns, image, shuffled, unshuffled, groupNormGradient, halved,
    joinedHalves, asSecond, convolutionGradient;
// indexing.cpp
ShapeFunction indexed;
// matrices.cpp
ShapeFunction singularValues, orthogonal, reflectors, factored, triangles, unpacked, pairs, distances,
    attention, realTransform, product, addedProduct;
GuardFunction askProduct, askAddedProduct, askLastLength;
// pieces.cpp
ShapeFunction rangeTo, rangeFrom, rangeBy, masked, diagonal, diagonalCopy, diagonalMatrices, blocks, joined,
    stacked, repeated, copied, asFirst, preserved, realParts, complexNumbers, reinterpreted, unfolded,
    unfoldedView, unbound, gathered, selected, embedded, bags, copyOfFirst;
GuardFunction askDiagonal, guardJoined, askStacked;
// reductions.cpp
ShapeFunction reduced, reducedAndComputed;
GuardFunction askClasses;
// data_dependent.cpp
DataFunction nonzero, item, maskedSelect, repeatInterleave, bincount, unique, uniqueSlices, uniqueConsecutive;

} // namespace aotscope::torch::symbolic

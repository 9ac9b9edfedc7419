#include "fake/meta/like_operand.h"

#include "fake/meta/layouts.h"

namespace aotscope::torch {

ShapeResults contiguousLikeSelf(const ShapeCall& call) {
    return {emptyContiguous(call.tensor("self"))};
}

ShapeResults likeSelf(const ShapeCall& call) {
    return {emptyLike(call.tensor("self"))};
}

ShapeResults likeFirst(const ShapeCall& call) {
    return {emptyLike(call.firstTensor())};
}

} // namespace aotscope::torch

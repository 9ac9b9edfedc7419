#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <algorithm>

namespace aotscope::torch::shapes {

namespace {

/// Integers are summed in 64 bits.
c10::ScalarType sumType(const ShapeCall& call, const at::Tensor& self) {
    if (const auto named = call.dtype()) {
        return *named;
    }
    return c10::isIntegralType(self.scalar_type(), true) ? c10::kLong : self.scalar_type();
}

at::Tensor overCorrectedDims(const ShapeCall& call, c10::ScalarType type) {
    const at::Tensor self = call.tensor("self");
    return newEmpty(self, reducedSizes(self, call.integers("dim"), call.flag("keepdim")), type);
}

} // namespace

ShapeResults oneValue(const ShapeCall& call) {
    return {newEmpty(call.firstTensor(), {})};
}

ShapeResults wholeSum(const ShapeCall& call) {
    const at::Tensor self = call.firstTensor();
    return {newEmpty(self, {}, sumType(call, self))};
}

ShapeResults sumOverDims(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {
        newEmpty(self, reducedSizes(self, call.integers("dim"), call.flag("keepdim")), sumType(call, self))};
}

ShapeResults countNonzero(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes dims = call.has("dim")
                           ? (call.value("dim").isInt() ? Sizes{call.integer("dim")} : call.integers("dim"))
                           : Sizes();
    return {newEmpty(self, reducedSizes(self, dims, false), c10::kLong)};
}

/// A variance of complex numbers is real.
ShapeResults variance(const ShapeCall& call) {
    return {overCorrectedDims(call, realTypeOf(call.tensor("self").scalar_type()))};
}

ShapeResults varianceAndMean(const ShapeCall& call) {
    const c10::ScalarType type = call.tensor("self").scalar_type();
    return {overCorrectedDims(call, realTypeOf(type)), overCorrectedDims(call, type)};
}

ShapeResults logSumExp(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {newEmpty(self, reducedSizes(self, call.integers("dim"), call.flag("keepdim")),
                     floatTypeOf(self.scalar_type()))};
}

/// Values and their indices along one dimension.
ShapeResults valuesAndIndices(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes sizes = reducedSizes(self, {call.integer("dim")}, call.flag("keepdim"));
    return {newEmpty(self, sizes), newEmpty(self, sizes, c10::kLong)};
}

ShapeResults kthValue(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t dim = wrapDim(call.integer("dim"), self.dim());
    const std::int64_t length = self.dim() > 0 ? self.size(dim) : 1;
    TORCH_CHECK(call.integer("k") >= 1 && call.integer("k") <= length,
                "kthvalue(): selected number k out of range for dimension ", dim);
    return valuesAndIndices(call);
}

ShapeResults minAndMax(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes sizes =
        call.has("dim") ? reducedSizes(self, {call.integer("dim")}, call.flag("keepdim")) : Sizes();
    return {newEmpty(self, sizes), newEmpty(self, sizes)};
}

ShapeResults sorted(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyLike(self), emptyLike(self, c10::kLong)};
}

/// Where values would be inserted; `self` may be a number.
ShapeResults insertionPoints(const ShapeCall& call) {
    const c10::ScalarType type = call.flag("out_int32") ? c10::kInt : c10::kLong;
    const c10::IValue& self = call.value("self");
    return {self.isTensor() ? emptyContiguous(self.toTensor(), type)
                            : newEmpty(call.firstTensor(), {}, type)};
}

ShapeResults histc(const ShapeCall& call) {
    return {newEmpty(call.tensor("self"), {call.integer("bins")})};
}

ShapeResults histogramOfCount(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t bins = call.integer("bins");
    return {newEmpty(self, {bins}), newEmpty(self, {bins + 1})};
}

ShapeResults histogramOfEdges(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor edges = call.tensor("bins");
    return {newEmpty(self, {edges.numel() - 1}), newEmpty(self, {edges.numel()})};
}

ShapeResults segmentReduce(const ShapeCall& call) {
    const at::Tensor data = call.tensor("data");
    const at::Tensor lengths = call.tensor("lengths");
    const at::Tensor offsets = call.tensor("offsets");
    TORCH_CHECK(lengths.defined() || offsets.defined(),
                "segment_reduce(): Either lengths or offsets must be defined.");
    Sizes sizes = sizesOf(lengths.defined() ? lengths : offsets);
    if (!lengths.defined()) {
        --sizes.back();
    }
    const auto rest = data.sizes().slice(static_cast<std::size_t>(call.integer("axis")) + 1);
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return {newEmpty(data, sizes)};
}

ShapeResults segmentReduceBackward(const ShapeCall& call) {
    return {emptyContiguous(call.tensor("data"), call.tensor("grad").scalar_type())};
}

} // namespace aotscope::torch::shapes

#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

/// Reductions, softmax, order.
namespace aotscope::torch {

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
    return {overCorrectedDims(call, c10::toRealValueType(call.tensor("self").scalar_type()))};
}

ShapeResults varianceAndMean(const ShapeCall& call) {
    const c10::ScalarType type = call.tensor("self").scalar_type();
    return {overCorrectedDims(call, c10::toRealValueType(type)), overCorrectedDims(call, type)};
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
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
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

ShapeResults histc(const ShapeCall& call) {
    return {newEmpty(call.tensor("self"), {call.integer("bins")})};
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

/// A reduction of the first tensor. The reduced dimensions are put back into new memory with the number of
/// elements behind them as their stride.
SymbolicShape reduced(const FakeCall& call, std::size_t /*result*/) {
    const c10::FunctionSchema& schema = call.op.schema();
    const auto dim = schema.argumentIndexWithName("dim");
    const auto keep = schema.argumentIndexWithName("keepdim");
    if (!dim || !keep || !call.arguments[0].isTensor()) {
        return {};
    }
    const SymbolicSizes sizes = call.sizes();
    const c10::IValue& given = call.arguments[static_cast<std::size_t>(*dim)];
    std::vector<std::int64_t> summed;
    if (given.isInt()) {
        summed.push_back(given.toInt());
    } else if (given.isIntList()) {
        summed = given.toIntVector();
    }
    std::vector<bool> goes(sizes.size(), summed.empty());
    for (const std::int64_t one : summed) {
        if (!sizes.empty()) {
            goes[dimensionIndex(one, sizes.size())] = true;
        }
    }
    const bool kept = call.arguments[static_cast<std::size_t>(*keep)].toBool();
    SymbolicShape shape;
    shape.strides.resize(kept ? sizes.size() : 0);
    c10::SymInt next = 1;
    c10::SymInt behind = 1;
    for (std::size_t d = shape.strides.size(); d-- > 0;) {
        shape.strides[d] = goes[d] ? behind : next;
        if (!goes[d]) {
            behind = next * sizes[d];
            next = next * sizes[d].max(1);
        }
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (!goes[d] || kept) {
            shape.sizes.push_back(goes[d] ? c10::SymInt(1) : sizes[d]);
        }
    }
    return shape;
}

/// A reduction that ends in pointwise arithmetic (a quotient, a root), which lays its result out anew.
SymbolicShape reducedAndComputed(const FakeCall& call, std::size_t result) {
    return {reduced(call, result).sizes, {}, {}};
}

} // namespace

void addReductionRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"amax"}, reduced, Memory::New,
             InInductor{[](const DecompositionCall& call) { return decomposed::ofBooleans(call, at::any); }});
    rows.add({"amin"}, reduced, Memory::New,
             InInductor{[](const DecompositionCall& call) { return decomposed::ofBooleans(call, at::all); }});
    rows.add({"dist"}, InInductor{[](const DecompositionCall& call) -> Decomposed {
                 return at::norm(call.tensor("self") - call.tensor("other"), call.scalar("p"));
             }});
    rows.add({"_softmax_backward_data"}, InCore{decomposed::softmaxBackward},
             InInductor{decomposed::inductorSoftmaxBackward});
    rows.add({"all"}, reduced, decomposed::all);
    rows.add({"all.dim", "all.dims"}, decomposed::all);
    rows.add({"count_nonzero"}, countNonzero, reduced, decomposed::countNonzero);
    rows.add({"count_nonzero.dim_IntList"}, countNonzero, decomposed::countNonzero);
    rows.add({"logsumexp"}, logSumExp, reduced, decomposed::logsumexp);
    rows.add({"std.correction"}, variance, decomposed::standardDeviation);
    rows.add({"std_mean.correction"}, varianceAndMean, decomposed::standardDeviationAndMean);
    rows.add({"sum"}, reduced, Memory::New, InCore{[](const DecompositionCall& call) -> Decomposed {
                 return at::sum(call.tensor("self"), at::OptionalIntArrayRef(at::IntArrayRef()), false,
                                call.dtype());
             }});
    rows.add({"nansum"}, sumOverDims, reduced, decomposed::nansum);
    rows.add({"aminmax"}, reduced, decomposed::aminmax);
    rows.add({"norm.Scalar", "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim", "norm.ScalarOpt_dim_dtype"},
             decomposed::norm);
    rows.add({"trace"}, wholeSum, decomposed::trace);
    rows.add({"_softmax"}, InInductor{decomposed::softmax});
    rows.add({"_log_softmax"}, InInductor{decomposed::logSoftmax});
    rows.add({"_log_softmax_backward_data"}, shapes::logSoftmaxBackward, decomposed::logSoftmaxBackward);
    rows.add({"_safe_softmax"}, shapes::safeSoftmax, decomposed::safeSoftmax);
    rows.add({"linalg_vector_norm"}, reduced, InCore{decomposed::coreVectorNorm},
             InInductor{decomposed::vectorNorm});
    rows.add({"_masked_softmax", "_masked_softmax_backward"}, shapes::contiguousLike<0>);
    rows.add({"max", "min", "median", "nanmedian"}, shapes::oneValue, reduced);
    rows.add({"prod"}, wholeSum, reduced);
    rows.add({"var.correction"}, variance);
    rows.add({"var_mean.correction"}, varianceAndMean);
    rows.add({"median.dim", "nanmedian.dim"}, valuesAndIndices);
    rows.add({"mode"}, valuesAndIndices, reduced);
    rows.add({"kthvalue"}, kthValue, reduced);
    rows.add({"_aminmax", "_aminmax.dim"}, minAndMax);
    rows.add({"sort", "sort.stable"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        return {emptyLike(self), emptyLike(self, c10::kLong)};
    });
    rows.add({"logcumsumexp", "_logcumsumexp"}, shapes::contiguousLike<0>);
    rows.add({"histc"}, histc);
    rows.add({"histogram.bin_ct"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        const std::int64_t bins = call.integer("bins");
        return {newEmpty(self, {bins}), newEmpty(self, {bins + 1})};
    });
    rows.add({"histogram.bins_tensor"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        const at::Tensor edges = call.tensor("bins");
        return {newEmpty(self, {edges.numel() - 1}), newEmpty(self, {edges.numel()})};
    });
    rows.add({"segment_reduce"}, segmentReduce);
    rows.add({"_segment_reduce_backward"}, [](const ShapeCall& call) -> ShapeResults {
        return {emptyContiguous(call.tensor("data"), call.tensor("grad").scalar_type())};
    });
    rows.add({"mean"}, reducedAndComputed, Memory::New);
    rows.add({"std"}, reducedAndComputed);
    rows.add({"var", "var_mean", "std_mean", "argmax", "argmin", "any", "norm"}, reduced);
}

} // namespace aotscope::torch

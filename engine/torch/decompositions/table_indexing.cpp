#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "fake/known_contiguity.h"

#include <limits>

/// Reading and writing by index, and the gradients of views.
namespace aotscope::torch::decomposed {

namespace {

using python::Indices;

/// `x[:, :, …]`: Python's indexing slices only dimensions of symbolic size.
at::Tensor wholeDimensions(at::Tensor x, std::int64_t count) {
    for (std::int64_t dim = 0; dim < count; ++dim) {
        if (x.sym_size(dim).is_symbolic()) {
            x = x.slice_symint(dim, 0, std::numeric_limits<std::int64_t>::max());
        }
    }
    return x;
}

Indices clamped(const at::Tensor& x, const Indices& indices, bool negative) {
    Indices result;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::optional<at::Tensor> index = indices.get(i);
        if (!index) {
            result.push_back(index);
            continue;
        }
        const c10::SymInt size = x.sym_size(static_cast<std::int64_t>(i));
        const c10::Scalar lowest = negative ? c10::Scalar(-size) : c10::Scalar(0);
        result.push_back(index->clamp(lowest, c10::Scalar(size - 1)));
    }
    return result;
}

Decomposed indexAddAt(const DecompositionCall& call, const at::Tensor& index) {
    const at::Tensor x = call.tensor("self");
    at::Tensor source = call.tensor("source");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), x.dim());
    const c10::Scalar alpha = call.scalar("alpha");
    static_cast<void>((source.dim() > 0 ? source.sym_size(dim) : c10::SymInt(1))
                          .sym_eq(index.dim() == 1 ? index.sym_size(0) : c10::SymInt(1)));
    if (!(alpha.isBoolean() ? alpha.toBool() : alpha.equal(1))) {
        source = source * alpha;
    }
    const bool scalar = x.dim() == 0;
    const at::Tensor target = scalar ? x.unsqueeze(0) : x;
    const at::Tensor out = at::index_put(target, python::indexAt(dim, index), source, true);
    return scalar ? out.squeeze(0) : contiguousMemory(out);
}

} // namespace

Decomposed unsafeIndexPut(const DecompositionCall& call) {
    return at::index_put(call.tensor("self"), call.indices("indices"), call.tensor("values"),
                         call.flag("accumulate"));
}

Decomposed unsafeMaskedIndex(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const Indices indices = clamped(x, call.indices("indices"), false);
    const at::Tensor read = at::_unsafe_index(x, indices);
    return at::masked_fill(read, at::bitwise_not(call.tensor("mask")), call.scalar("fill"));
}

Decomposed unsafeMaskedIndexPut(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const Indices indices = clamped(x, call.indices("indices"), true);
    const at::Tensor values = at::masked_fill(call.tensor("values"), at::bitwise_not(call.tensor("mask")), 0);
    return at::_unsafe_index_put(x, indices, values, true);
}

Decomposed embeddingDenseBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_output");
    const c10::ScalarType result = grad.scalar_type();
    grad = python::convert(grad, python::computationType(result));
    const at::Tensor indices = python::convert(call.tensor("indices"), c10::kLong);
    const c10::SymInt rows = call.symInt("num_weights");
    const Indices byRow = python::indexAt(0, indices);
    const c10::Scalar padding(call.symInt("padding_idx"));
    std::vector<c10::SymInt> shape = python::sizes(grad, indices.dim());
    shape.insert(shape.begin(), rows);
    if (call.rules().decompositions.embeddingBackwardMasksIndices) {
        const at::Tensor isNotBelow = indices.ge(0);
        const at::Tensor valid = isNotBelow & indices.lt(c10::Scalar(rows));
        if (call.flag("scale_grad_by_freq")) {
            at::Tensor counts = python::newZeros(indices, {rows});
            const at::Tensor ones = at::ones_like(indices, python::options());
            counts = at::_unsafe_masked_index_put_accumulate(counts, valid, byRow, ones);
            grad = grad / at::_unsafe_masked_index(counts, valid, byRow, 1).unsqueeze(-1);
        }
        const at::Tensor mask = python::unsqueezeToDim(valid & indices.ne(padding), grad.dim());
        const at::Tensor weight = python::newZeros(grad, shape);
        return python::convert(at::_unsafe_masked_index_put_accumulate(weight, mask, byRow, grad), result);
    }
    if (call.flag("scale_grad_by_freq")) {
        at::Tensor counts = python::newZeros(indices, {rows});
        counts = at::_unsafe_index_put(counts, byRow, at::ones_like(indices, python::options()), true);
        grad = grad / at::index(counts, byRow).unsqueeze(-1);
    }
    const at::Tensor mask = python::unsqueezeToDim(indices.eq(padding), grad.dim());
    const at::Tensor kept = at::masked_fill(grad, mask, 0);
    const at::Tensor weight = python::newZeros(grad, shape);
    return python::convert(at::_unsafe_index_put(weight, byRow, kept, true), result);
}

Decomposed maskedFill(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor mask = call.tensor("mask");
    if (call.schema().overload_name() == "Tensor") {
        const at::Tensor value = python::convert(call.tensor("value"), self.scalar_type());
        return at::where(mask, value, self).contiguous();
    }
    const c10::Scalar given = call.scalar("value");
    const c10::Scalar value =
        given.isComplex() ? given : python::numberOf(given.toDouble(), self.scalar_type());
    return at::where(mask, value, self).contiguous();
}

Decomposed indexAdd(const DecompositionCall& call) {
    return indexAddAt(call, call.tensor("index"));
}

Decomposed indexAddUnlessBfloat16(const DecompositionCall& call) {
    if (call.tensor("self").scalar_type() == c10::kBFloat16) {
        return Decomposed::notApplicable();
    }
    const at::Tensor index = call.tensor("index");
    const bool widens = index.dim() == 0 && call.rules().decompositions.indexAddUnsqueezesScalars;
    return indexAddAt(call, widens ? index.unsqueeze(0) : index);
}

Decomposed indexCopy(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    at::Tensor index = call.tensor("index");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), x.dim());
    const bool scalar = x.dim() == 0;
    const at::Tensor target = scalar ? x.unsqueeze(0) : x;
    if (index.dim() == 0) {
        index = index.unsqueeze(0);
    }
    const at::Tensor out = at::index_put(target, python::indexAt(dim, index), call.tensor("source"));
    return scalar ? out.squeeze(0) : contiguousMemory(out);
}

Decomposed indexFill(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const at::Tensor index = call.tensor("index");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), x.dim());
    at::Tensor value =
        call.schema().overload_name() == "int_Tensor"
            ? call.tensor("value")
            : at::scalar_tensor(call.scalar("value"),
                                python::options(x.scalar_type(), x.device()).layout(c10::kStrided));
    const bool scalar = x.dim() == 0;
    const at::Tensor target = scalar ? x.unsqueeze(0) : x;
    std::vector<c10::SymInt> shape = python::sizes(target);
    shape[static_cast<std::size_t>(dim)] = index.sym_numel();
    value = value.expand_symint(shape);
    at::Tensor out = at::index_copy(target, dim, index, value);
    if (scalar) {
        out = out.squeeze(0).clone();
    }
    if (call.rules().decompositions.indexFillCopiesStrided) {
        const bool copies =
            out.sym_strides() != x.sym_strides() && x.unsafeGetTensorImpl()->is_non_overlapping_and_dense();
        return copies ? prims::copyStrided(out, x.sym_strides().vec()) : out;
    }
    if (out.sym_strides() != x.sym_strides()) {
        at::Tensor kept = at::empty_like(x, python::options());
        kept.copy_(out);
        out = kept;
    }
    return out;
}

Decomposed indexSelect(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    at::Tensor index = call.tensor("index");
    if (index.dim() == 0) {
        index = index.unsqueeze(0);
    }
    if (x.dim() == 0) {
        const at::Tensor empty = at::empty_like(x, python::options());
        return at::index_copy(empty, 0, index, x.expand_as(index));
    }
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), x.dim());
    const at::Tensor selected = at::index(wholeDimensions(x, dim), python::indexAt(dim, index));
    return call.rules().decompositions.indexSelectKeepsMemoryFormat
               ? contiguousMemory(selected, python::suggestMemoryFormat(x))
               : contiguousMemory(selected);
}

Decomposed selectBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor input = python::newZeros(grad, call.symInts("input_sizes"));
    return at::select_scatter_symint(input, grad, call.integer("dim"), call.symInt("index"));
}

Decomposed selectScatter(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), x.dim());
    std::vector<c10::SymInt> shape(static_cast<std::size_t>(x.dim()), 1);
    shape[static_cast<std::size_t>(dim)] = -1;
    c10::SymInt index = call.symInt("index");
    if (index.sym_lt(0).guard_bool(__FILE__, __LINE__)) {
        index = index + x.sym_size(dim);
    }
    const at::Tensor range = python::arange(x.sym_size(dim), x);
    const at::Tensor mask = range.view_symint(shape).eq(c10::Scalar(index));
    const at::Tensor source = call.tensor("src").unsqueeze(dim).expand_symint(x.sym_sizes());
    return at::where(mask, source, x);
}

Decomposed sliceBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor input = python::newZeros(grad, call.symInts("input_sizes"));
    return at::slice_scatter_symint(input, grad, call.integer("dim"), call.symInt("start"),
                                    call.symInt("end"), call.symInt("step"));
}

Decomposed diagonalBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const at::Tensor input = python::newZeros(grad, call.symInts("input_sizes"));
    return at::diagonal_scatter(input, grad, call.integer("offset"), call.integer("dim1"),
                                call.integer("dim2"));
}

Decomposed take(const DecompositionCall& call) {
    const at::Tensor flat = call.tensor("self").reshape({-1});
    return at::index(flat, python::indexAt(0, call.tensor("index")));
}

Decomposed roll(const DecompositionCall& call) {
    const at::Tensor a = call.tensor("self");
    const std::vector<c10::SymInt> shifts = call.symInts("shifts");
    std::vector<std::int64_t> dims = call.integers("dims");
    if (a.sym_numel().sym_eq(0).guard_or_false(__FILE__, __LINE__)) {
        return a.clone();
    }
    dims = python::wrapped(std::move(dims), a);
    if (dims.empty() && shifts.size() == 1) {
        return at::roll_symint(a.flatten(), shifts, 0).view_symint(a.sym_sizes());
    }
    TORCH_CHECK(shifts.size() == dims.size() && !shifts.empty(), "roll was given ", shifts.size(),
                " shifts for ", dims.size(), " dimensions; give one each");
    if (shifts.size() > 1) {
        const at::Tensor first = at::roll_symint(a, shifts.front(), dims.front());
        return at::roll_symint(first, c10::SymIntArrayRef(shifts).slice(1), at::IntArrayRef(dims).slice(1));
    }
    const std::int64_t dim = dims.front();
    const c10::SymInt size = a.sym_size(dim);
    const c10::Scalar start(python::remainder(size - shifts.front(), size));
    const at::Tensor range = python::arange(size, a);
    return a.index_select(dim, at::fmod(start + range, c10::Scalar(size)));
}

Decomposed maxUnpool(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::vector<c10::SymInt> size = call.symInts("output_size");
    const auto spatial = static_cast<std::int64_t>(size.size());
    const auto formatted = [&](const at::Tensor& tensor) {
        const bool keeps = call.rules().decompositions.maxUnpoolKeepsMemoryFormat && spatial == 2 &&
                           (self.is_cpu() || self.is_xpu());
        return keeps ? contiguousMemory(tensor, python::suggestMemoryFormat(self)) : tensor;
    };
    const std::int64_t leading = self.dim() - spatial;
    std::vector<c10::SymInt> batch(self.sym_sizes().begin(), self.sym_sizes().begin() + leading);
    std::vector<c10::SymInt> shape = batch;
    shape.insert(shape.end(), size.begin(), size.end());
    std::vector<c10::SymInt> batchShape = batch;
    batchShape.resize(static_cast<std::size_t>(self.dim()), 1);
    const at::Tensor planes =
        at::arange(c10::Scalar(python::product(batch)), at::TensorOptions().device(self.device()));
    const at::Tensor offsets = planes.view_symint(batchShape) * python::product(size);
    const at::Tensor flat = (call.tensor("indices") + offsets).reshape({-1});
    const at::Tensor output = python::newZeros(self, shape);
    const at::Tensor rows = output.reshape({-1});
    const at::Tensor written =
        at::_unsafe_index_put(rows, python::indexAt(0, flat), self.reshape({-1}), false);
    return formatted(written.view_symint(shape));
}

} // namespace aotscope::torch::decomposed

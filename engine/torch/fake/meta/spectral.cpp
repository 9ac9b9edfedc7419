#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include "dispatch/release_rules.h"

#include <algorithm>
#include <iterator>

namespace aotscope::torch::shapes {

namespace {

/// The result of a transform over `dims`. Its buffer holds the batch dimensions in the order of the input's
/// strides, then the transformed dimensions with their lengths in the order of `dims`; their strides are
/// assigned to `dims` in ascending order, or in their own where a release keeps it. Follows torch 2.11,
/// torch/_meta_registrations.py: _exec_fft.
at::Tensor transformed(const at::Tensor& input, const Sizes& sizes, const Sizes& dims, c10::ScalarType type) {
    Sizes batch;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        if (std::find(dims.begin(), dims.end(), i) == dims.end()) {
            batch.push_back(i);
        }
    }
    std::stable_sort(batch.begin(), batch.end(), [&](std::int64_t one, std::int64_t other) {
        return input.stride(one) > input.stride(other);
    });
    const auto lengthOf = [&](std::int64_t dim) { return sizes[static_cast<std::size_t>(dim)]; };
    Sizes lengths = {1};
    std::transform(dims.begin(), dims.end(), std::back_inserter(lengths), lengthOf);
    const Sizes buffer = contiguousStrides(lengths);
    Sizes assigned = dims;
    if (!traceRules().transformsKeepOrder) {
        std::sort(assigned.begin(), assigned.end());
    }
    Sizes strides(sizes.size());
    for (std::size_t i = 0; i < assigned.size(); ++i) {
        strides[static_cast<std::size_t>(assigned[i])] = buffer[i + 1];
    }
    std::int64_t next = buffer.front();
    for (std::size_t i = batch.size(); i-- > 0;) {
        strides[static_cast<std::size_t>(batch[i])] = next;
        next *= lengthOf(batch[i]);
    }
    return newStrided(input, sizes, strides, type);
}

Sizes wrapped(const ShapeCall& call, const at::Tensor& self) {
    Sizes dims = call.integers("dim");
    for (std::int64_t& dim : dims) {
        dim = wrapDim(dim, self.dim());
    }
    return dims;
}

/// The dimensions up to `count` by falling strides, then the others.
Sizes byStrides(const at::Tensor& self, Sizes dims, std::size_t count) {
    std::stable_sort(
        dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(count),
        [&](std::int64_t one, std::int64_t other) { return self.stride(one) > self.stride(other); });
    return dims;
}

/// At most three dimensions at a time, those with the least strides of what is there first.
at::Tensor inStages(at::Tensor output, Sizes left, const Sizes& sizes, c10::ScalarType type) {
    while (!left.empty()) {
        const std::size_t all = left.size();
        left = byStrides(output, std::move(left), all);
        const std::size_t count = std::min<std::size_t>(3, left.size());
        const Sizes now(left.end() - static_cast<std::ptrdiff_t>(count), left.end());
        output = transformed(output, sizes, now, type);
        left.resize(left.size() - count);
    }
    return output;
}

at::Tensor complexToComplex(const at::Tensor& self, const Sizes& dims) {
    TORCH_CHECK(self.is_complex(), "expected a complex tensor");
    if (dims.empty()) {
        return emptyLike(self);
    }
    if (!traceRules().transformsKeepOrder) {
        return transformed(self, sizesOf(self), dims, self.scalar_type());
    }
    return fakingCuda()
               ? inStages(self, dims, sizesOf(self), self.scalar_type())
               : transformed(self, sizesOf(self), byStrides(self, dims, dims.size()), self.scalar_type());
}

/// Whether cuFFT transforms these dimensions at once: at most three, not starting with the first two.
bool takesAtOnce(const Sizes& dims) {
    return dims.size() <= 3 && !(dims.size() >= 2 && dims[0] == 0 && dims[1] == 1);
}

at::Tensor cudaRealToComplex(const at::Tensor& self, const Sizes& dims, const Sizes& sizes,
                             const Sizes& onesided, c10::ScalarType type) {
    if (takesAtOnce(dims)) {
        return transformed(self, sizes, dims, type);
    }
    return inStages(transformed(self, onesided, {dims.back()}, type), Sizes(dims.begin(), dims.end() - 1),
                    onesided, type);
}

} // namespace

ShapeResults c2c(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {complexToComplex(self, wrapped(call, self))};
}

ShapeResults r2c(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes dims = wrapped(call, self);
    const c10::ScalarType type = complexTypeOf(self.scalar_type());
    Sizes onesided = sizesOf(self);
    auto& last = onesided[static_cast<std::size_t>(dims.back())];
    last = last / 2 + 1;
    const Sizes sizes = call.flag("onesided") ? onesided : sizesOf(self);
    if (!fakingCuda()) {
        return {traceRules().transformsKeepOrder
                    ? transformed(self, sizes, byStrides(self, dims, dims.size() - 1), type)
                    : newEmpty(self, sizes, type)};
    }
    const at::Tensor output = cudaRealToComplex(self, dims, sizes, onesided, type);
    return {output.sizes() == at::IntArrayRef(sizes) ? output : newEmpty(self, sizes, type)};
}

ShapeResults c2r(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes dims = wrapped(call, self);
    const c10::ScalarType type = realTypeOf(self.scalar_type());
    Sizes sizes = sizesOf(self);
    sizes[static_cast<std::size_t>(dims.back())] = call.integer("last_dim_size");
    const Sizes rest(dims.begin(), dims.end() - 1);
    if (!fakingCuda()) {
        const at::Tensor input = rest.empty() ? self : complexToComplex(self, rest);
        return {transformed(input, sizes, {dims.back()}, type)};
    }
    if (takesAtOnce(dims)) {
        return {transformed(emptyContiguous(self), sizes, dims, type)};
    }
    const at::Tensor input = rest.empty() ? emptyContiguous(self) : complexToComplex(self, rest);
    return {transformed(input, sizes, {dims.back()}, type)};
}

} // namespace aotscope::torch::shapes

#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <ATen/InferSize.h>

#include <algorithm>

namespace aotscope::torch::shapes {

namespace {

struct View {
    Sizes sizes;
    Sizes strides;
};

/// Splits a dimension in two, the first of size `outer`.
void split(View& view, std::size_t dim, std::int64_t outer) {
    const auto at = static_cast<std::ptrdiff_t>(dim);
    const std::int64_t inner = view.sizes[dim] / outer;
    const std::int64_t stride = view.strides[dim];
    view.sizes[dim] = outer;
    view.strides[dim] = stride * inner;
    view.sizes.insert(view.sizes.begin() + at + 1, inner);
    view.strides.insert(view.strides.begin() + at + 1, stride);
}

/// Merges dimensions `first` to `last`; false if no single stride reaches their elements in order.
bool collapse(View& view, std::size_t first, std::size_t last) {
    std::int64_t stride = view.strides[last];
    std::int64_t length = view.sizes[last];
    for (std::size_t i = last; i-- > first;) {
        if (view.sizes[i] != 1 && view.sizes[i + 1] != 1 &&
            view.strides[i] != view.strides[i + 1] * view.sizes[i + 1]) {
            return false;
        }
        if (view.sizes[i] != 1) {
            stride = std::min(stride, view.strides[i]);
        }
        length *= view.sizes[i];
    }
    const auto at = static_cast<std::ptrdiff_t>(first);
    const auto end = static_cast<std::ptrdiff_t>(last) + 1;
    view.sizes.erase(view.sizes.begin() + at + 1, view.sizes.begin() + end);
    view.strides.erase(view.strides.begin() + at + 1, view.strides.begin() + end);
    view.sizes[first] = length;
    view.strides[first] = stride;
    return true;
}

/// Builds the requested dimensions from the left, each from as few of the tensor's dimensions as possible.
/// Its strides for dimensions of size 1 differ from those of at::view. Follows torch 2.11,
/// torch/_refs/__init__.py: _reshape_view_helper_core_alg.
View viewed(const at::Tensor& self, const Sizes& wanted) {
    View view = {sizesOf(self), self.strides().vec()};
    std::size_t done = 0;
    for (const std::int64_t length : wanted) {
        if (done >= view.sizes.size()) {
            split(view, view.sizes.size() - 1, view.sizes.back());
            ++done;
            continue;
        }
        if (length == view.sizes[done]) {
            ++done;
            continue;
        }
        std::int64_t collected = view.sizes[done];
        std::size_t end = done;
        while (collected % length != 0) {
            collected *= view.sizes[++end];
        }
        TORCH_CHECK(end == done || collapse(view, done, end), "Cannot view a tensor with shape ",
                    self.sizes(), " and strides ", self.strides(), " as a tensor with shape ",
                    at::IntArrayRef(wanted), "!");
        if (collected != length) {
            split(view, done, length);
        }
        ++done;
    }
    // The remaining dimensions have size 1.
    view.sizes.resize(done);
    view.strides.resize(done);
    return view;
}

View layoutOfView(const at::Tensor& self, const Sizes& wanted) {
    if (self.numel() == 0) {
        return {wanted, contiguousStrides(wanted)};
    }
    if (self.dim() == 0 || wanted.empty()) {
        return {wanted, Sizes(wanted.size(), 1)};
    }
    const bool flattens = wanted.size() == 1 && self.dim() > 1;
    const bool folds = wanted.size() == 2 && self.dim() == 1;
    if (self.is_contiguous() && (flattens || folds)) {
        return {wanted, contiguousStrides(wanted)};
    }
    return viewed(self, wanted);
}

/// The sizes of an image with other channels, height and width.
Sizes shuffledSizes(const at::Tensor& self, std::int64_t channels, std::int64_t height, std::int64_t width) {
    TORCH_CHECK(self.dim() >= 3, "expected at least 3 dimensions, but got ", self.dim());
    Sizes sizes = sizesOf(self);
    sizes[sizes.size() - 3] = channels;
    sizes[sizes.size() - 2] = height;
    sizes[sizes.size() - 1] = width;
    return sizes;
}

} // namespace

ShapeResults view(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const auto wanted = at::infer_size_dv(call.integers("size"), self.numel());
    const View layout = layoutOfView(self, Sizes(wanted.begin(), wanted.end()));
    return {self.as_strided(layout.sizes, layout.strides, self.storage_offset())};
}

/// `Tensor.expand`: a new dimension of size 1 gets the stride it would have in a contiguous tensor.
ShapeResults expand(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    Sizes sizes = call.integers("size");
    TORCH_CHECK(sizes.size() >= static_cast<std::size_t>(self.dim()),
                "expand: the requested shape has too few dimensions!");
    const std::size_t added = sizes.size() - static_cast<std::size_t>(self.dim());
    Sizes strides(sizes.size(), 0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i < added) {
            if (sizes[i] == 1) {
                strides[i] = self.dim() == 0 ? 1 : self.stride(0) * self.size(0);
            }
            continue;
        }
        const auto dim = static_cast<std::int64_t>(i - added);
        if (sizes[i] == -1) {
            sizes[i] = self.size(dim);
        }
        TORCH_CHECK(self.size(dim) == 1 || sizes[i] == self.size(dim),
                    "expand: attempting to expand a dimension of length ", self.size(dim), " to ", sizes[i],
                    "!");
        strides[i] = self.size(dim) == sizes[i] ? self.stride(dim) : 0;
    }
    return {self.as_strided(sizes, strides, self.storage_offset())};
}

ShapeResults pixelShuffle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t factor = call.integer("upscale_factor");
    TORCH_CHECK(self.size(-3) % (factor * factor) == 0,
                "Invalid input shape for pixel_shuffle: ", self.sizes(), " with upscale_factor = ", factor);
    const Sizes sizes = shuffledSizes(self, self.size(-3) / (factor * factor), self.size(-2) * factor,
                                      self.size(-1) * factor);
    const bool channelsLast = self.suggest_memory_format() == c10::MemoryFormat::ChannelsLast;
    return {newEmpty(self, sizes,
                     channelsLast && !fakingCuda() ? c10::MemoryFormat::ChannelsLast
                                                   : c10::MemoryFormat::Contiguous)};
}

ShapeResults pixelUnshuffle(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t factor = call.integer("downscale_factor");
    const Sizes sizes =
        shuffledSizes(self, self.size(-3) * factor * factor, self.size(-2) / factor, self.size(-1) / factor);
    return {newEmpty(self, sizes, self.suggest_memory_format())};
}

/// The gradient of one element or slice among zeros; its shape does not depend on the position.
ShapeResults amongZeros(const ShapeCall& call) {
    const at::Tensor gradient = call.tensor("grad_output");
    return {newEmpty(gradient, call.integers("input_sizes"), c10::MemoryFormat::Contiguous)};
}

} // namespace aotscope::torch::shapes

#include "fake/built_view.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/symbolic_view.h"

#include <ATen/InferSize.h>

namespace aotscope::torch::shapes {

namespace {

struct View {
    Sizes sizes;
    Sizes strides;
};

struct PlainNumbers {
    static bool equal(std::int64_t left, std::int64_t right) { return left == right; }
    static bool less(std::int64_t left, std::int64_t right) { return left < right; }
    static bool divides(std::int64_t by, std::int64_t number) { return number % by == 0; }
};

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
    View view = {sizesOf(self), self.strides().vec()};
    TORCH_CHECK(buildView(view.sizes, view.strides, wanted, PlainNumbers()),
                "Cannot view a tensor with shape ", self.sizes(), " and strides ", self.strides(),
                " as a tensor with shape ", at::IntArrayRef(wanted), "!");
    return view;
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

ShapeResults expand(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes wanted = call.integers("size");
    TORCH_CHECK(wanted.size() >= static_cast<std::size_t>(self.dim()),
                "expand: the requested shape has too few dimensions!");
    SymbolicSizes sizes(wanted.begin(), wanted.end());
    const SymbolicSizes strides = expandedStrides(self, sizes);
    return {self.as_strided_symint(sizes, strides, self.sym_storage_offset())};
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

/// The gradient of one element, slice or window among zeros; its shape does not depend on the position.
ShapeResults amongZeros(const ShapeCall& call) {
    return {newEmpty(call.firstTensor(), call.integers("input_sizes"))};
}

} // namespace aotscope::torch::shapes

#include "fake/models/symbolic_shapes.h"

#include <algorithm>
#include <array>

/// Sliding windows, padding, unfolded columns and shuffled channels of images.
namespace aotscope::torch::symbolic {

namespace {

/// A size of the result as a separate symbolic number: its arithmetic is not the program's.
c10::SymInt ownNumber(const c10::SymInt& size, ShapeEnvironment& environment) {
    const SymbolicNode* node = asSymbolic(size);
    return node == nullptr ? size : environment.copyOf(*node);
}

c10::SymInt entry(const SymbolicSizes& list, std::size_t dimension, std::int64_t otherwise) {
    return list.empty() ? c10::SymInt(otherwise) : list[std::min(dimension, list.size() - 1)];
}

/// A sliding window; lists have one entry per dimension, or one for all.
struct Window {
    SymbolicSizes kernel;
    SymbolicSizes stride;
    SymbolicSizes padding;
    SymbolicSizes dilation;
    SymbolicSizes outputPadding;
    bool transposed = false;
    bool roundUp = false;

    /// The number of window positions along a dimension. Follows torch 2.11, torch/_meta_registrations.py:
    /// pooling_output_shape_pad_lr, calc_conv_nd_return_shape.
    [[nodiscard]] c10::SymInt places(const c10::SymInt& size, std::size_t dimension) const {
        const c10::SymInt by = entry(stride, dimension, 1);
        const c10::SymInt pad = entry(padding, dimension, 0);
        const c10::SymInt reach = entry(dilation, dimension, 1) * (entry(kernel, dimension, 1) - 1);
        if (transposed) {
            return (size - 1) * by - pad * 2 + reach + entry(outputPadding, dimension, 0) + 1;
        }
        const c10::SymInt room = size + pad * 2 - reach - 1;
        if (!roundUp) {
            return room / by + 1;
        }
        const c10::SymInt count = (room + by - 1) / by + 1;
        // The last window must begin inside the image or its left padding.
        return (count - 1) * by >= size + pad ? count - 1 : count;
    }

    /// The result of sliding along the dimensions from `first` on.
    [[nodiscard]] SymbolicShape slidOver(SymbolicSizes sizes, std::size_t first,
                                         ShapeEnvironment& environment) const {
        for (std::size_t d = first; d < sizes.size(); ++d) {
            sizes[d] = ownNumber(places(sizes[d], d - first), environment);
        }
        return {std::move(sizes), {}, {}};
    }
};

/// A quotient of sizes; 0 for a divisor of 0.
c10::SymInt quotient(const c10::SymInt& size, const c10::SymInt& by) {
    return by.maybe_as_int() == 0 ? c10::SymInt(0) : size / by;
}

} // namespace

SymbolicShape convolved(const FakeCall& call, std::size_t /*result*/) {
    const SymbolicSizes weight = call.sizes(1);
    const bool transposed = call["transposed"].toBool();
    const Window window{{weight.begin() + 2, weight.end()},
                        call.numbers(3),
                        call.numbers(4),
                        call.numbers(5),
                        call.numbers(7),
                        transposed,
                        false};
    SymbolicSizes sizes = call.sizes();
    const std::size_t first = sizes.size() - window.kernel.size();
    if (first > 0) {
        sizes[first - 1] = transposed ? weight[1] * call["groups"].toSymInt() : weight[0];
    }
    return window.slidOver(std::move(sizes), first, call.environment);
}

SymbolicShape pooled(const FakeCall& call, std::size_t /*result*/) {
    const c10::FunctionSchema& schema = call.op.schema();
    Window window{call.numbers(1), call.numbers(2),           call.numbers(3), {}, {},
                  false,           call["ceil_mode"].toBool()};
    if (window.stride.empty()) {
        window.stride = window.kernel;
    }
    if (const auto dilation = schema.argumentIndexWithName("dilation")) {
        window.dilation = call.numbers(static_cast<std::size_t>(*dilation));
    }
    // A kernel of one number goes for all dimensions where the name tells how many there are.
    const std::string& name = schema.name();
    const std::size_t spatial = name.find("3d") != std::string::npos   ? 3
                                : name.find("2d") != std::string::npos ? 2
                                                                       : window.kernel.size();
    SymbolicSizes sizes = call.sizes();
    const std::size_t first = sizes.size() - spatial;
    return window.slidOver(std::move(sizes), first, call.environment);
}

SymbolicShape padded(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const SymbolicSizes pads = call.numbers(1);
    for (std::size_t i = 0; 2 * i + 1 < pads.size() && i < sizes.size(); ++i) {
        c10::SymInt& size = sizes[sizes.size() - 1 - i];
        size = size + pads[2 * i] + pads[2 * i + 1];
    }
    return {std::move(sizes), {}, {}};
}

/// im2col: a column for each window position. It is a view of memory with separate dimensions for the rows
/// and columns of positions.
SymbolicShape imageColumns(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const Window window{call.numbers(1), call.numbers(4), call.numbers(3), call.numbers(2), {}, false, false};
    c10::SymInt& channels = sizes[sizes.size() - 3];
    channels = channels * window.kernel[0] * window.kernel[1];
    const c10::SymInt down = window.places(sizes[sizes.size() - 2], 0);
    const c10::SymInt across = window.places(sizes.back(), 1);
    sizes.pop_back();
    sizes.back() = down * across;
    SymbolicSizes strides(sizes.size(), 1);
    c10::SymInt& perChannel = strides[sizes.size() - 2];
    perChannel = down.max(1) * across.max(1);
    if (sizes.size() == 3) {
        strides[0] = sizes[1] * perChannel;
    }
    return {std::move(sizes), std::move(strides), {}};
}

/// col2im: the image that columns are folded back into.
SymbolicShape image(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const SymbolicSizes size = call.numbers(1);
    const SymbolicSizes kernel = call.numbers(2);
    sizes[sizes.size() - 2] = sizes[sizes.size() - 2] / (kernel[0] * kernel[1]);
    sizes.back() = size[0];
    sizes.push_back(size[1]);
    return {std::move(sizes), {}, {}};
}

/// pixel_shuffle: channels become rows and columns.
SymbolicShape shuffled(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const std::int64_t factor = call.arguments[1].toInt();
    c10::SymInt& channels = sizes[sizes.size() - 3];
    channels = channels / (factor * factor);
    for (std::size_t d = sizes.size() - 2; d < sizes.size(); ++d) {
        sizes[d] = sizes[d] * factor;
    }
    return {std::move(sizes), {}, {}};
}

/// pixel_unshuffle: rows and columns are split in two, and the inner parts join the channels.
SymbolicShape unshuffled(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const std::int64_t factor = call.arguments[1].toInt();
    c10::SymInt& channels = sizes[sizes.size() - 3];
    for (std::size_t d = sizes.size() - 2; d < sizes.size(); ++d) {
        const c10::SymInt outer = sizes[d] / factor;
        channels = channels * (outer.maybe_as_int() == 0 ? c10::SymInt(factor) : sizes[d] / outer);
        sizes[d] = outer;
    }
    return {std::move(sizes), {}, {}};
}

/// The gradients of group norm; that of the input is reshaped back from rows of `HxW`.
SymbolicShape groupNormGradient(const FakeCall& call, std::size_t result) {
    SymbolicSizes sizes = call.sizes(1);
    if (result > 0) {
        return {{call.arguments[6].toSymInt()}, {}, {}};
    }
    SymbolicSizes strides(sizes.size() < 4 ? 0 : sizes.size(), 1);
    c10::SymInt left = call.arguments[7].toSymInt();
    if (sizes.size() > 2 && isOne(left)) {
        // It was broadcast with numbers of each channel.
        std::fill(sizes.begin() + 2, sizes.end(), 1);
        return {std::move(sizes), {}, {}};
    }
    if (!strides.empty()) {
        strides[0] = sizes[1] * left;
        strides[1] = left;
    }
    for (std::size_t d = 2; d + 1 < sizes.size(); ++d) {
        left = quotient(left, sizes[d]);
        if (!strides.empty()) {
            strides[d] = left;
        }
    }
    if (sizes.size() > 2) {
        sizes.back() = left;
    }
    if (sizes.size() == 4 && sampledValue(call.tensor(0).sym_stride(1), 0) == 1 &&
        sampledValue(sizes[1], 0) > 1) {
        // The rows follow the gradient, whose channels lie together.
        strides = {strides[0], 1, left * sizes[1], sizes[1]};
    }
    return {std::move(sizes), std::move(strides), {}};
}

/// glu: one half of a dimension, gated by the other.
SymbolicShape halved(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    c10::SymInt& size = sizes[call.dimension(1, sizes.size())];
    size = size / 2;
    return {std::move(sizes), {}, {}};
}

/// The gradients of both halves, joined.
SymbolicShape joinedHalves(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes(1);
    c10::SymInt& size = sizes[call.dimension(2, sizes.size())];
    size = size / 2 * 2;
    return {std::move(sizes), {}, {}};
}

/// The gradients of input, weight and bias, each as large as that.
SymbolicShape convolutionGradient(const FakeCall& call, std::size_t result) {
    const SymbolicSizes gradient = call.sizes(0);
    if (result == 2) {
        return gradient.size() < 2 ? SymbolicShape() : SymbolicShape{{gradient[1]}, {}, {}};
    }
    return {call.sizes(1 + result), {}, {}};
}

} // namespace aotscope::torch::symbolic

#include "fake/meta/layouts.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace aotscope::torch {

namespace {

c10::ScalarType typeOr(const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return dtype.value_or(like.scalar_type());
}

/// An operand as broadcast to the common shape.
struct Operand {
    Sizes strides;
    bool contiguous = false;
    bool channelsLast = false;
};

bool isDense(at::IntArrayRef sizes, const Sizes& strides, at::IntArrayRef innermostFirst) {
    std::int64_t expected = 1;
    for (const std::int64_t dim : innermostFirst) {
        const auto i = static_cast<std::size_t>(dim);
        if (sizes[i] != 1 && strides[i] != expected) {
            return false;
        }
        expected *= std::max<std::int64_t>(sizes[i], 1);
    }
    return true;
}

Operand broadcastOperand(const at::Tensor& tensor, at::IntArrayRef shape) {
    Operand operand;
    const std::size_t added = shape.size() - static_cast<std::size_t>(tensor.dim());
    operand.strides.assign(shape.size(), 0);
    for (std::size_t i = 0; i < added; ++i) {
        if (shape[i] == 1) {
            operand.strides[i] = tensor.dim() == 0 ? 1 : tensor.stride(0) * tensor.size(0);
        }
    }
    for (std::size_t i = added; i < shape.size(); ++i) {
        const auto dim = static_cast<std::int64_t>(i - added);
        operand.strides[i] = tensor.size(dim) == shape[i] ? tensor.stride(dim) : 0;
    }
    Sizes reversed(shape.size());
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    operand.contiguous = c10::multiply_integers(shape) < 2 || isDense(shape, operand.strides, reversed);
    constexpr std::array<std::int64_t, 4> channelsInside = {1, 3, 2, 0};
    operand.channelsLast = shape.size() == 4 && isDense(shape, operand.strides, channelsInside);
    return operand;
}

/// Compares dimension `a` with `b`, which lies further in: 1 to swap them, -1 to keep them, 0 if no operand
/// decides.
int compareDims(std::span<const Operand> operands, at::IntArrayRef shape, std::size_t a, std::size_t b) {
    for (const Operand& operand : operands) {
        const std::int64_t strideA = operand.strides[a];
        const std::int64_t strideB = operand.strides[b];
        if (strideA == 0 || strideB == 0 || (strideA == strideB && shape[b] >= shape[a])) {
            continue;
        }
        return strideB > strideA ? -1 : 1;
    }
    return 0;
}

/// The order of dimensions, outermost first, of the result of an elementwise operation.
Sizes commonOrder(std::span<const Operand> operands, at::IntArrayRef shape) {
    Sizes order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    const auto all = [&](auto property) { return std::all_of(operands.begin(), operands.end(), property); };
    const bool contiguous = all([](const Operand& operand) { return operand.contiguous; });
    const bool channelsLast = all([](const Operand& operand) { return operand.channelsLast; });
    if (shape.size() < 2 || (contiguous && !channelsLast)) {
        return order;
    }
    if (channelsLast && !contiguous) {
        return {0, 2, 3, 1};
    }
    // Insertion sort from the innermost dimension outwards, because the comparison is no total order.
    std::reverse(order.begin(), order.end());
    for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t moving = i;
        for (std::size_t before = i; before-- > 0;) {
            const int comparison = compareDims(operands, shape, static_cast<std::size_t>(order[before]),
                                               static_cast<std::size_t>(order[moving]));
            if (comparison < 0) {
                break;
            }
            if (comparison > 0) {
                std::swap(order[before], order[moving]);
                moving = before;
            }
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// Whether an operand is a number wrapped for the call, which does not affect the layout. A zero-dimensional
/// tensor does.
bool hasNoSay(const at::Tensor& tensor) {
    return !tensor.is_meta();
}

c10::ScalarType promotedType(std::span<const at::Tensor> operands) {
    at::native::ResultTypeState state = {};
    for (const at::Tensor& operand : operands) {
        state = at::native::update_result_type_state(operand, state);
    }
    return at::native::result_type(state);
}

bool fits(c10::MemoryFormat format, std::size_t dims) {
    switch (format) {
    case c10::MemoryFormat::ChannelsLast:
        return dims == 4;
    case c10::MemoryFormat::ChannelsLast3d:
        return dims == 5;
    default:
        return true;
    }
}

} // namespace

Sizes sizesOf(const at::Tensor& tensor) {
    return tensor.sizes().vec();
}

at::Tensor newEmpty(at::IntArrayRef sizes, c10::ScalarType dtype) {
    return at::detail::empty_meta(sizes, dtype);
}

at::Tensor newEmpty(const at::Tensor& like, at::IntArrayRef sizes, std::optional<c10::ScalarType> dtype) {
    return at::detail::empty_meta(sizes, typeOr(like, dtype));
}

at::Tensor newEmpty(const at::Tensor& like, at::IntArrayRef sizes, c10::MemoryFormat format,
                    std::optional<c10::ScalarType> dtype) {
    return at::detail::empty_meta(sizes, typeOr(like, dtype),
                                  fits(format, sizes.size()) ? format : c10::MemoryFormat::Contiguous);
}

at::Tensor newStrided(const at::Tensor& like, at::IntArrayRef sizes, at::IntArrayRef strides,
                      std::optional<c10::ScalarType> dtype) {
    return at::detail::empty_strided_meta(sizes, strides, typeOr(like, dtype));
}

at::Tensor emptyLike(const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return newPermuted(like, like.sizes(), outermostFirst(like), dtype);
}

at::Tensor emptyContiguous(const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return newEmpty(like, like.sizes(), dtype);
}

at::Tensor newColumnMajor(const at::Tensor& like, at::IntArrayRef sizes,
                          std::optional<c10::ScalarType> dtype) {
    Sizes strides = contiguousStrides(sizes);
    if (sizes.size() >= 2) {
        strides[sizes.size() - 2] = 1;
        strides[sizes.size() - 1] = std::max<std::int64_t>(sizes[sizes.size() - 2], 1);
    }
    return newStrided(like, sizes, strides, dtype);
}

at::Tensor newPermuted(const at::Tensor& like, at::IntArrayRef sizes, at::IntArrayRef order,
                       std::optional<c10::ScalarType> dtype) {
    Sizes strides(sizes.size());
    std::int64_t next = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto dim = static_cast<std::size_t>(order[i]);
        strides[dim] = next;
        next *= std::max<std::int64_t>(sizes[dim], 1);
    }
    return newStrided(like, sizes, strides, dtype);
}

Sizes outermostFirst(const at::Tensor& tensor) {
    const std::array operands = {broadcastOperand(tensor, tensor.sizes())};
    return commonOrder(operands, tensor.sizes());
}

at::Tensor emptyLikeBroadcast(const at::Tensor& like, at::IntArrayRef sizes,
                              std::optional<c10::ScalarType> dtype) {
    const std::array operands = {broadcastOperand(like, sizes)};
    return newPermuted(like, sizes, commonOrder(operands, sizes), dtype);
}

Sizes contiguousStrides(at::IntArrayRef sizes) {
    Sizes strides(sizes.size());
    std::int64_t next = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = next;
        next *= std::max<std::int64_t>(sizes[i], 1);
    }
    return strides;
}

ElementwiseLayout elementwiseLayout(std::span<const at::Tensor> tensors) {
    ElementwiseLayout layout;
    for (const at::Tensor& tensor : tensors) {
        layout.sizes = at::infer_size(layout.sizes, tensor.sizes());
    }
    std::vector<Operand> operands;
    for (const at::Tensor& tensor : tensors) {
        if (!hasNoSay(tensor)) {
            operands.push_back(broadcastOperand(tensor, layout.sizes));
        }
    }
    layout.order = commonOrder(operands, layout.sizes);
    return layout;
}

at::Tensor elementwise(std::span<const at::Tensor> operands, std::optional<c10::ScalarType> dtype) {
    const ElementwiseLayout layout = elementwiseLayout(operands);
    return newPermuted(operands.front(), layout.sizes, layout.order, dtype ? *dtype : promotedType(operands));
}

Sizes reducedSizes(const at::Tensor& tensor, at::IntArrayRef dims, bool keepdim) {
    const std::int64_t count = tensor.dim();
    std::vector<bool> reduced(static_cast<std::size_t>(count), dims.empty());
    for (const std::int64_t dim : dims) {
        if (count > 0) {
            reduced[static_cast<std::size_t>(at::maybe_wrap_dim(dim, count))] = true;
        }
    }
    Sizes sizes;
    for (std::int64_t i = 0; i < count; ++i) {
        if (!reduced[static_cast<std::size_t>(i)]) {
            sizes.push_back(tensor.size(i));
        } else if (keepdim) {
            sizes.push_back(1);
        }
    }
    return sizes;
}

c10::ScalarType complexTypeOf(c10::ScalarType type) {
    return c10::isComplexType(type) ? type : c10::toComplexType(type);
}

c10::ScalarType computeTypeOf(c10::ScalarType type) {
    return type == c10::kHalf || type == c10::kBFloat16 ? c10::kFloat : type;
}

c10::ScalarType floatTypeOf(c10::ScalarType type) {
    return c10::isIntegralType(type, true) ? c10::get_default_dtype_as_scalartype() : type;
}

} // namespace aotscope::torch

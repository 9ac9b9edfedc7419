#include "fake/meta/layouts.h"

#include "fake/reference_layout.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/Contiguity.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <array>

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

bool isChannelsLast(at::IntArrayRef sizes, const Sizes& strides) {
    std::int64_t expected = 1;
    for (const std::size_t dim : {1, 3, 2, 0}) {
        if (sizes.size() != 4 || (sizes[dim] != 1 && strides[dim] != expected)) {
            return false;
        }
        expected *= std::max<std::int64_t>(sizes[dim], 1);
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
    operand.contiguous =
        c10::_compute_contiguous<std::int64_t>(shape, operand.strides, c10::multiply_integers(shape));
    operand.channelsLast = isChannelsLast(shape, operand.strides);
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
    return reference::commonOrder(
        shape.size(), std::ranges::all_of(operands, &Operand::contiguous),
        std::ranges::all_of(operands, &Operand::channelsLast),
        [&](std::size_t a, std::size_t b) { return compareDims(operands, shape, a, b); });
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

#include "fake/meta/layouts.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>
#include <numeric>

namespace aotscope::torch {

namespace {

c10::ScalarType typeOr(const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return dtype.value_or(like.scalar_type());
}

/// Where dimension `a` lies in memory against dimension `b`, which comes before it from the back: 1 when they
/// are to be swapped, -1 when not, 0 when the strides do not tell.
int compareDims(const at::Tensor& tensor, std::int64_t a, std::int64_t b) {
    const std::int64_t strideA = tensor.stride(a);
    const std::int64_t strideB = tensor.stride(b);
    if (strideA == 0 || strideB == 0) {
        return 0;
    }
    if (strideA == strideB) {
        return tensor.size(b) >= tensor.size(a) ? 0 : 1;
    }
    return strideB > strideA ? -1 : 1;
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
    return at::empty_like(like, like.options().dtype(typeOr(like, dtype)), c10::MemoryFormat::Preserve);
}

at::Tensor emptyContiguous(const at::Tensor& like, std::optional<c10::ScalarType> dtype) {
    return newEmpty(like, like.sizes(), dtype);
}

at::Tensor newColumnMajor(const at::Tensor& like, at::IntArrayRef sizes,
                          std::optional<c10::ScalarType> dtype) {
    return newStrided(like, sizes, columnMajorStrides(sizes), dtype);
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

at::Tensor restrided(const at::Tensor& tensor, at::IntArrayRef sizes, at::IntArrayRef strides) {
    return at::as_strided(tensor, sizes, strides);
}

Sizes outermostFirst(const at::Tensor& tensor) {
    Sizes order(static_cast<std::size_t>(tensor.dim()));
    std::iota(order.begin(), order.end(), 0);
    const bool channelsLast = tensor.is_contiguous(c10::MemoryFormat::ChannelsLast);
    if (tensor.dim() < 2 || (tensor.is_contiguous() && !channelsLast)) {
        return order;
    }
    if (channelsLast && !tensor.is_contiguous()) {
        return {0, 2, 3, 1};
    }
    // Insertion sort from the innermost outwards, because comparisons may leave the order open.
    std::reverse(order.begin(), order.end());
    for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t moving = i;
        for (std::size_t before = i; before-- > 0;) {
            const int comparison = compareDims(tensor, order[before], order[moving]);
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

Sizes contiguousStrides(at::IntArrayRef sizes) {
    Sizes strides(sizes.size());
    std::int64_t next = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = next;
        next *= std::max<std::int64_t>(sizes[i], 1);
    }
    return strides;
}

Sizes columnMajorStrides(at::IntArrayRef sizes) {
    Sizes strides = contiguousStrides(sizes);
    if (sizes.size() >= 2) {
        strides[sizes.size() - 2] = 1;
        strides[sizes.size() - 1] = std::max<std::int64_t>(sizes[sizes.size() - 2], 1);
    }
    return strides;
}

at::Tensor elementwise(std::span<const at::Tensor> operands, std::optional<c10::ScalarType> dtype) {
    at::TensorIteratorConfig config;
    config.check_all_same_dtype(false).allow_cpu_scalars(true);
    config.add_owned_output(at::Tensor());
    for (const at::Tensor& operand : operands) {
        config.add_owned_const_input(operand);
    }
    if (dtype) {
        config.declare_static_dtype_and_device(*dtype, c10::kMeta);
    } else {
        config.promote_inputs_to_common_dtype(true);
    }
    return config.build().output();
}

Sizes reducedSizes(const at::Tensor& tensor, at::IntArrayRef dims, bool keepdim) {
    const std::int64_t count = tensor.dim();
    std::vector<bool> reduced(static_cast<std::size_t>(count), dims.empty());
    for (const std::int64_t dim : dims) {
        if (count > 0) {
            reduced[static_cast<std::size_t>(wrapDim(dim, count))] = true;
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

Sizes broadcastSizes(at::IntArrayRef one, at::IntArrayRef other) {
    return at::infer_size(one, other);
}

std::int64_t wrapDim(std::int64_t dim, std::int64_t dims) {
    return at::maybe_wrap_dim(dim, dims);
}

c10::ScalarType complexTypeOf(c10::ScalarType type) {
    return c10::isComplexType(type) ? type : c10::toComplexType(type);
}

c10::ScalarType realTypeOf(c10::ScalarType type) {
    return c10::toRealValueType(type);
}

c10::ScalarType computeTypeOf(c10::ScalarType type) {
    return type == c10::kHalf || type == c10::kBFloat16 ? c10::kFloat : type;
}

c10::ScalarType floatTypeOf(c10::ScalarType type) {
    return c10::isIntegralType(type, true) ? c10::get_default_dtype_as_scalartype() : type;
}

} // namespace aotscope::torch

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/reference_layout.h"

#include <algorithm>
#include <numeric>

/// Tensors of constants.
namespace aotscope::torch::decomposed {

namespace {

/// 1 or 0 as a number of the dtype's kind: True, 1.
c10::Scalar unit(bool one, c10::ScalarType dtype) {
    return dtype == c10::kBool ? c10::Scalar(one) : c10::Scalar(std::int64_t{one});
}

/// The order of dimensions in memory, outermost first.
std::vector<std::int64_t> physicalLayout(const at::Tensor& tensor) {
    return reference::memoryOrder({reference::Layout(tensor)});
}

/// Short ranges are computed in small integer types.
c10::ScalarType rangeType(std::int64_t last) {
    if (last <= 0xff) {
        return c10::kByte;
    }
    if (last <= 0xffff) {
        return c10::kUInt16;
    }
    return last <= 0x7fffffff ? c10::kInt : c10::kLong;
}

} // namespace

Decomposed filled(const DecompositionCall& call, bool one) {
    const c10::ScalarType dtype = call.dtype().value_or(c10::get_default_dtype_as_scalartype());
    const std::vector<c10::SymInt> sizes = call.symInts("size");
    for (const c10::SymInt& size : sizes) {
        static_cast<void>(size.sym_ge(0));
    }
    return python::full(sizes, unit(one, dtype), dtype, call.device().value_or(c10::kCPU));
}

Decomposed newFilled(const DecompositionCall& call, bool one) {
    const at::Tensor self = call.tensor("self");
    const c10::ScalarType dtype = call.dtype().value_or(self.scalar_type());
    return python::full(call.symInts("size"), unit(one, dtype), dtype, call.device().value_or(self.device()));
}

Decomposed newFull(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return python::full(call.symInts("size"), call.scalar("fill_value"),
                        call.dtype().value_or(self.scalar_type()), call.device().value_or(self.device()));
}

Decomposed newEmpty(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return at::empty_symint(call.symInts("size"), python::options(call.dtype().value_or(self.scalar_type()),
                                                                  call.device().value_or(self.device()))
                                                      .layout(c10::kStrided));
}

Decomposed filledLike(const DecompositionCall& call, bool one) {
    const at::Tensor self = call.tensor("self");
    const c10::ScalarType dtype = call.dtype().value_or(self.scalar_type());
    return at::full_like(self, unit(one, dtype), call.options().pinned_memory(false),
                         call.memoryFormat().value_or(c10::MemoryFormat::Preserve));
}

Decomposed emptyLike(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::TensorOptions options =
        python::options(call.dtype().value_or(self.scalar_type()), call.device().value_or(self.device()))
            .layout(c10::kStrided);
    const auto format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    if (format != c10::MemoryFormat::Preserve) {
        return at::empty_symint(self.sym_sizes(), options, format);
    }
    return at::empty_permuted_symint(self.sym_sizes(), physicalLayout(self), options);
}

/// `torch.full` with the dimensions in memory order, then permuted.
Decomposed fullLike(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const c10::ScalarType dtype = call.dtype().value_or(self.scalar_type());
    const c10::Device device = call.device().value_or(self.device());
    const auto format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    if (format != c10::MemoryFormat::Preserve) {
        return python::full(self.sym_sizes(), call.scalar("fill_value"), dtype, device)
            .to(at::TensorOptions(), false, false, format);
    }
    return python::inMemoryOrder(
        self.sym_sizes(), physicalLayout(self),
        [&](c10::SymIntArrayRef sizes) {
            return python::full(sizes, call.scalar("fill_value"), dtype, device);
        },
        /*copies=*/true);
}

/// Python derives the missing dtype from the number.
Decomposed fullWithoutType(const DecompositionCall& call) {
    if (call.has("dtype")) {
        return Decomposed::notApplicable();
    }
    const c10::Scalar value = call.scalar("fill_value");
    const c10::ScalarType dtype = value.isBoolean()         ? c10::kBool
                                  : value.isIntegral(false) ? c10::kLong
                                  : value.isFloatingPoint() ? c10::get_default_dtype_as_scalartype()
                                                            : c10::kComplexFloat;
    return at::full_symint(call.symInts("size"), value, call.options().dtype(dtype));
}

Decomposed arangeByOne(const DecompositionCall& call) {
    const c10::Scalar start = call.optionalScalar("start").value_or(0);
    return at::arange(start, call.scalar("end"), 1,
                      call.options().layout(c10::kStrided).pinned_memory(false));
}

Decomposed eye(const DecompositionCall& call) {
    const std::int64_t rows = call.integer("n");
    const std::int64_t columns = call.schema().overload_name() == "m" ? call.integer("m") : rows;
    const at::TensorOptions options = python::options(rangeType(std::max(rows, columns)), call.device());
    const at::Tensor row = at::arange(rows, options);
    const at::Tensor column = at::arange(columns, options);
    const at::Tensor condition = row.unsqueeze(-1).eq(column);
    return python::convert(condition, call.dtype().value_or(c10::get_default_dtype_as_scalartype()));
}

Decomposed bernoulli(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor drawn = at::rand_symint(self.sym_sizes(), python::options(c10::kFloat, self.device()));
    return python::convert(drawn.lt(self), self.scalar_type());
}

Decomposed hannWindow(const DecompositionCall& call) {
    if (!call.rules().decompositions.hannWindowsAreDecomposed) {
        return Decomposed::notApplicable();
    }
    const std::int64_t length = call.integer("window_length");
    const bool periodic = call.schema().overload_name().empty() || call.flag("periodic");
    const c10::ScalarType dtype = call.dtype().value_or(c10::get_default_dtype_as_scalartype());
    const at::TensorOptions options = call.options().dtype(dtype);
    if (length == 0) {
        return at::empty({0}, options);
    }
    if (length == 1) {
        return at::ones({1}, options);
    }
    const std::int64_t points = periodic ? length + 1 : length;
    const c10::ScalarType computed = python::computationType(dtype);
    const at::Tensor steps = at::arange(c10::Scalar(points), options.dtype(computed));
    const double step = 2.0 * 3.141592653589793 / static_cast<double>(points - 1);
    const at::Tensor wave = at::cos(steps * c10::Scalar(step)) * c10::Scalar(-0.5);
    const at::Tensor window = wave + c10::Scalar(0.5);
    return python::convert(periodic ? window.narrow(0, 0, length) : window, dtype);
}

} // namespace aotscope::torch::decomposed

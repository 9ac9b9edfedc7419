#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

#include <algorithm>

/// New tensors, ranges, copies.
namespace aotscope::torch {

namespace {

/// The number of positions on and below the diagonal `offset` of a matrix.
std::int64_t belowDiagonal(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        count += std::clamp<std::int64_t>(row + offset + 1, 0, columns);
    }
    return count;
}

at::Tensor positions(const ShapeCall& call, std::int64_t count) {
    return newEmpty({2, count}, call.dtype().value_or(c10::kLong));
}

ShapeResults trilIndices(const ShapeCall& call) {
    return {positions(call, belowDiagonal(call.integer("row"), call.integer("col"), call.integer("offset")))};
}

ShapeResults triuIndices(const ShapeCall& call) {
    const std::int64_t rows = call.integer("row");
    const std::int64_t columns = call.integer("col");
    return {positions(call, rows * columns - belowDiagonal(rows, columns, call.integer("offset") - 1))};
}

c10::ScalarType dtypeOf(const DecompositionCall& call) {
    return call.dtype().value_or(c10::get_default_dtype_as_scalartype());
}

bool isWhole(const c10::Scalar& number) {
    return number.isIntegral(/*includeBool=*/true);
}

/// Where a range begins or ends: a number or a tensor of one element.
struct Bound {
    Bound(const DecompositionCall& call, const char* name) {
        if (call.value(name).isTensor()) {
            tensor = python::convert(call.tensor(name), c10::kDouble);
        } else {
            number = call.scalar(name);
        }
    }
    [[nodiscard]] bool isKnown() const {
        return tensor.defined() || !(number.isComplex() || number.isSymbolic());
    }

    [[nodiscard]] at::Tensor plus(const at::Tensor& other) const {
        return tensor.defined() ? tensor + other : number + other;
    }
    [[nodiscard]] at::Tensor minus(const at::Tensor& other) const {
        return tensor.defined() ? tensor - other : number - other;
    }
    [[nodiscard]] at::Tensor times(const at::Tensor& other) const {
        return tensor.defined() ? tensor * other : number * other;
    }

    at::Tensor tensor;
    c10::Scalar number;
};

/// `(end - start) / steps`
Bound stepBetween(Bound start, const Bound& end, std::int64_t steps) {
    if (start.tensor.defined() || end.tensor.defined()) {
        const at::Tensor distance =
            start.tensor.defined() ? end.minus(start.tensor) : end.tensor - start.number;
        start.tensor = distance / c10::Scalar(steps);
        return start;
    }
    const bool areWhole = isWhole(start.number) && isWhole(end.number);
    const double distance = areWhole ? static_cast<double>(end.number.toLong() - start.number.toLong())
                                     : end.number.toDouble() - start.number.toDouble();
    start.number = distance / static_cast<double>(steps);
    return start;
}

/// Computed from both ends to the middle, so that the last number is the end itself.
Decomposed linspace(const DecompositionCall& call) {
    const Bound start(call, "start");
    const Bound end(call, "end");
    const std::int64_t steps = call.integer("steps");
    const c10::ScalarType dtype = dtypeOf(call);
    const c10::Device device = call.device().value_or(c10::kCPU);
    if (steps == 0 || (steps == 1 && !start.tensor.defined())) {
        return python::full({steps}, steps == 0 ? c10::Scalar(0) : start.number, dtype, device);
    }
    if (!start.isKnown() || !end.isKnown()) {
        return Decomposed::notApplicable();
    }
    const at::TensorOptions options = python::options({}, device).layout(c10::kStrided);
    if (steps == 1) {
        return at::copy(at::empty({steps}, options.dtype(dtype)), start.tensor);
    }
    const at::Tensor range = at::arange(0, steps, options);
    const c10::ScalarType computed =
        c10::isIntegralType(dtype, true) ? c10::kLong : python::computationType(dtype);
    const Bound step = stepBetween(start, end, steps - 1);
    const at::Tensor isFirstHalf = range.lt(static_cast<double>(steps) / 2);
    const at::Tensor up = start.plus(step.times(python::convert(range, computed)));
    const at::Tensor down = end.minus(step.times(python::convert(c10::Scalar(steps - 1) - range, computed)));
    return python::convert(at::where(isFirstHalf, up, down), dtype);
}

/// Powers of a base with evenly spaced exponents. For integer dtypes, the first and the last exponent are
/// truncated.
Decomposed logspace(const DecompositionCall& call) {
    const c10::ScalarType dtype = dtypeOf(call);
    const bool areWhole = c10::isIntegralType(dtype, /*includeBool=*/false);
    for (const char* const name : {"start", "end"}) {
        if (!call.value(name).isTensor() && call.scalar(name).isComplex()) {
            return Decomposed::notApplicable();
        }
    }
    const auto number = [&](const char* name) {
        const c10::Scalar given = call.scalar(name);
        return areWhole ? c10::Scalar(given.toLong()) : given;
    };
    const auto tensor = [&](const char* name) {
        return areWhole ? python::convert(call.tensor(name), dtype) : call.tensor(name);
    };
    const at::TensorOptions options =
        python::options(c10::kDouble, call.device().value_or(c10::kCPU)).layout(c10::kStrided);
    const std::int64_t steps = call.integer("steps");
    const bool fromTensor = call.value("start").isTensor();
    const bool toTensor = call.value("end").isTensor();
    const at::Tensor exponents = fromTensor && toTensor
                                     ? at::linspace(tensor("start"), tensor("end"), steps, options)
                                 : fromTensor ? at::linspace(tensor("start"), number("end"), steps, options)
                                 : toTensor   ? at::linspace(number("start"), tensor("end"), steps, options)
                                              : at::linspace(number("start"), number("end"), steps, options);
    const c10::Scalar base = call.isDefault("base") ? c10::Scalar(10) : call.scalar("base");
    return python::convert(at::pow(base, exponents), dtype);
}

} // namespace

void addCreationRows(OperatorRows& rows) {
    rows.add({"lift"},
             InInductor{[](const DecompositionCall& call) -> Decomposed { return call.tensor("self"); }});
    rows.add({"hann_window", "hann_window.periodic"}, decomposed::hannWindow);
    rows.add({"zeros"}, [](const DecompositionCall& call) { return decomposed::filled(call, false); });
    rows.add({"ones"}, [](const DecompositionCall& call) { return decomposed::filled(call, true); });
    rows.add({"new_zeros"}, [](const DecompositionCall& call) { return decomposed::newFilled(call, false); });
    rows.add({"new_ones"}, [](const DecompositionCall& call) { return decomposed::newFilled(call, true); });
    rows.add({"new_full"}, decomposed::newFull);
    rows.add({"new_empty"}, decomposed::newEmpty);
    rows.add({"zeros_like"},
             [](const DecompositionCall& call) { return decomposed::filledLike(call, false); });
    rows.add({"ones_like"}, [](const DecompositionCall& call) { return decomposed::filledLike(call, true); });
    rows.add({"empty_like"}, shapes::emptyLikeSelf, decomposed::emptyLike);
    rows.add({"arange", "arange.start"}, symbolic::range, decomposed::arangeByOne);
    rows.add({"fill.Scalar"}, [](const DecompositionCall& call) -> Decomposed {
        return at::full_like(call.tensor("self"), call.scalar("value"), python::options());
    });
    rows.add({"fill.Tensor"}, [](const DecompositionCall& call) -> Decomposed {
        return at::copy(call.tensor("self"), call.tensor("value"));
    });
    rows.add({"zero"}, shapes::contiguousLike<0>, [](const DecompositionCall& call) -> Decomposed {
        return at::zeros_like(call.tensor("self"), python::options());
    });
    rows.add({"eye", "eye.m"}, decomposed::eye);
    rows.add({"full_like"}, InInductor{decomposed::fullLike});
    rows.add({"full"}, InInductor{decomposed::fullWithoutType});
    rows.add({"empty_permuted"}, InInductor{decomposed::emptyPermuted});
    rows.add({"_to_copy"}, symbolic::preserved, InInductor{decomposed::toCopy});
    rows.add({"arange.start_step"}, symbolic::range, InInductor{decomposed::arange});
    rows.add({"linspace"}, linspace);
    rows.add({"linspace.Tensor_Tensor", "linspace.Tensor_Scalar", "linspace.Scalar_Tensor"}, shapes::steps,
             linspace);
    rows.add({"logspace"}, logspace);
    rows.add({"logspace.Tensor_Tensor", "logspace.Tensor_Scalar", "logspace.Scalar_Tensor"}, shapes::steps,
             logspace);
    rows.add({"tril_indices"}, trilIndices, InInductor{decomposed::lowerTriangleIndices});
    rows.add({"triu_indices"}, triuIndices, InInductor{decomposed::upperTriangleIndices});
    rows.add({"clone"}, shapes::cloned);
    rows.add({"copy"}, shapes::copied, symbolic::copyOfFirst, guardBroadcast);
    rows.add({"copy_"}, guardBroadcast);
}

} // namespace aotscope::torch

#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <numeric>

/// Membership and search among elements, and the indices of a matrix's triangles.
namespace aotscope::torch::decomposed {

namespace {

at::Tensor invertedIf(bool invert, const at::Tensor& found) {
    return invert ? at::bitwise_not(found) : found;
}

/// Compares every element with every one of `others`.
at::Tensor compareAll(const at::Tensor& elements, const at::Tensor& others, bool invert) {
    if (elements.sym_numel().sym_eq(0).guard_bool(__FILE__, __LINE__)) {
        return at::empty_like(elements, python::options(c10::kBool));
    }
    if (others.dim() == 0) {
        return invertedIf(invert, elements.eq(others));
    }
    std::vector<c10::SymInt> shape = python::sizes(elements);
    shape.resize(shape.size() + static_cast<std::size_t>(others.dim()), 1);
    std::vector<std::int64_t> dims(static_cast<std::size_t>(others.dim()));
    for (std::size_t i = 0; i < dims.size(); ++i) {
        dims[i] = -1 - static_cast<std::int64_t>(i);
    }
    const at::Tensor equal = elements.view_symint(shape).eq(others);
    return invertedIf(invert, equal.any(at::OptionalIntArrayRef(dims)));
}

/// Sorts both together: an element that is also in `others` then lies next to an equal one.
at::Tensor compareSorted(const at::Tensor& elements, const at::Tensor& flat, const at::Tensor& others,
                         bool invert) {
    const at::Tensor all = at::cat({flat, others});
    const auto [sorted, order] = at::sort(all, std::optional<bool>(true));
    const at::Tensor next = sorted.slice(0, 1);
    at::Tensor twice = next.eq(sorted.slice(0, 0, -1));
    twice = at::constant_pad_nd(twice, {0, 1}, false);
    if (invert) {
        twice = twice.logical_not();
    }
    at::Tensor mask = at::empty_like(twice, python::options());
    mask = at::index_copy(mask, 0, order, twice);
    return mask.slice_symint(0, 0, elements.sym_numel()).reshape_symint(elements.sym_sizes());
}

at::Tensor searchSorted(const at::Tensor& elements, const at::Tensor& flat, const at::Tensor& others,
                        bool invert) {
    const at::Tensor sorted = std::get<0>(at::sort(others));
    const at::Tensor place = at::searchsorted(sorted, flat);
    const at::Tensor inside = place.lt(c10::Scalar(sorted.sym_numel()));
    const at::Tensor found = at::index(sorted, python::indexAt(0, at::where(inside, place, 0))).eq(flat);
    return (invert ? found.logical_not() : found).reshape_symint(elements.sym_sizes());
}

/// A number as a tensor of one element, which is a constant of the graph.
at::Tensor oneElement(const c10::Scalar& number, const at::Tensor& like) {
    const bool isReal = number.isFloatingPoint();
    const at::Tensor data = at::detail::empty_cpu({1}, isReal ? c10::kFloat : c10::kLong);
    if (isReal) {
        *data.mutable_data_ptr<float>() = static_cast<float>(number.toDouble());
    } else {
        *data.mutable_data_ptr<std::int64_t>() = number.toLong();
    }
    const at::Tensor lifted = at::lift_fresh(data);
    return like.is_cpu() ? lifted : lifted.to(like.device());
}

/// The numbers of elements of a triangle: a trapezoid, whose rows grow or shrink by one, and a rectangle of
/// full rows.
struct Triangle {
    std::int64_t trapezoid = 0;
    std::int64_t rectangle = 0;
    std::int64_t firstRow = 0;
};

Triangle lowerTriangle(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
    if (rows == 0 || columns == 0) {
        return {};
    }
    const std::int64_t first = offset > 0 ? std::min(columns, 1 + offset) : (rows + offset > 0 ? 1 : 0);
    const std::int64_t last = std::max<std::int64_t>(0, std::min(columns, rows + offset));
    const std::int64_t allRows = std::max<std::int64_t>(0, std::min(rows, rows + offset));
    const std::int64_t trapezoidRows = last - first + 1;
    const std::int64_t trapezoid = (first + last) * trapezoidRows / 2;
    const std::int64_t rectangle = std::max<std::int64_t>(0, (allRows - trapezoidRows) * columns);
    return {trapezoid, rectangle, first};
}

Triangle upperTriangle(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
    if (rows == 0 || columns == 0) {
        return {};
    }
    const std::int64_t first = offset > 0 ? std::max<std::int64_t>(0, columns - offset) : columns;
    const std::int64_t rectangle = std::max<std::int64_t>(0, std::min(rows, -offset) * columns);
    const Triangle below = lowerTriangle(rows, columns, offset - 1);
    return {rows * columns - rectangle - (below.trapezoid + below.rectangle), rectangle, first};
}

/// `arange` with the options that tril_indices and triu_indices pass.
at::Tensor countTo(const DecompositionCall& call, std::int64_t end, c10::ScalarType dtype) {
    const c10::Device device = call.device().value_or(c10::kCPU);
    return at::arange(0, end, python::options(dtype, device).layout(c10::kStrided));
}

at::Tensor rowsAndColumns(const at::Tensor& firstRows, const at::Tensor& secondRows,
                          const at::Tensor& firstColumns, const at::Tensor& secondColumns) {
    const at::Tensor rows = at::cat({firstRows, secondRows});
    const at::Tensor columns = at::cat({firstColumns, secondColumns});
    return at::stack({rows, columns});
}

} // namespace

Decomposed isIn(const DecompositionCall& call) {
    const bool invert = call.flag("invert");
    if (call.schema().overload_name() == "Tensor_Scalar") {
        const at::Tensor elements = call.tensor("elements");
        const c10::Scalar other = call.scalar("test_element");
        return invert ? at::ne(elements, other) : at::eq(elements, other);
    }
    const at::Tensor others = call.tensor("test_elements");
    const at::Tensor elements =
        call.schema().overload_name() == "Scalar_Tensor"
            ? at::scalar_tensor(call.scalar("element"), python::options({}, others.device()))
            : call.tensor("elements");
    const c10::SymInt count = others.sym_numel();
    const c10::SymFloat few = python::power(python::realNumber(elements.sym_numel()), 0.145) * 10.0;
    if (python::isLess(count, few)) {
        return compareAll(elements, others, invert);
    }
    const at::Tensor flat = elements.flatten();
    const at::Tensor flatOthers = others.flatten();
    return call.flag("assume_unique") ? compareSorted(elements, flat, flatOthers, invert)
                                      : searchSorted(elements, flat, flatOthers, invert);
}

Decomposed searchSortedNumber(const DecompositionCall& call) {
    const at::Tensor sorted = call.tensor("sorted_sequence");
    const std::string side = call.has("side") ? call.text("side") : std::string();
    return at::searchsorted(sorted, oneElement(call.scalar("self"), sorted), call.flag("out_int32"),
                            call.flag("right"),
                            side.empty() ? std::nullopt : std::optional<c10::string_view>(side),
                            call.optionalTensor("sorter"))
        .select(0, 0);
}

Decomposed bucketizeNumber(const DecompositionCall& call) {
    const at::Tensor boundaries = call.tensor("boundaries");
    return at::bucketize(oneElement(call.scalar("self"), boundaries), boundaries, call.flag("out_int32"),
                         call.flag("right"))
        .squeeze(0);
}

Decomposed lowerTriangleIndices(const DecompositionCall& call) {
    const std::int64_t columns = call.integer("col");
    const std::int64_t offset = call.integer("offset");
    const Triangle triangle = lowerTriangle(call.integer("row"), columns, offset);
    const c10::ScalarType dtype = call.dtype().value_or(c10::kLong);
    const std::int64_t below = std::max<std::int64_t>(0, -offset);
    const at::Tensor inTrapezoid = countTo(call, triangle.trapezoid, c10::kDouble);
    const double b = static_cast<double>(triangle.firstRow) - 0.5;
    const at::Tensor row = at::floor(-b + at::sqrt(b * b + 2 * inTrapezoid));
    const at::Tensor before = (2 * triangle.firstRow - 1 + row) * row * 0.5;
    const at::Tensor column = at::floor(inTrapezoid - before);
    const at::Tensor rows = python::convert(row + below, dtype);
    const at::Tensor trapezoidColumns = python::convert(column, dtype);
    const at::Tensor inRectangle = countTo(call, triangle.rectangle, dtype);
    const at::Tensor rectangleRows =
        at::floor_divide(inRectangle, python::number(columns)) + (columns - triangle.firstRow + 1 + below);
    const at::Tensor rectangleColumns = at::remainder(inRectangle, columns);
    return rowsAndColumns(rows, rectangleRows, trapezoidColumns, rectangleColumns);
}

Decomposed upperTriangleIndices(const DecompositionCall& call) {
    const std::int64_t columns = call.integer("col");
    const std::int64_t offset = call.integer("offset");
    const Triangle triangle = upperTriangle(call.integer("row"), columns, offset);
    const c10::ScalarType dtype = call.dtype().value_or(c10::kLong);
    const at::Tensor inRectangle = countTo(call, triangle.rectangle, dtype);
    const at::Tensor rectangleRows = at::floor_divide(inRectangle, python::number(columns));
    const at::Tensor rectangleColumns = at::remainder(inRectangle, columns);
    const at::Tensor inTrapezoid = countTo(call, triangle.trapezoid, c10::kDouble);
    const double b = -0.5 - static_cast<double>(triangle.firstRow);
    const at::Tensor row = at::floor(-b - at::sqrt(b * b - 2 * inTrapezoid));
    const at::Tensor before = (2 * triangle.firstRow - 1 - row) * row * 0.5;
    const at::Tensor column = at::floor(inTrapezoid - before);
    at::Tensor rows = python::convert(row, dtype);
    at::Tensor trapezoidColumns = python::convert(column, dtype);
    if (columns != 0) {
        rows = rows + triangle.rectangle / columns;
    }
    trapezoidColumns = trapezoidColumns + std::max<std::int64_t>(0, offset);
    return rowsAndColumns(rectangleRows, rows, rectangleColumns, trapezoidColumns);
}

} // namespace aotscope::torch::decomposed

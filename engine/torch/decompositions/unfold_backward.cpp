#include "decompositions/all_decompositions.h"

#include "decompositions/python_arithmetic.h"

namespace aotscope::torch::decomposed {

namespace {

bool isKnown(const c10::SymBool& fact) {
    return fact.statically_known_true(__FILE__, __LINE__);
}

/// Whether the windows of a gradient are exactly those that `unfold` takes from an input of this shape.
bool hasAllWindows(const at::Tensor& grad, const std::vector<c10::SymInt>& shape, std::int64_t dim,
                   std::int64_t size, std::int64_t step) {
    const auto dims = static_cast<std::int64_t>(shape.size());
    if (grad.dim() != dims + 1 || !isKnown(grad.sym_size(-1).sym_eq(size))) {
        return false;
    }
    const c10::SymInt windows = (shape[static_cast<std::size_t>(dim)] - size) / step + 1;
    if (!isKnown(grad.sym_size(dim).sym_eq(windows))) {
        return false;
    }
    for (std::int64_t i = 0; i < dims; ++i) {
        if (i != dim && !isKnown(grad.sym_size(i).sym_eq(shape[static_cast<std::size_t>(i)]))) {
            return false;
        }
    }
    return true;
}

/// Broadcasts one window of a gradient to the part of the input that it is added to.
at::Tensor windowAs(const at::Tensor& source, const std::vector<c10::SymInt>& shape, std::int64_t dim) {
    const auto dims = static_cast<std::int64_t>(shape.size());
    if (source.dim() > dims) {
        return source.expand_symint(shape);
    }
    std::vector<c10::SymInt> view(shape.size(), c10::SymInt(1));
    for (std::int64_t i = 0; i < source.dim(); ++i) {
        const std::int64_t target = i == dim ? i : i + dims - source.dim();
        if (target < 0 || target >= dims) {
            return source.expand_symint(shape);
        }
        c10::SymInt& size = view[static_cast<std::size_t>(target)];
        if (isKnown(size.sym_eq(1))) {
            size = source.sym_size(i);
        }
    }
    return source.reshape_symint(view).expand_symint(shape);
}

/// From the last offset in a window to the first, so that overlapping windows add up in their order.
at::Tensor addedByWindow(at::Tensor input, const at::Tensor& grad, const std::vector<c10::SymInt>& shape,
                         std::int64_t dim, std::int64_t size, std::int64_t step) {
    const c10::SymInt zero(0);
    for (std::int64_t offset = size - 1; offset >= 0; --offset) {
        const c10::SymInt fitting = (shape[static_cast<std::size_t>(dim)] - offset + (step - 1)) / step;
        const c10::SymInt most = isKnown(fitting.sym_ge(zero))   ? fitting
                                 : isKnown(zero.sym_ge(fitting)) ? zero
                                                                 : fitting.max(zero);
        const c10::SymInt windows = grad.sym_size(dim);
        const c10::SymInt valid = isKnown(windows.sym_le(most))   ? windows
                                  : isKnown(most.sym_le(windows)) ? most
                                                                  : windows.min(most);
        const at::Tensor first = python::arange(valid, grad, c10::kInt) * c10::Scalar(step);
        const at::Tensor index = first + c10::Scalar(offset);
        const at::Tensor source = grad.select(-1, offset).narrow_symint(dim, 0, valid);
        std::vector<c10::SymInt> part = shape;
        part[static_cast<std::size_t>(dim)] = valid;
        input = at::index_add(input, dim, index, windowAs(source, part, dim));
    }
    return input.contiguous();
}

} // namespace

Decomposed unfoldBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_in");
    const std::vector<c10::SymInt> shape = call.symInts("input_sizes");
    if (shape.empty()) {
        return at::squeeze_copy(grad, 0);
    }
    const std::int64_t dim =
        c10::maybe_wrap_dim(call.integer("dim"), static_cast<std::int64_t>(shape.size()));
    const std::int64_t size = call.integer("size");
    const std::int64_t step = call.integer("step");
    const bool mayAddByWindow = call.rules().decompositions.unfoldBackwardMayAddByWindow;
    at::Tensor input;
    if (mayAddByWindow) {
        TORCH_CHECK(step > 0, "unfold_backward: the step is ", step, " but must be above 0");
        input = python::newZeros(grad, shape);
        if (step < size && !hasAllWindows(grad, shape, dim, size, step)) {
            return addedByWindow(input, grad, shape, dim, size, step);
        }
    }
    const at::Tensor range = python::arange(shape[static_cast<std::size_t>(dim)], grad, c10::kInt);
    const at::Tensor index = range.unfold(0, size, step).flatten();
    grad = grad.movedim(-1, dim + 1).flatten(dim, dim + 1);
    if (!mayAddByWindow) {
        input = python::newZeros(grad, shape);
    }
    return at::_unsafe_index_put(input, python::indexAt(dim, index), grad, true).contiguous();
}

} // namespace aotscope::torch::decomposed

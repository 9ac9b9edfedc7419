#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <ATen/ExpandUtils.h>

#include <algorithm>

namespace aotscope::torch::decomposed {

namespace {

bool knownEqual(const c10::SymInt& left, const c10::SymInt& right) {
    return left.sym_eq(right).guard_or_false(__FILE__, __LINE__);
}

/// Whether a tensor is contiguous, not counting dimensions of one element.
bool isContiguousUpToOnes(const at::Tensor& tensor) {
    const c10::SymIntArrayRef sizes = tensor.sym_sizes();
    const c10::SymIntArrayRef strides = tensor.sym_strides();
    c10::SymInt expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (!knownEqual(sizes[i], 1) && !knownEqual(strides[i], expected)) {
            return false;
        }
        expected = expected * sizes[i];
    }
    return true;
}

/// Whether the batch of the larger tensor is folded into the rows of one matrix.
bool shouldFold(const at::Tensor& left, const at::Tensor& right) {
    const at::Tensor& larger = left.dim() >= right.dim() ? left : right;
    const at::Tensor& smaller = left.dim() >= right.dim() ? right : left;
    if (larger.dim() < 3 || smaller.dim() > 2) {
        return false;
    }
    if (smaller.requires_grad()) {
        return true;
    }
    if (left.dim() == 2) {
        return false;
    }
    return knownEqual(larger.sym_numel(), 0) || isContiguousUpToOnes(larger);
}

at::Tensor foldedProduct(const at::Tensor& left, const at::Tensor& right) {
    const bool transpose = right.dim() > left.dim();
    const at::Tensor larger = transpose ? right.mT() : left;
    const at::Tensor smaller = !transpose ? right : left.dim() == 2 ? left.t() : left;
    std::vector<c10::SymInt> shape(larger.sym_sizes().begin(), larger.sym_sizes().end() - 1);
    const c10::SymInt rows = python::product(shape);
    const bool matrix = smaller.dim() == 2;
    if (matrix) {
        shape.push_back(smaller.sym_size(1));
    }
    const at::Tensor folded = larger.reshape_symint({rows, larger.sym_size(-1)});
    if (!matrix) {
        return at::_unsafe_view_symint(folded.mv(smaller), shape);
    }
    const at::Tensor output = at::_unsafe_view_symint(folded.mm(smaller), shape);
    return transpose ? output.mT().contiguous() : output;
}

/// `torch.broadcast_shapes` with its comparisons in the same order, because a trace may record them.
std::vector<c10::SymInt> broadcastShapes(c10::SymIntArrayRef left, c10::SymIntArrayRef right) {
    std::vector<c10::SymInt> common(std::max(left.size(), right.size()), 1);
    for (const c10::SymIntArrayRef shape : {left, right}) {
        for (std::size_t i = 1; i <= shape.size(); ++i) {
            const c10::SymInt& size = shape[shape.size() - i];
            c10::SymInt& known = common[common.size() - i];
            if (knownEqual(size, known)) {
                continue;
            }
            if (knownEqual(known, 1)) {
                TORCH_CHECK(!(size < 0), "Attempting to broadcast a dimension with negative length!");
                known = size;
            }
            if (knownEqual(size, 1)) {
                continue;
            }
            TORCH_CHECK(known.sym_eq(size).expect_true(__FILE__, __LINE__), "The batches ", left, " and ",
                        right, " cannot be broadcast together.");
        }
    }
    return common;
}

at::Tensor batchedProduct(const at::Tensor& left, const at::Tensor& right) {
    const std::int64_t leftDim = left.dim();
    const std::int64_t rightDim = right.dim();
    const c10::SymInt n = leftDim > 1 ? left.sym_size(-2) : c10::SymInt(1);
    const c10::SymInt m1 = left.sym_size(-1);
    const c10::SymInt m2 = rightDim > 1 ? right.sym_size(-2) : right.sym_size(-1);
    const c10::SymInt p = rightDim > 1 ? right.sym_size(-1) : c10::SymInt(1);
    if (leftDim == 3 && rightDim == 3 &&
        left.sym_size(0).sym_ne(right.sym_size(0)).guard_or_true(__FILE__, __LINE__)) {
        // A batch of one: folding saves memory in the backward.
        if (knownEqual(left.sym_size(0), 1) && left.requires_grad()) {
            return at::matmul(left.squeeze(0), right);
        }
        if (knownEqual(right.sym_size(0), 1) && right.requires_grad()) {
            return at::matmul(left, right.squeeze(0));
        }
    }
    const auto batchOf = [](const at::Tensor& tensor) {
        const std::int64_t batchDims = std::max<std::int64_t>(tensor.dim() - 2, 0);
        return tensor.sym_sizes().slice(0, static_cast<std::size_t>(batchDims));
    };
    const std::vector<c10::SymInt> batch = broadcastShapes(batchOf(left), batchOf(right));
    const c10::SymInt batchSize = python::product(batch);
    const auto withMatrix = [&](std::initializer_list<c10::SymInt> matrix) {
        std::vector<c10::SymInt> shape(batch.begin(), batch.end());
        shape.insert(shape.end(), matrix.begin(), matrix.end());
        return shape;
    };
    const at::Tensor leftBatch = left.expand_symint(withMatrix({n, m1})).reshape_symint({batchSize, n, m1});
    std::vector<c10::SymInt> shape(batch.begin(), batch.end());
    if (leftDim > 1) {
        shape.push_back(n);
    }
    if (rightDim == 1) {
        const at::Tensor rightBatch =
            right.expand_symint(withMatrix({m2})).reshape_symint({batchSize, m2}).unsqueeze(2);
        return leftBatch.bmm(rightBatch).squeeze(-1).view_symint(shape);
    }
    shape.push_back(p);
    const at::Tensor rightBatch = right.expand_symint(withMatrix({m2, p})).reshape_symint({batchSize, m2, p});
    return leftBatch.bmm(rightBatch).view_symint(shape);
}

} // namespace

Decomposed matmul(const DecompositionCall& call) {
    const at::Tensor left = call.tensor("self");
    const at::Tensor right = call.tensor("other");
    const std::int64_t leftDim = left.dim();
    const std::int64_t rightDim = right.dim();
    TORCH_CHECK(leftDim != 0 && rightDim != 0,
                "both arguments to matmul need to be at least 1D, but they are ", leftDim, "D and ", rightDim,
                "D");
    if (leftDim == 1 && rightDim == 1) {
        return at::dot(left, right);
    }
    if (leftDim == 2 && rightDim == 1) {
        return at::mv(left, right);
    }
    if (leftDim == 1 && rightDim == 2) {
        return at::squeeze(at::mm(at::unsqueeze(left, 0), right), 0);
    }
    if (leftDim == 2 && rightDim == 2) {
        return at::mm(left, right);
    }
    return shouldFold(left, right) ? foldedProduct(left, right) : batchedProduct(left, right);
}

} // namespace aotscope::torch::decomposed

#include "decompositions/all_decompositions.h"

#include "decompositions/python_arithmetic.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/_assert_async.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/select_scatter.h>
#include <ATen/ops/unsafe_split.h>
#include <ATen/ops/unsafe_split_with_sizes.h>

namespace aotscope::torch::decomposed {

Decomposed padSequence(const DecompositionCall& call) {
    const bool isLeft = call.text("padding_side") == "left";
    if (isLeft && !call.rules().padsSequencesToTheLeft) {
        return Decomposed::notApplicable();
    }
    const std::vector<at::Tensor> sequences = call.tensors("sequences");
    TORCH_CHECK(!sequences.empty(), "received an empty list of sequences");
    const bool batchFirst = call.flag("batch_first");
    const double value = call.number("padding_value");
    const std::vector<c10::SymInt> trailing = python::sizes(sequences.front(), 1);
    c10::SymInt longest = sequences.front().sym_size(0);
    for (const at::Tensor& sequence : sequences) {
        longest = longest.max(sequence.sym_size(0));
    }
    const c10::SymInt count = static_cast<std::int64_t>(sequences.size());
    std::vector<c10::SymInt> shape =
        batchFirst ? std::vector<c10::SymInt>{count, longest} : std::vector<c10::SymInt>{longest, count};
    shape.insert(shape.end(), trailing.begin(), trailing.end());
    at::Tensor padded = python::newFull(sequences.front(), shape, value);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        std::vector<c10::SymInt> padding(2 * trailing.size(), 0);
        const c10::SymInt missing = longest - sequences[i].sym_size(0);
        padding.push_back(isLeft ? missing : 0);
        padding.push_back(isLeft ? 0 : missing);
        const at::Tensor row = at::constant_pad_nd_symint(sequences[i], padding, value);
        padded = at::select_scatter(padded, row, batchFirst ? 0 : 1, static_cast<std::int64_t>(i));
    }
    return padded;
}

Decomposed broadcastTensors(const DecompositionCall& call) {
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    std::vector<c10::SymInt> shape;
    for (const at::Tensor& tensor : tensors) {
        const auto common = at::infer_size_symdimvector(shape, tensor.sym_sizes());
        shape.assign(common.begin(), common.end());
    }
    std::vector<at::Tensor> results;
    for (const at::Tensor& tensor : tensors) {
        const c10::SymIntArrayRef sizes = tensor.sym_sizes();
        const bool same =
            sizes.size() == shape.size() &&
            std::equal(sizes.begin(), sizes.end(), shape.begin(), [](const auto& a, const auto& b) {
                return a.sym_eq(b).guard_or_false(__FILE__, __LINE__);
            });
        results.push_back(same ? tensor : tensor.expand_symint(shape));
    }
    return Decomposed::list(std::move(results));
}

Decomposed tensorSplit(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor given = call.tensor("tensor_indices_or_sections");
    const std::int64_t dim = call.integer("dim");
    TORCH_CHECK(given.is_cpu() && given.scalar_type() == c10::kLong,
                "tensor_split takes its indices as an int64 tensor on the CPU, not as ", given.scalar_type(),
                " on ", given.device());
    TORCH_CHECK(given.dim() <= 1,
                "tensor_split takes its indices as a tensor of no or one dimension, not of ", given.dim());
    if (given.dim() == 0) {
        return Decomposed::list(self.tensor_split_symint(given.item().toSymInt(), dim));
    }
    std::vector<c10::SymInt> indices;
    for (const at::Tensor& index : given.unbind(0)) {
        indices.push_back(index.item().toSymInt());
    }
    return Decomposed::list(self.tensor_split_symint(c10::SymIntArrayRef(indices), dim));
}

Decomposed unsafeChunk(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const std::int64_t chunks = call.integer("chunks");
    const std::int64_t dim = call.integer("dim");
    const c10::SymInt size = self.sym_size(dim);
    const c10::SymInt each = (size + chunks - 1) / chunks;
    if (each.sym_eq(0).guard_bool(__FILE__, __LINE__) && size.sym_eq(0).guard_bool(__FILE__, __LINE__)) {
        std::vector<c10::SymInt> sizes(static_cast<std::size_t>(chunks), each);
        sizes.back() = each - (each * chunks - size);
        return Decomposed::list(at::unsafe_split_with_sizes_symint(self, sizes, dim));
    }
    return Decomposed::list(at::unsafe_split_symint(self, each, dim));
}

/// LibTorch's kernel reads no values for Python's fake tensors; ours do not have the keys it looks for, so
/// the same is done here.
Decomposed oneHot(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    c10::SymInt classes = call.symInt("num_classes");
    if (classes.maybe_as_int() == -1) {
        classes = self.max().item().toSymInt() + 1;
    }
    if (call.rules().oneHotChecksItsClasses) {
        at::_assert_async(self.ge(0).all(), "one_hot: Class values must be non-negative.");
        at::_assert_async(self.lt(c10::Scalar(classes)).all(),
                          "one_hot: Class values must be smaller than num_classes.");
        const at::Tensor column = self.unsqueeze(-1);
        const auto options = at::TensorOptions(self.scalar_type()).device(self.device()).pinned_memory(false);
        return at::eq(column, at::arange(c10::Scalar(classes), options)).to(at::kLong);
    }
    const at::Tensor index = at::arange(c10::Scalar(classes), self.options());
    return at::eq(self.unsqueeze(-1), index).to(at::kLong);
}

} // namespace aotscope::torch::decomposed

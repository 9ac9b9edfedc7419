#include "run/index_operands.h"

#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"
#include "run/value_access.h"

#include "ir/operator_name.h"

#include <ATen/ops/aminmax.h>

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

enum class Bound {
    /// Size of tensor `of` along the dimension that argument `detail` gives.
    SizeAlongArgument,
    /// Size of tensor `of` along dimension `detail`.
    Size,
    /// The integer argument `of`.
    Integer,
    /// A list of index tensors, one for each of the first dimensions of tensor `of`.
    PerDimension,
    /// All elements of tensor `of`.
    Elements,
    /// Number of classes: size 1 of tensor `of`, or size 0 when it has one dimension. Argument `detail` is
    /// the ignored class.
    Classes,
    /// Product of the last `detail` sizes of tensor `of`.
    LastSizes,
    /// Product of the integer list `of`.
    Product,
    /// Smallest integer of the list `of`.
    Smallest,
    /// For indices that count from 1: from 1 to the size of tensor `of` along dimension -`detail`.
    PositionFromOne,
    /// As PositionFromOne; the kernel takes their magnitude.
    PivotFromOne,
    /// Places in a pooling window of the sizes `of`, for the input sizes that follow, the strides, paddings
    /// and dilations: those that lie in the input wherever the window stands.
    WindowOffset,
};

struct Rule { // NOLINT: the table is read in this order
    /// Operator without overload, after "aten.".
    std::string_view name;
    std::size_t index;
    Bound bound;
    std::size_t of;
    std::size_t detail;
    bool negativeAllowed;
};

constexpr Rule indexRules[] = {
    {"embedding", 1, Bound::Size, 0, 0, false},
    {"embedding_bag", 1, Bound::Size, 0, 0, false},
    {"_embedding_bag", 1, Bound::Size, 0, 0, false},
    {"_embedding_bag_forward_only", 1, Bound::Size, 0, 0, false},
    {"_embedding_bag_backward", 1, Bound::Integer, 6, 0, false},
    {"_embedding_bag_backward", 3, Bound::Size, 0, 0, false},
    {"_embedding_bag_backward", 5, Bound::Integer, 6, 0, true},
    {"_embedding_bag_dense_backward", 1, Bound::Integer, 5, 0, false},
    {"_embedding_bag_dense_backward", 2, Bound::Size, 0, 0, false},
    {"_embedding_bag_dense_backward", 4, Bound::Integer, 5, 0, true},
    {"_embedding_bag_per_sample_weights_backward", 2, Bound::Size, 1, 0, false},
    {"_embedding_bag_per_sample_weights_backward", 4, Bound::Size, 0, 0, false},
    {"embedding_renorm_", 1, Bound::Size, 0, 0, false},
    {"embedding_dense_backward", 1, Bound::Integer, 2, 0, false},
    {"embedding_sparse_backward", 1, Bound::Integer, 2, 0, false},
    {"embedding_backward", 1, Bound::Integer, 2, 0, false},
    {"index", 1, Bound::PerDimension, 0, 0, true},
    {"_unsafe_index", 1, Bound::PerDimension, 0, 0, true},
    {"index_put", 1, Bound::PerDimension, 0, 0, true},
    {"index_put_", 1, Bound::PerDimension, 0, 0, true},
    {"_unsafe_index_put", 1, Bound::PerDimension, 0, 0, true},
    {"_index_put_impl", 1, Bound::PerDimension, 0, 0, true},
    {"_index_put_impl_", 1, Bound::PerDimension, 0, 0, true},
    {"gather", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"gather_backward", 3, Bound::SizeAlongArgument, 1, 2, false},
    {"scatter", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"scatter_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"scatter_add", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"scatter_add_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"scatter_reduce", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"scatter_reduce_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_select", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_add", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_add_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_copy", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_copy_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_fill", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_fill_", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"index_reduce", 2, Bound::SizeAlongArgument, 0, 1, false},
    {"take", 1, Bound::Elements, 0, 0, true},
    {"put", 1, Bound::Elements, 0, 0, true},
    {"put_", 1, Bound::Elements, 0, 0, true},
    {"nll_loss_forward", 1, Bound::Classes, 0, 4, false},
    {"nll_loss_backward", 2, Bound::Classes, 1, 5, false},
    {"nll_loss2d_forward", 1, Bound::Classes, 0, 4, false},
    {"nll_loss2d_backward", 2, Bound::Classes, 1, 5, false},
    {"multi_margin_loss", 1, Bound::Classes, 0, 99, false},
    {"multi_margin_loss_backward", 2, Bound::Classes, 1, 99, false},
    {"cross_entropy_loss", 1, Bound::Classes, 0, 4, false},
    {"multilabel_margin_loss_forward", 1, Bound::Classes, 0, 99, false},
    {"multilabel_margin_loss_backward", 2, Bound::Classes, 1, 99, false},
    {"_ctc_loss", 1, Bound::Size, 0, 2, false},
    {"_ctc_loss_backward", 2, Bound::Size, 1, 2, false},
    {"_convert_indices_from_coo_to_csr", 0, Bound::Integer, 1, 0, false},
    {"_sparse_coo_tensor_unsafe", 0, Bound::Smallest, 2, 0, false},
    {"_sparse_coo_tensor_with_dims_and_tensors", 3, Bound::Smallest, 2, 0, false},
    {"_sparse_csr_tensor_unsafe", 1, Bound::Smallest, 3, 0, false},
    {"_sparse_csc_tensor_unsafe", 1, Bound::Smallest, 3, 0, false},
    {"_sparse_compressed_tensor_unsafe", 1, Bound::Smallest, 3, 0, false},
    {"max_pool2d_with_indices_backward", 7, Bound::LastSizes, 1, 2, false},
    {"max_pool3d_with_indices_backward", 7, Bound::LastSizes, 1, 3, false},
    {"adaptive_max_pool2d_backward", 2, Bound::LastSizes, 1, 2, false},
    {"adaptive_max_pool3d_backward", 2, Bound::LastSizes, 1, 3, false},
    {"fractional_max_pool2d_backward", 4, Bound::LastSizes, 1, 2, false},
    {"fractional_max_pool3d_backward", 4, Bound::LastSizes, 1, 3, false},
    {"max_unpool2d", 1, Bound::Product, 2, 0, false},
    {"max_unpool3d", 1, Bound::Product, 2, 0, false},
    {"_low_memory_max_pool_offsets_to_indices", 0, Bound::WindowOffset, 1, 0, false},
    {"_low_memory_max_pool2d_offsets_to_indices", 0, Bound::Product, 1, 0, false},
    {"one_hot", 0, Bound::Integer, 1, 0, false},
    {"lu_unpack", 1, Bound::PositionFromOne, 0, 2, false},
    {"linalg_lu_solve", 1, Bound::PositionFromOne, 0, 2, false},
    {"lu_solve", 2, Bound::PositionFromOne, 1, 2, false},
    {"linalg_ldl_solve", 1, Bound::PivotFromOne, 0, 2, false},
};

std::optional<std::int64_t> product(const std::vector<std::int64_t>& sizes, std::size_t first) {
    std::int64_t result = 1;
    for (std::size_t i = first; i < sizes.size(); ++i) {
        if (__builtin_mul_overflow(result, sizes[i], &result)) {
            return std::nullopt;
        }
    }
    return result;
}

std::optional<std::int64_t> sizeAlong(const std::optional<std::vector<std::int64_t>>& shape,
                                      std::optional<std::int64_t> dim) {
    if (!shape || !dim) {
        return std::nullopt;
    }
    if (shape->empty()) {
        return 1;
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    const std::int64_t at = *dim < 0 ? *dim + rank : *dim;
    if (at < 0 || at >= rank) {
        return std::nullopt;
    }
    return (*shape)[static_cast<std::size_t>(at)];
}

std::optional<std::int64_t> boundOf(const Rule& rule, const OperandView& operands) {
    const auto shape = operands.shape(rule.of);
    switch (rule.bound) {
    case Bound::SizeAlongArgument:
        return sizeAlong(shape, operands.integer(rule.detail));
    case Bound::Size:
        return sizeAlong(shape, static_cast<std::int64_t>(rule.detail));
    case Bound::Integer:
        return operands.integer(rule.of);
    case Bound::Elements:
        return shape ? product(*shape, 0) : std::nullopt;
    case Bound::Classes:
        return sizeAlong(shape, shape && shape->size() > 1 ? 1 : 0);
    case Bound::LastSizes:
        return shape && shape->size() >= rule.detail ? product(*shape, shape->size() - rule.detail)
                                                     : std::nullopt;
    case Bound::Product: {
        const auto sizes = operands.integers(rule.of);
        return sizes ? product(*sizes, 0) : std::nullopt;
    }
    case Bound::Smallest: {
        const auto sizes = operands.integers(rule.of);
        return sizes && !sizes->empty() ? std::optional(std::ranges::min(*sizes)) : std::nullopt;
    }
    case Bound::PositionFromOne:
    case Bound::PivotFromOne: {
        const auto size = sizeAlong(shape, -static_cast<std::int64_t>(rule.detail));
        return size ? std::optional(*size + 1) : std::nullopt;
    }
    case Bound::WindowOffset:
    case Bound::PerDimension:
        break;
    }
    return std::nullopt;
}

/// The only place that is in the input wherever a window stands, as far as there is one: along each dimension
/// the first that no padding on the left covers.
std::optional<IndexOperand> windowOffset(const Rule& rule, const OperandView& operands) {
    const auto kernel = operands.integers(rule.of);
    const auto padding = operands.integers(rule.of + 3);
    const auto dilation = operands.integers(rule.of + 4);
    if (!kernel || !padding || !dilation || padding->size() != kernel->size() ||
        dilation->size() != kernel->size()) {
        return std::nullopt;
    }
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < kernel->size(); ++i) {
        const std::int64_t step = std::max<std::int64_t>((*dilation)[i], 1);
        const std::int64_t first = ((*padding)[i] + step - 1) / step;
        offset = offset * (*kernel)[i] +
                 std::clamp<std::int64_t>(first, 0, std::max<std::int64_t>((*kernel)[i] - 1, 0));
    }
    IndexOperand operand{rule.index, std::nullopt, offset + 1, false};
    operand.least = offset;
    operand.onlyMade = true;
    return operand;
}

std::vector<IndexOperand> perDimension(const Rule& rule, const OperandView& operands) {
    std::vector<IndexOperand> found;
    const auto shape = operands.shape(rule.of);
    const auto count = operands.listSize(rule.index);
    std::size_t dim = 0;
    for (std::size_t i = 0; shape && count && i < *count && dim < shape->size(); ++i) {
        const auto indexShape = operands.shape(rule.index, i);
        if (!indexShape) {
            ++dim;
        } else if (operands.isMask(rule.index, i)) {
            dim += indexShape->size();
        } else {
            found.push_back({rule.index, i, (*shape)[dim], true});
            ++dim;
        }
    }
    return found;
}

/// The arguments as they are at run time.
class ValueView final : public OperandView {
public:
    explicit ValueView(const std::vector<IValue>& args) : m_args(args) {}

    std::optional<std::size_t> listSize(std::size_t argument) const override {
        const IValue* value = at(argument, std::nullopt);
        return value != nullptr && value->isList() ? std::optional(value->toListRef().size()) : std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> shape(std::size_t argument,
                                                   std::optional<std::size_t> element) const override {
        const std::optional<at::Tensor> tensor = tensorAt(argument, element);
        return tensor ? std::optional(tensor->sizes().vec()) : std::nullopt;
    }
    bool isMask(std::size_t argument, std::optional<std::size_t> element) const override {
        const std::optional<at::Tensor> tensor = tensorAt(argument, element);
        return tensor && (tensor->scalar_type() == c10::kBool || tensor->scalar_type() == c10::kByte);
    }
    std::optional<std::int64_t> integer(std::size_t argument) const override {
        const IValue* value = at(argument, std::nullopt);
        return value != nullptr && value->isInt() ? std::optional(value->toInt()) : std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> integers(std::size_t argument) const override {
        const IValue* value = at(argument, std::nullopt);
        if (value == nullptr || !(value->isList() || value->isTuple())) {
            return std::nullopt;
        }
        return intsArgument(*value);
    }
    std::optional<at::Tensor> tensorAt(std::size_t argument, std::optional<std::size_t> element) const {
        const IValue* value = at(argument, element);
        if (value == nullptr || !value->isTensor() || !value->toTensor().defined()) {
            return std::nullopt;
        }
        return value->toTensor();
    }

private:
    const IValue* at(std::size_t argument, std::optional<std::size_t> element) const {
        if (argument >= m_args.size()) {
            return nullptr;
        }
        const IValue& value = m_args[argument];
        if (!element) {
            return &value;
        }
        if (!value.isList() || *element >= value.toListRef().size()) {
            return nullptr;
        }
        return &value.toListRef()[*element];
    }

    const std::vector<IValue>& m_args;
};

bool inRange(const at::Tensor& tensor, const IndexOperand& operand) {
    at::Tensor values = tensor;
    if (operand.exempt) {
        values = values.masked_select(values.ne(*operand.exempt));
    }
    if (values.numel() == 0) {
        return true;
    }
    const auto [least, greatest] = at::aminmax(values);
    const std::int64_t low = operand.negativeAllowed ? -operand.below : operand.least;
    return least.item().toLong() >= low && greatest.item().toLong() < operand.below;
}

/// Fake and meta tensors have no values to check.
bool hasValues(const at::Tensor& tensor) {
    return !tensor.is_meta() && !tensor.key_set().has(traceKey);
}

} // namespace

std::vector<IndexOperand> indexOperands(std::string_view target, const OperandView& operands) {
    if (!target.starts_with("aten.") && !target.starts_with("prims.")) {
        return {};
    }
    const std::string_view name = ir::splitTarget(target).name;
    std::vector<IndexOperand> found;
    for (const Rule& rule : indexRules) {
        if (rule.name != name) {
            continue;
        }
        if (rule.bound == Bound::PerDimension) {
            return perDimension(rule, operands);
        }
        if (rule.bound == Bound::WindowOffset) {
            if (auto operand = windowOffset(rule, operands)) {
                found.push_back(*operand);
            }
        } else if (const std::optional<std::int64_t> below = boundOf(rule, operands)) {
            IndexOperand operand{rule.index, std::nullopt, *below, rule.negativeAllowed};
            operand.least = rule.bound == Bound::PositionFromOne || rule.bound == Bound::PivotFromOne ? 1 : 0;
            operand.onlyMade = rule.bound == Bound::PivotFromOne;
            if (rule.bound == Bound::Classes) {
                operand.exempt = operands.integer(rule.detail).value_or(-100);
            }
            found.push_back(operand);
        }
    }
    return found;
}

namespace {

/// An operator whose kernel trusts offsets: {operator, offsets (a tensor or a list of one), rows that they
/// divide: a size of that tensor, or a number}.
struct TrustedOffsets {
    std::string_view name;
    std::size_t offsets;
    std::size_t rows;
};
constexpr TrustedOffsets trustedOffsets[] = {
    {"aten._convert_indices_from_csr_to_coo.", 0, 1}, {"aten._jagged_to_padded_dense_forward.", 1, 0},
    {"aten._padded_dense_to_jagged_forward.", 1, 2},  {"aten._sparse_csr_tensor_unsafe.", 0, 1},
    {"aten._sparse_csc_tensor_unsafe.", 0, 1},        {"aten._sparse_compressed_tensor_unsafe.", 0, 1},
};

bool areOffsets(const at::Tensor& offsets, std::int64_t rows) {
    if (offsets.numel() == 0) {
        return true;
    }
    const at::Tensor flat = offsets.to(c10::kLong);
    const bool isSorted =
        flat.size(-1) < 2 ||
        flat.narrow(-1, 1, flat.size(-1) - 1).ge(flat.narrow(-1, 0, flat.size(-1) - 1)).all().item().toBool();
    const auto [least, greatest] = at::aminmax(flat);
    return isSorted && least.item().toLong() >= 0 && greatest.item().toLong() <= rows;
}

void checkOffsets(std::string_view target, const ValueView& view) {
    for (const TrustedOffsets& rule : trustedOffsets) {
        if (!target.starts_with(rule.name)) {
            continue;
        }
        const bool isList = view.listSize(rule.offsets).has_value();
        const auto offsets =
            view.tensorAt(rule.offsets, isList ? std::optional<std::size_t>(0) : std::nullopt);
        const auto shape = view.shape(rule.rows, std::nullopt);
        const auto rows = shape && !shape->empty()
                              ? std::optional(rule.offsets == 0 ? shape->back() : shape->front())
                              : view.integer(rule.rows);
        if (offsets && rows && offsets->dim() > 0 && hasValues(*offsets) &&
            c10::isIntegralType(offsets->scalar_type(), false) && !areOffsets(*offsets, *rows)) {
            fail("run.index", std::string(target) + " was given offsets that do not rise from 0 to at most " +
                                  std::to_string(*rows) + ".");
        }
    }
}

} // namespace

void checkIndexes(std::string_view target, const std::vector<IValue>& args) {
    const ValueView view(args);
    checkOffsets(target, view);
    for (const IndexOperand& operand : indexOperands(target, view)) {
        const auto tensor = view.tensorAt(operand.argument, operand.element);
        if (operand.onlyMade || !tensor || !hasValues(*tensor) ||
            !c10::isIntegralType(tensor->scalar_type(), false) || inRange(*tensor, operand)) {
            continue;
        }
        fail("run.index", std::string(target) + " was given indexes outside of the range below " +
                              std::to_string(operand.below) + ".");
    }
}

} // namespace aotscope::torch

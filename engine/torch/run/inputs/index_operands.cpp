#include "run/inputs/index_operands.h"

#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"
#include "run/state/value_access.h"

#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <ATen/ops/aminmax.h>

#include <algorithm>
#include <string>

namespace aotscope::torch {

std::optional<std::int64_t> productOf(const std::optional<std::vector<std::int64_t>>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape.value_or(std::vector<std::int64_t>())) {
        if (__builtin_mul_overflow(count, size, &count)) {
            return std::nullopt;
        }
    }
    return shape ? std::optional(count) : std::nullopt;
}

std::optional<std::int64_t> sizeAlong(const std::optional<std::vector<std::int64_t>>& shape,
                                      std::optional<std::int64_t> dim) {
    const auto rank = static_cast<std::int64_t>(shape ? shape->size() : 0);
    const std::int64_t at = dim.value_or(rank) + (dim && *dim < 0 ? rank : 0);
    return at >= 0 && at < rank ? std::optional((*shape)[static_cast<std::size_t>(at)]) : std::nullopt;
}

namespace {

using c10::IValue;

/// The same, of a tensor without dimensions that of the one it would have.
std::optional<std::int64_t> sizeOrOne(const std::optional<std::vector<std::int64_t>>& shape,
                                      std::optional<std::int64_t> dim) {
    return shape && shape->empty() && dim ? 1 : sizeAlong(shape, dim);
}

std::optional<std::int64_t> boundOf(const ir::IndexRule& rule, const OperandView& operands) {
    const auto shape = operands.shape(rule.of);
    switch (rule.below) {
    case ir::Below::SizeAlongArgument:
        return sizeOrOne(shape, operands.integer(rule.detail));
    case ir::Below::Size:
        return sizeOrOne(shape, static_cast<std::int64_t>(rule.detail));
    case ir::Below::Integer:
        return operands.integer(rule.of);
    case ir::Below::Elements:
        return productOf(shape);
    case ir::Below::Classes:
        return sizeOrOne(shape, shape && shape->size() > 1 ? 1 : 0);
    case ir::Below::LastSizes:
        return shape && shape->size() >= rule.detail
                   ? productOf(
                         std::vector(shape->end() - static_cast<std::ptrdiff_t>(rule.detail), shape->end()))
                   : std::nullopt;
    case ir::Below::Product:
        return productOf(operands.integers(rule.of));
    case ir::Below::Smallest: {
        const auto sizes = operands.integers(rule.of);
        return sizes && !sizes->empty() ? std::optional(std::ranges::min(*sizes)) : std::nullopt;
    }
    case ir::Below::PositionFromOne:
    case ir::Below::PivotFromOne: {
        const auto size = sizeOrOne(shape, -static_cast<std::int64_t>(rule.detail));
        return size ? std::optional(*size + 1) : std::nullopt;
    }
    case ir::Below::WindowOffset:
    case ir::Below::PerDimension:
        break;
    }
    return std::nullopt;
}

/// The only place that is in the input wherever a window stands, as far as there is one: along each dimension
/// the first that no padding on the left covers.
std::optional<IndexOperand> windowOffset(const ir::IndexRule& rule, const OperandView& operands) {
    const std::size_t sizes = rule.of;
    const auto kernel = operands.integers(sizes);
    const auto padding = operands.integers(sizes + 3);
    const auto dilation = operands.integers(sizes + 4);
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
    IndexOperand operand{rule.argument, std::nullopt, offset + 1, false};
    operand.least = offset;
    operand.onlyMade = true;
    return operand;
}

std::vector<IndexOperand> perDimension(const ir::IndexRule& rule, const OperandView& operands) {
    std::vector<IndexOperand> found;
    const auto shape = operands.shape(rule.of);
    const auto count = operands.listSize(rule.argument);
    std::size_t dim = 0;
    for (std::size_t i = 0; shape && count && i < *count && dim < shape->size(); ++i) {
        const auto indexShape = operands.shape(rule.argument, i);
        if (!indexShape) {
            ++dim;
        } else if (operands.isMask(rule.argument, i)) {
            dim += indexShape->size();
        } else {
            found.push_back({rule.argument, i, (*shape)[dim], true});
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
        const IValue* value = at(argument);
        return value != nullptr && value->isList() ? std::optional(value->toListRef().size()) : std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> shape(std::size_t argument,
                                                   std::optional<std::size_t> element) const override {
        const at::Tensor* tensor = tensorAt(argument, element);
        return tensor != nullptr ? std::optional(tensor->sizes().vec()) : std::nullopt;
    }
    bool isMask(std::size_t argument, std::optional<std::size_t> element) const override {
        const at::Tensor* tensor = tensorAt(argument, element);
        return tensor != nullptr &&
               (tensor->scalar_type() == c10::kBool || tensor->scalar_type() == c10::kByte);
    }
    std::optional<std::int64_t> integer(std::size_t argument) const override {
        const IValue* value = at(argument);
        return value != nullptr && value->isInt() ? std::optional(value->toInt()) : std::nullopt;
    }
    std::optional<std::vector<std::int64_t>> integers(std::size_t argument) const override {
        const IValue* value = at(argument);
        return value != nullptr && (value->isList() || value->isTuple()) ? std::optional(intsArgument(*value))
                                                                         : std::nullopt;
    }
    /// Null: there is none.
    const at::Tensor* tensorAt(std::size_t argument, std::optional<std::size_t> element) const {
        const IValue* value = at(argument, element);
        return value != nullptr ? tensorIn(*value) : nullptr;
    }

private:
    const IValue* at(std::size_t argument, std::optional<std::size_t> element = std::nullopt) const {
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
    // Their offsets are a tensor or a list of one, their rows a size of that tensor or a number.
    const std::optional<ir::OffsetsRule> rule = ir::Operator(target)->trustedOffsets;
    if (!rule) {
        return;
    }
    const bool isList = view.listSize(rule->offsets).has_value();
    const at::Tensor* offsets =
        view.tensorAt(rule->offsets, isList ? std::optional<std::size_t>(0) : std::nullopt);
    const auto shape = view.shape(rule->rows, std::nullopt);
    const auto rows = shape && !shape->empty()
                          ? std::optional(rule->offsets == 0 ? shape->back() : shape->front())
                          : view.integer(rule->rows);
    if (offsets != nullptr && rows && offsets->dim() > 0 && hasValues(*offsets) &&
        c10::isIntegralType(offsets->scalar_type(), false) && !areOffsets(*offsets, *rows)) {
        fail("run.index", std::string(target) + " was given offsets that do not rise from 0 to at most " +
                              std::to_string(*rows) + ".");
    }
}

} // namespace

std::vector<IndexOperand> indexOperands(std::string_view target, const OperandView& operands) {
    if (!target.starts_with("aten.") && !target.starts_with("prims.")) {
        return {};
    }
    std::vector<IndexOperand> found;
    for (const ir::IndexRule& rule : ir::operatorNamed(ir::splitTarget(target).name).facts.indexes) {
        if (rule.below == ir::Below::PerDimension) {
            return perDimension(rule, operands);
        }
        if (rule.below == ir::Below::WindowOffset) {
            if (auto operand = windowOffset(rule, operands)) {
                found.push_back(*operand);
            }
        } else if (const std::optional<std::int64_t> below = boundOf(rule, operands)) {
            IndexOperand operand{rule.argument, std::nullopt, *below, rule.negativeAllowed};
            operand.least =
                rule.below == ir::Below::PositionFromOne || rule.below == ir::Below::PivotFromOne ? 1 : 0;
            operand.onlyMade = rule.below == ir::Below::PivotFromOne;
            if (rule.below == ir::Below::Classes) {
                operand.exempt = operands.integer(rule.detail).value_or(-100);
            }
            found.push_back(operand);
        }
    }
    return found;
}

void checkIndexes(std::string_view target, const std::vector<IValue>& args) {
    const ValueView view(args);
    checkOffsets(target, view);
    for (const IndexOperand& operand : indexOperands(target, view)) {
        const at::Tensor* tensor = view.tensorAt(operand.argument, operand.element);
        if (operand.onlyMade || tensor == nullptr || !hasValues(*tensor) ||
            !c10::isIntegralType(tensor->scalar_type(), false) || inRange(*tensor, operand)) {
            continue;
        }
        fail("run.index", std::string(target) + " was given indexes outside of the range below " +
                              std::to_string(operand.below) + ".");
    }
}

} // namespace aotscope::torch

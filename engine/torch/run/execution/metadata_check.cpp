#include "run/execution/metadata_check.h"

#include "base/joined.h"
#include "dispatch/dtypes.h"
#include "run/state/frame.h"

#include <ATen/ops/empty_strided.h>

#include <cmath>

namespace aotscope::torch {

std::string sizesText(at::IntArrayRef sizes) {
    return "[" + base::joined(sizes) + "]";
}

bool hasStrides(const at::Tensor& tensor, at::IntArrayRef strides) {
    for (std::size_t i = 0; i < strides.size() && tensor.numel() > 0; ++i) {
        const auto dim = static_cast<std::int64_t>(i);
        if (tensor.size(dim) != 1 && tensor.stride(dim) != strides[i]) {
            return false;
        }
    }
    return true;
}

namespace {

bool overlaps(const std::vector<std::int64_t>& stride) {
    return std::find(stride.begin(), stride.end(), 0) != stride.end();
}

std::string compareTensor(const ir::TensorMeta& meta, c10::IValue& value, const RunContext& context) {
    if (!value.isTensor() || !value.toTensor().defined()) {
        return "logged as a tensor, but is " + value.tagKind();
    }
    const at::Tensor tensor = value.toTensor();
    std::string text;
    const std::string dtype = dtypeText(tensor.scalar_type());
    if (meta.dtype != ir::DType::Unknown && dtype != ir::dtypeName(meta.dtype)) {
        text = "dtype " + dtype + ", logged " + std::string(ir::dtypeName(meta.dtype));
    }
    const auto shape = ir::valuesOf(meta.shape, context.symbols);
    if (shape && *shape != tensor.sizes().vec()) {
        return text + (text.empty() ? "" : "; ") + "shape " + sizesText(tensor.sizes()) + ", logged " +
               sizesText(*shape);
    }
    const auto stride = shape && meta.stride ? ir::valuesOf(*meta.stride, context.symbols) : std::nullopt;
    if (tensor.layout() != c10::kStrided || !stride || stride->size() != shape->size() ||
        hasStrides(tensor, *stride)) {
        return text;
    }
    text += (text.empty() ? "" : "; ") + std::string("strides ") + sizesText(tensor.strides()) + ", logged " +
            sizesText(*stride);
    if (!overlaps(*stride)) {
        value = at::empty_strided(*shape, *stride, tensor.options()).copy_(tensor);
    }
    return text;
}

std::string compareSymbol(const ir::SymbolicMeta& meta, const c10::IValue& value, const RunContext& context) {
    const base::Result<ir::SymbolValue> logged = meta.expression.evaluate(context.symbols);
    if (!logged || !value.isScalar()) {
        return logged ? "logged as a number, but is " + value.tagKind() : std::string();
    }
    const double expected = std::visit([](auto number) { return static_cast<double>(number); }, *logged);
    const double actual = value.isBool() ? (value.toBool() ? 1.0 : 0.0) : value.toScalar().toDouble();
    if (expected == actual || std::abs(expected - actual) <= 1e-12 * std::abs(expected)) {
        return {};
    }
    return "is " + std::to_string(actual) + ", logged " + std::string(meta.expression.text()) + " = " +
           std::to_string(expected);
}

} // namespace

std::string compareWithMeta(const ir::ValueMeta& meta, c10::IValue& value, const RunContext& context) {
    if (const auto* tensor = std::get_if<ir::TensorMeta>(&meta)) {
        return tensor->subclass ? std::string() : compareTensor(*tensor, value, context);
    }
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&meta)) {
        return compareSymbol(*symbol, value, context);
    }
    return {};
}

} // namespace aotscope::torch

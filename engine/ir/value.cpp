#include "ir/value.h"

#include "base/characters.h"
#include "base/joined.h"
#include "base/mapped.h"
#include "base/numbers.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

std::string dimensionsText(const SymInts& dimensions) {
    return "[" + base::joined(dimensions) + "]";
}

std::string tensorText(const TensorMeta& tensor) {
    std::string text(dtypeShortName(tensor.dtype));
    text += dimensionsText(tensor.shape);
    if (tensor.stride) {
        text += dimensionsText(*tensor.stride);
    }
    if (tensor.device) {
        text += tensor.device->text();
    }
    if (tensor.subclass) {
        return tensor.subclass->className + '(' + text + ')';
    }
    return tensor.isParameter ? "Parameter(" + text + ')' : text;
}

bool equalSubclasses(const std::shared_ptr<const SubclassMeta>& left,
                     const std::shared_ptr<const SubclassMeta>& right) {
    return left == right ||
           (left && right && left->className == right->className && left->inner == right->inner);
}

} // namespace

std::string Device::text() const {
    return index < 0 ? type : type + ':' + std::to_string(index);
}

std::optional<Device> Device::parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view type = text.substr(0, colon);
    const bool named = !type.empty() && std::ranges::all_of(type, base::isWordCharacter);
    if (!named) {
        return std::nullopt;
    }
    Device device{std::string(type), -1};
    if (colon != std::string_view::npos) {
        device.index = base::wholeNumber<int>(text.substr(colon + 1)).value_or(-1);
        if (device.index < 0) {
            return std::nullopt;
        }
    }
    return device;
}

std::optional<std::int64_t> TensorMeta::bytes(const SymbolBindings& bindings) const {
    auto total = static_cast<std::int64_t>(dtypeBytes(dtype));
    for (const SymInt& dimension : shape) {
        const std::optional<std::int64_t> size = dimension.value(bindings);
        if (!size || *size < 0 || __builtin_mul_overflow(total, *size, &total)) {
            return std::nullopt;
        }
    }
    return total;
}

bool operator==(const TensorMeta& left, const TensorMeta& right) {
    return left.dtype == right.dtype && left.shape == right.shape && left.stride == right.stride &&
           left.storageOffset == right.storageOffset && left.device == right.device &&
           left.requiresGrad == right.requiresGrad && left.isParameter == right.isParameter &&
           left.layout == right.layout && equalSubclasses(left.subclass, right.subclass);
}

const TensorMeta* asTensor(const ValueMeta& value) {
    return std::get_if<TensorMeta>(&value);
}

bool equalValues(const ValueMeta& left, const ValueMeta& right) {
    if (left.index() != right.index()) {
        return false;
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&left)) {
        const auto& other = std::get<std::shared_ptr<const TupleMeta>>(right);
        return *tuple == other || std::equal((*tuple)->elements.begin(), (*tuple)->elements.end(),
                                             other->elements.begin(), other->elements.end(), equalValues);
    }
    return left == right;
}

std::optional<std::vector<std::int64_t>> valuesOf(const SymInts& numbers, const SymbolBindings& symbols) {
    return base::mappedIfAll(numbers, [&](const SymInt& number) { return number.value(symbols); });
}

std::string valueText(const ValueMeta& value) {
    if (const auto* tensor = std::get_if<TensorMeta>(&value)) {
        return tensorText(*tensor);
    }
    if (const auto* symbolic = std::get_if<SymbolicMeta>(&value)) {
        std::string text = "Sym(";
        text += symbolic->expression.text();
        text += ')';
        return text;
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value)) {
        std::string text = "(";
        // Elements without a value leave no comma in front.
        for (const ValueMeta& element : (*tuple)->elements) {
            text += text.size() > 1 ? ", " : "";
            text += valueText(element);
        }
        text += (*tuple)->elements.size() == 1 ? ",)" : ")";
        return text;
    }
    if (const auto* other = std::get_if<OtherMeta>(&value)) {
        return other->text;
    }
    return {};
}

} // namespace aotscope::ir

#include "ops/python_operators.h"

#include "dispatch/failure.h"
#include "ops/functional.h"

#include <ATen/TensorIndexing.h>
#include <ATen/ops/lift_fresh.h>

#include <algorithm>
#include <limits>

/// Subscripts of tensors: the same views and the same writes in the same order as PyTorch. Follows torch
/// 2.11, torch/csrc/autograd/python_variable_indexing.cpp.
namespace aotscope::torch::ops {

namespace {

namespace indexing = at::indexing;

/// A slice with Python's defaults for omitted bounds.
indexing::Slice sliceIndex(const Slice& slice) {
    const Values& parts = *slice.parts;
    const auto part = [](const Value& value, std::int64_t otherwise) -> c10::SymInt {
        if (value.isNone()) {
            return otherwise;
        }
        return value.isTensor() ? value.tensor().item().toSymInt() : value.symInt();
    };
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const c10::SymInt step = part(parts[2], 1);
    const bool backwards = step < 0;
    return {part(parts[0], backwards ? largest : 0), part(parts[1], backwards ? smallest : largest), step};
}

/// Whether a list stands for a tuple of indices, as in NumPy: a short list that does not hold only numbers.
bool standsForTuple(const Value& index) {
    constexpr std::size_t longest = 32;
    const auto* list = index.as<List>();
    if (list == nullptr || list->items->size() >= longest) {
        return false;
    }
    return std::any_of(list->items->begin(), list->items->end(), [](const Value& item) {
        return item.isTensor() || item.isSequence() || item.is<Slice>() || item.is<Ellipsis>() ||
               item.isNone();
    });
}

Values indexItems(const Value& index) {
    if (index.is<Tuple>() || standsForTuple(index)) {
        const auto items = index.items();
        return {items.begin(), items.end()};
    }
    return {index};
}

std::int64_t specifiedDimensions(const Values& items) {
    std::int64_t count = 0;
    for (const Value& item : items) {
        if (const auto* tensor = item.as<at::Tensor>()) {
            const bool mask = tensor->scalar_type() == c10::kBool || tensor->scalar_type() == c10::kByte;
            count += mask ? tensor->dim() : 1;
        } else if (!item.isNone() && !item.is<Ellipsis>() && !item.is<bool>()) {
            ++count;
        }
    }
    return count;
}

indexing::TensorIndex tensorIndex(const at::Tensor& self, const Value& item) {
    if (item.isInt()) {
        return item.symInt();
    }
    if (const auto* slice = item.as<Slice>()) {
        return sliceIndex(*slice);
    }
    if (item.is<Ellipsis>()) {
        return indexing::Ellipsis;
    }
    if (item.isNone()) {
        return std::nullopt;
    }
    if (item.isBool()) {
        return item.truth();
    }
    if (item.isTensor()) {
        return item.tensor();
    }
    if (item.isSequence()) {
        return indexTensor(item, self.device());
    }
    fail("ops.type", "A tensor is subscripted with a value of type " + item.typeName() + ".");
}

at::Tensor applySubscripts(const at::Tensor& self, const Values& items, std::vector<at::Tensor>& tensors) {
    std::int64_t specified = specifiedDimensions(items);
    if (specified > self.dim()) {
        fail("ops.arguments", "A tensor of " + std::to_string(self.dim()) + " dimensions has " +
                                  std::to_string(specified) + " subscripts.");
    }
    std::int64_t dim = 0;
    at::Tensor result = self;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const at::Tensor before = result;
        result = indexing::handleDimInMultiDimIndexing(
            before, self, tensorIndex(self, items[i]), &dim, &specified, static_cast<std::int64_t>(i),
            tensors, /*disable_slice_optimization=*/false, self.device(), before.sym_sizes());
    }
    return result;
}

/// A subscript that is a single None, Ellipsis, integer, slice or bool; nullopt for others.
std::optional<indexing::TensorIndex> simpleIndex(const at::Tensor& self, const Value& index) {
    if (index.isNone() || index.is<Ellipsis>() || index.isInt() || index.is<Slice>() || index.is<bool>()) {
        return tensorIndex(self, index);
    }
    return std::nullopt;
}

Value getTensorItem(const at::Tensor& self, const Value& index) {
    if (const auto simple = simpleIndex(self, index)) {
        return indexing::get_item(self, {*simple});
    }
    std::vector<at::Tensor> tensors;
    const at::Tensor sliced = applySubscripts(self, indexItems(index), tensors);
    if (!tensors.empty()) {
        return indexing::dispatch_index(sliced, std::move(tensors));
    }
    return sliced.is_same(self) ? at::alias(sliced) : sliced;
}

at::Tensor valueTensor(const at::Tensor& self, const Value& value) {
    if (value.isTensor()) {
        return value.tensor();
    }
    // A scalar for a CUDA tensor stays on the CPU: the copy becomes a fill.
    const c10::Device device = self.is_cuda() ? c10::Device(c10::kCPU) : self.device();
    const c10::Scalar scalar = value.isBool() ? c10::Scalar(value.symInt()) : value.scalar();
    at::AutoDispatchBelowADInplaceOrView belowAutograd;
    at::Tensor tensor = indexing::scalarToTensor(scalar, self.options(), device);
    return device == c10::kCPU && !scalar.isSymbolic() ? at::lift_fresh(tensor) : tensor;
}

/// The mask of a `masked_fill_` that does what the subscripts ask for: they hold one mask and nothing else.
/// Nothing: they hold something else.
std::optional<at::Tensor> onlyMask(const at::Tensor& sliced, const std::vector<at::Tensor>& tensors) {
    std::optional<at::Tensor> mask;
    std::int64_t dims = 0;
    for (const at::Tensor& tensor : tensors) {
        if (!tensor.defined()) {
            ++dims;
        } else if (mask || (tensor.scalar_type() != c10::kBool && tensor.scalar_type() != c10::kByte)) {
            return std::nullopt;
        } else {
            mask = tensor;
            dims += tensor.dim();
        }
    }
    for (; mask && dims < sliced.dim(); ++dims) {
        mask = mask->unsqueeze(-1);
    }
    return mask;
}

/// Assigns a number without making it a tensor first; false if the subscripts need one. Follows torch 2.15,
/// ATen/TensorIndexing.h: try_dispatch_masked_fill_ and try_dispatch_index_fill_.
bool fillWhere(at::Tensor& sliced, std::vector<at::Tensor> tensors, const c10::Scalar& number) {
    while (!tensors.empty() && !tensors.back().defined()) {
        tensors.pop_back();
    }
    if (const std::optional<at::Tensor> mask = onlyMask(sliced, tensors)) {
        sliced.masked_fill_(*mask, number);
        return true;
    }
    const auto isGiven = [](const at::Tensor& tensor) { return tensor.defined(); };
    const c10::ScalarType type = sliced.scalar_type();
    if (std::ranges::count_if(tensors, isGiven) != 1 || c10::isQIntType(type) || c10::isFloat8Type(type)) {
        return false;
    }
    const at::Tensor& index = tensors.back();
    if (index.scalar_type() != c10::kLong || index.device() != sliced.device() ||
        (index.dim() > 1 && !index.is_contiguous())) {
        return false;
    }
    sliced.index_fill_(static_cast<std::int64_t>(tensors.size()) - 1,
                       index.dim() > 1 ? index.view({-1}) : index, number);
    return true;
}

void setNumber(const at::Tensor& self, const Value& index, const Value& value) {
    const c10::Scalar number = value.isBool() ? c10::Scalar(value.symInt()) : value.scalar();
    std::vector<at::Tensor> tensors;
    at::Tensor sliced = applySubscripts(self, indexItems(index), tensors);
    if (tensors.empty()) {
        sliced.fill_(number);
    } else if (!fillWhere(sliced, tensors, number)) {
        indexing::dispatch_index_put_(sliced, std::move(tensors), valueTensor(self, value));
    }
}

void setTensorItem(const aot::TraceRules& rules, const at::Tensor& self, const Value& index,
                   const Value& value) {
    if (rules.assignedNumbersStayNumbers && !value.isTensor() && !(index.is<bool>() && !index.truth())) {
        setNumber(self, index, value);
        return;
    }
    const at::Tensor source = valueTensor(self, value);
    if (index.is<bool>() && !index.truth()) {
        return;
    }
    if (const auto simple = simpleIndex(self, index)) {
        indexing::set_item(self, {*simple}, source);
        return;
    }
    std::vector<at::Tensor> tensors;
    at::Tensor sliced = applySubscripts(self, indexItems(index), tensors);
    if (tensors.empty()) {
        indexing::copy_to(sliced, source);
        return;
    }
    const c10::SymIntArrayRef sizes = source.sym_sizes();
    const c10::SymIntArrayRef plain = indexing::slicePrefix1sSize(sizes);
    indexing::dispatch_index_put_(sliced, std::move(tensors),
                                  sizes.equals(plain) ? source : source.view_symint(plain));
}

std::size_t position(const Value& index, std::size_t size) {
    std::int64_t at = index.integer();
    at += at < 0 ? static_cast<std::int64_t>(size) : 0;
    if (at < 0 || static_cast<std::size_t>(at) >= size) {
        fail("ops.arguments",
             "Index " + std::to_string(index.integer()) + " of a sequence of " + std::to_string(size) + ".");
    }
    return static_cast<std::size_t>(at);
}

bool sameKey(const Value& left, const Value& right) {
    if (left.isString() && right.isString()) {
        return left.string() == right.string();
    }
    return left.isInt() && right.isInt() && left.integer() == right.integer();
}

/// A slice of a list or tuple.
Value sliceOf(const Value& object, const Slice& slice) {
    const auto items = object.items();
    const auto size = static_cast<std::int64_t>(items.size());
    const Values& parts = *slice.parts;
    const std::int64_t step = parts[2].isNone() ? 1 : parts[2].integer();
    if (step == 0) {
        fail("ops.arguments", "A slice has the step 0.");
    }
    const auto bound = [&](const Value& part, std::int64_t otherwise) {
        if (part.isNone()) {
            return otherwise;
        }
        const std::int64_t at = part.integer() + (part.integer() < 0 ? size : 0);
        return std::clamp<std::int64_t>(at, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
    };
    const std::int64_t start = bound(parts[0], step > 0 ? 0 : size - 1);
    const std::int64_t stop = bound(parts[1], step > 0 ? size : -1);
    Values chosen;
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
        chosen.push_back(items[static_cast<std::size_t>(i)]);
    }
    const auto* tuple = object.as<Tuple>();
    return tuple == nullptr ? Value::list(std::move(chosen))
                            : Value::tuple(std::move(chosen), {}, tuple->data->typeName);
}

} // namespace

Value* entryOf(const Dict& dict, const Value& key) {
    const auto found =
        std::ranges::find_if(*dict.items, [&](const auto& entry) { return sameKey(entry.first, key); });
    return found == dict.items->end() ? nullptr : &found->second;
}

Value getItem(Calls& /*calls*/, const Value& object, const Value& index) {
    if (object.isTensor()) {
        return getTensorItem(object.tensor(), index);
    }
    if (const auto* dict = object.as<Dict>()) {
        if (const Value* entry = entryOf(*dict, index)) {
            return *entry;
        }
        fail("ops.arguments", "A dictionary has no such key.");
    }
    if (object.isSequence()) {
        if (const auto* slice = index.as<Slice>()) {
            return sliceOf(object, *slice);
        }
        const auto items = object.items();
        return items[position(index, items.size())];
    }
    fail("ops.type", "A value of type " + object.typeName() + " has no subscripts.");
}

void setItem(Calls& calls, const Value& object, const Value& index, const Value& value) {
    if (object.isTensor()) {
        setTensorItem(calls.rules(), object.tensor(), index, value);
        return;
    }
    if (const auto* list = object.as<List>()) {
        (*list->items)[position(index, list->items->size())] = value;
        return;
    }
    if (const auto* dict = object.as<Dict>()) {
        if (Value* held = entryOf(*dict, index)) {
            *held = value;
        } else {
            dict->items->emplace_back(index, value);
        }
        return;
    }
    fail("ops.type", "Subscripts of a value of type " + object.typeName() + " cannot be assigned.");
}

} // namespace aotscope::torch::ops

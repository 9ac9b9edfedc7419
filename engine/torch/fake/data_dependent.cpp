#include "fake/fake_operators.h"

#include "dispatch/operators.h"
#include "fake/models/symbolic_shapes.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <limits>

namespace aotscope::torch {

namespace {

/// PyTorch's bound of a size that nothing else bounds.
constexpr std::int64_t largestSize = std::numeric_limits<std::int64_t>::max() - 1;

at::Tensor emptyLike(const at::Tensor& like, const SymbolicSizes& sizes, ShapeEnvironment& environment,
                     std::optional<c10::ScalarType> dtype = {}) {
    return makeFake(sizes, contiguousStrides(sizes), 0, dtype.value_or(like.scalar_type()), like.device(),
                    environment);
}

/// An unbacked number of at most `count`; 0 for an empty tensor.
c10::SymInt countUpTo(const at::Tensor& tensor, const c10::SymInt& count, ShapeEnvironment& environment) {
    return plainNumber(tensor.sym_numel()) == 0
               ? c10::SymInt(0)
               : environment.unbackedInt(0, plainNumber(count).value_or(largestSize));
}

c10::SymInt nonzeroCount(const at::Tensor& tensor, ShapeEnvironment& environment) {
    std::optional<c10::SymInt>& memo = asFake(tensor)->memo().nonzeroCount;
    if (!memo) {
        memo = countUpTo(tensor, tensor.sym_numel(), environment);
    }
    return *memo;
}

/// The distinct elements, or slices along `dim`, with inverse and counts. Follows
/// torch/_subclasses/fake_impls.py: _unique.
std::vector<c10::IValue> distinct(const FakeCall& call, bool consecutive) {
    const at::Tensor self = call.tensor();
    const bool hasDim = call.op.schema().argumentIndexWithName("dim") && !call["dim"].isNone();
    const auto dim = hasDim ? std::optional(call["dim"].toInt()) : std::nullopt;
    ShapeEnvironment& environment = call.environment;
    DataMemo& memos = asFake(self)->memo();
    std::optional<c10::SymInt> memo;
    std::optional<c10::SymInt>& kept = dim           ? memo
                                       : consecutive ? memos.uniqueConsecutiveCount
                                                     : memos.uniqueCount;
    if (!kept) {
        kept = countUpTo(self, dim ? self.sym_size(*dim) : self.sym_numel(), environment);
    }
    const SymbolicSizes all = self.sym_sizes().vec();
    SymbolicSizes shape = {*kept};
    if (dim) {
        shape = all;
        shape[dimensionIndex(*dim, all.size())] = *kept;
    }
    if (dim == -1 && consecutive) {
        // `arg.shape[dim + 1:]` are then all sizes.
        shape.insert(shape.end(), all.begin(), all.end());
    }
    const bool always = dim && self.device().is_cpu();
    const c10::ScalarType whole = environment.rules().uniqueCountsAreWhole ? at::kLong : self.scalar_type();
    const auto lengths = [&](bool wanted, const SymbolicSizes& sizes) {
        const SymbolicSizes counted = dim ? SymbolicSizes{sizes[dimensionIndex(*dim, sizes.size())]} : sizes;
        return c10::IValue(
            emptyLike(self, wanted || always ? counted : SymbolicSizes{0}, environment, whole));
    };
    return {emptyLike(self, shape, environment), lengths(call["return_inverse"].toBool(), all),
            lengths(call["return_counts"].toBool(), shape)};
}

bool isMask(const std::optional<at::Tensor>& index) {
    return index && index->defined() &&
           (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte);
}

/// Replaces each mask by index tensors, one for each dimension that the mask covers.
void replaceMasks(const FakeCall& call, c10::IValue& argument) {
    c10::List<std::optional<at::Tensor>> replaced;
    bool any = false;
    for (const std::optional<at::Tensor> index : argument.toOptionalTensorList()) {
        if (!isMask(index) || asFake(*index) == nullptr) {
            replaced.push_back(index);
            continue;
        }
        any = true;
        const c10::SymInt count = nonzeroCount(*index, call.environment);
        for (std::int64_t dim = 0; dim < index->dim(); ++dim) {
            replaced.push_back(emptyLike(*index, {count}, call.environment, at::kLong));
        }
    }
    if (any) {
        argument = replaced;
    }
}

/// Whether the first argument is a fake tensor; calls on real data are not handled here.
bool asksFake(const c10::OperatorHandle& op, const c10::Stack& stack) {
    const auto arguments = argumentsOn(op, stack);
    return !arguments.empty() && arguments.front().isTensor() &&
           asFake(arguments.front().toTensor()) != nullptr;
}

} // namespace

namespace symbolic {

std::vector<c10::IValue> nonzero(const FakeCall& call) {
    const at::Tensor tensor = call.tensor();
    const c10::SymInt count = nonzeroCount(tensor, call.environment);
    return {makeFake(SymbolicSizes{count, tensor.dim()}, SymbolicSizes{1, count}, 0, at::kLong,
                     tensor.device(), call.environment)};
}

std::vector<c10::IValue> item(const FakeCall& call) {
    const at::Tensor tensor = call.tensor();
    std::optional<c10::IValue>& memo = asFake(tensor)->memo().item;
    if (!memo) {
        const c10::ScalarType dtype = tensor.scalar_type();
        TORCH_CHECK(!c10::isComplexType(dtype), "local_scalar_dense/item NYI for ", dtype);
        const auto known = c10::isFloatingType(dtype) ? call.environment.knownFloat() : std::nullopt;
        memo = known                        ? c10::IValue(*known)
               : c10::isFloatingType(dtype) ? c10::IValue(call.environment.unbackedFloat())
               : dtype == at::kBool         ? c10::IValue(call.environment.unbackedBool())
                                            : c10::IValue(call.environment.unbackedInt({}, {}));
    }
    return {*memo};
}

std::vector<c10::IValue> maskedSelect(const FakeCall& call) {
    const at::Tensor self = call.tensor();
    // PyTorch bounds the number only where that leaves more than two values, which sizes never have.
    const std::int64_t elements = plainNumber(self.sym_numel()).value_or(0);
    const c10::SymInt count = call.environment.unbackedInt(0, elements > 2 ? elements : largestSize);
    return {emptyLike(self, {count}, call.environment)};
}

std::vector<c10::IValue> repeatInterleave(const FakeCall& call) {
    const at::Tensor repeats = call.tensor();
    const c10::IValue& given = call["output_size"];
    const c10::SymInt size = given.isNone() ? call.environment.unbackedInt(0, {}) : given.toSymInt();
    return {emptyLike(repeats, {size}, call.environment)};
}

std::vector<c10::IValue> bincount(const FakeCall& call) {
    const std::int64_t least = call["minlength"].toSymInt().guard_int(__FILE__, __LINE__);
    const c10::IValue& weights = call["weights"];
    const bool hasOwnDtype = call.environment.rules().countsHaveTheirDtype;
    const bool isEmpty = hasOwnDtype && plainNumber(call.tensor().sym_numel()) == 0;
    const bool isFloat = !weights.isNone() && weights.toTensor().scalar_type() == at::kFloat;
    const auto own = isEmpty || weights.isNone() ? at::kLong : isFloat ? at::kFloat : at::kDouble;
    return {emptyLike(call.tensor(), {isEmpty ? c10::SymInt(least) : call.environment.unbackedInt(least, {})},
                      call.environment, hasOwnDtype ? own : call.tensor().scalar_type())};
}

std::vector<c10::IValue> unique(const FakeCall& call) {
    return distinct(call, false);
}

std::vector<c10::IValue> uniqueConsecutive(const FakeCall& call) {
    return distinct(call, true);
}

} // namespace symbolic

bool callDataDependent(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment) {
    const bool tagged = op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output);
    if ((!tagged && !environment.hasUnbacked()) || !asksFake(op, stack)) {
        return false;
    }
    const FakeCall call{op, argumentsOn(op, stack), environment};
    if (const auto answerOf = operatorModel(op).fromData) {
        replaceArguments(op, stack, answerOf(call));
        return true;
    }
    if (c10::toString(op.operator_name()) == "aten::index.Tensor") {
        replaceMasks(call, stack.back());
    }
    return false;
}

} // namespace aotscope::torch

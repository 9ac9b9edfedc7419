#include "fake/symbolic_view.h"

#include "fake/fake_tensor.h"

#include <ATen/WrapDimUtils.h>

#include <limits>

namespace aotscope::torch {

namespace {

/// A plain integer in place of a symbolic number that is constant.
c10::SymInt plain(const c10::SymInt& number) {
    const auto constant = number.maybe_as_int();
    return constant ? c10::SymInt(*constant) : number;
}

/// The tensor that a piece is cut from, and the piece's sizes, strides and offset.
struct Whole {
    Whole(const at::Tensor& tensor, const c10::IValue& along)
        : self(tensor),
          dim(static_cast<std::size_t>(c10::maybe_wrap_dim(along.toInt(), tensor.dim()))),
          sizes(tensor.sym_sizes().vec()),
          strides(tensor.sym_strides().vec()),
          offset(tensor.sym_storage_offset()) {}

    [[nodiscard]] at::Tensor piece(const ShapeEnvironment& environment) const {
        return makeFakeView(self, sizes, strides, plain(offset), environment);
    }

    const at::Tensor& self;
    std::size_t dim;
    SymbolicSizes sizes;
    SymbolicSizes strides;
    c10::SymInt offset;
};

/// The start or end of a slice as a position where only the data tell it or the size; nothing if that is not
/// enough (fake_impls.py: _compute_slice_index).
std::optional<c10::SymInt> positionInData(const c10::SymInt& size, const c10::SymInt& index,
                                          const ShapeEnvironment& environment) {
    const auto known = [](const c10::SymBool& condition) {
        return condition.guard_or_false(__FILE__, __LINE__);
    };
    const c10::SymInt fromEnd = index + size;
    if (plainNumber(index) == 0 || known(index.sym_ge(0).sym_and(index.sym_le(size)))) {
        return index;
    }
    if (known(index.sym_lt(0).sym_and(fromEnd.sym_ge(0)))) {
        return fromEnd;
    }
    if (known(fromEnd.sym_lt(0))) {
        return c10::SymInt(0);
    }
    if (known(index.sym_gt(size))) {
        return size;
    }
    if (!environment.rules().slicesOfDataAreComputed) {
        return std::nullopt;
    }
    return known(index.sym_ge(0))   ? std::optional(index.min(size))
           : known(index.sym_lt(0)) ? std::optional(fromEnd.max(0))
                                    : std::nullopt;
}

/// The start or end of a slice as a position; nothing if its sign or bounds are unknown.
std::optional<c10::SymInt> slicePosition(const c10::SymInt& size, const c10::SymInt& index,
                                         const ShapeEnvironment& environment) {
    if (environment.isUnbacked(index) || environment.isUnbacked(size)) {
        return positionInData(size, index, environment);
    }
    if (index >= 0) {
        return index <= size ? index : size;
    }
    return -index <= size ? plain(index + size) : c10::SymInt(0);
}

/// The number of elements between two positions; a new unbacked symbol if it is unknown.
c10::SymInt sliceLength(const std::optional<c10::SymInt>& from, const std::optional<c10::SymInt>& to,
                        const c10::SymInt& step, const c10::SymInt& size, ShapeEnvironment& environment) {
    const bool ofData = from && to && (environment.isUnbacked(*from) || environment.isUnbacked(*to));
    const auto divided = [&](const c10::SymInt& reach) { return plain((reach + step - 1) / step); };
    if (from && to &&
        (ofData ? plainNumber(*from) == 0 || environment.knownAtMost(*from, *to) : *to >= *from)) {
        return divided(*to - *from);
    }
    if (from && to && (!ofData || environment.knownAtMost(*to, *from))) {
        return c10::SymInt(0);
    }
    return ofData && environment.rules().slicesOfDataAreComputed
               ? divided((*to - *from).max(0))
               : environment.unbackedInt(0, plainNumber(size));
}

/// Pieces of these lengths along the dimension that argument 2 names.
c10::IValue pieces(const FakeCall& call, const SymbolicSizes& lengths) {
    Whole whole(call.tensor(), call.arguments[2]);
    c10::List<at::Tensor> list;
    for (const c10::SymInt& length : lengths) {
        whole.sizes[whole.dim] = length;
        list.push_back(whole.piece(call.environment));
        whole.offset = whole.offset + length * whole.strides[whole.dim];
    }
    return list;
}

/// Whether it is a fake tensor with dimensions.
bool hasDimensions(const FakeCall& call) {
    return asFake(call.tensor()) != nullptr && call.tensor().dim() > 0;
}

} // namespace

std::optional<c10::IValue> symbolicSlice(const FakeCall& call) {
    if (!hasDimensions(call)) {
        return std::nullopt;
    }
    const at::Tensor self = call.tensor();
    const c10::IValue& start = call.arguments[2];
    const c10::IValue& end = call.arguments[3];
    const c10::SymInt step = call.arguments[4].toSymInt();
    TORCH_CHECK(step > 0, "slice step must be positive");
    Whole whole(self, call.arguments[1]);
    c10::SymInt& size = whole.sizes[whole.dim];
    c10::SymInt& stride = whole.strides[whole.dim];
    const bool toTheEnd =
        end.isNone() || plainNumber(end.toSymInt()) == std::numeric_limits<std::int64_t>::max();
    const auto from =
        start.isNone() ? c10::SymInt(0) : slicePosition(size, start.toSymInt(), call.environment);
    const auto to = toTheEnd ? size : slicePosition(size, end.toSymInt(), call.environment);
    const c10::SymInt length = sliceLength(from, to, step, size, call.environment);
    whole.offset = from ? whole.offset + *from * stride : call.environment.unbackedInt(0, {});
    size = length;
    stride = plain(stride * step);
    return whole.piece(call.environment);
}

/// One element of a dimension.
std::optional<c10::IValue> symbolicSelect(const FakeCall& call) {
    if (!hasDimensions(call)) {
        return std::nullopt;
    }
    const at::Tensor self = call.tensor();
    const c10::SymInt index = call.arguments[2].toSymInt();
    Whole whole(self, call.arguments[1]);
    const c10::SymInt& stride = whole.strides[whole.dim];
    if (!call.environment.isUnbacked(index)) {
        const c10::SymInt& size = whole.sizes[whole.dim];
        const auto position = plainNumber(index);
        const auto most = plainNumber(size);
        TORCH_CHECK_INDEX(!position || !most || (-*most <= *position && *position < *most),
                          "select(): index ", index, " out of range for tensor of size ", self.sym_sizes(),
                          " at dimension ", whole.dim);
        whole.offset = whole.offset + (index >= 0 ? index : index + size) * stride;
    } else if (call.environment.knownAtLeast(index, 0)) {
        whole.offset = whole.offset + index * stride;
    } else {
        whole.offset = call.environment.unbackedInt({}, {});
    }
    whole.sizes.erase(whole.sizes.begin() + static_cast<std::ptrdiff_t>(whole.dim));
    whole.strides.erase(whole.strides.begin() + static_cast<std::ptrdiff_t>(whole.dim));
    return whole.piece(call.environment);
}

std::optional<c10::IValue> symbolicSelectScatter(const FakeCall& call) {
    if (!hasDimensions(call) || !call.environment.isUnbacked(call.arguments[3].toSymInt())) {
        return std::nullopt;
    }
    // A copy, whichever element is replaced.
    const at::Tensor& self = call.tensor();
    return makeFake(self.sym_sizes().vec(), self.sym_strides().vec(), 0, self.scalar_type(), self.device(),
                    call.environment);
}

/// Pieces of equal length; the last one gets the remainder.
std::optional<c10::IValue> symbolicSplit(const FakeCall& call) {
    const c10::SymInt length = call.arguments[1].toSymInt();
    if (!hasDimensions(call) || sampledValue(length, 0) <= 0 ||
        sampledValue(call.tensor().sym_size(call.arguments[2].toInt()), 0) <= 0) {
        return std::nullopt;
    }
    const c10::SymInt size = call.tensor().sym_size(call.arguments[2].toInt());
    const std::int64_t count = ((size + length - 1) / length).guard_int(__FILE__, __LINE__);
    SymbolicSizes lengths(static_cast<std::size_t>(count), length);
    lengths.back() = plain(length - (length * count - size));
    return pieces(call, lengths);
}

std::optional<c10::IValue> symbolicSplitWithSizes(const FakeCall& call) {
    return hasDimensions(call) ? std::optional(pieces(call, call.numbers(1))) : std::nullopt;
}

} // namespace aotscope::torch

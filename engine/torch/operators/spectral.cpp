#include "operators/operator_rows.h"

#include "decompositions/python_arithmetic.h"
#include "dispatch/release_rules.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"

#include <algorithm>
#include <iterator>

/// Fourier transforms.
namespace aotscope::torch {

namespace {

/// The result of a transform over `dims`. Its buffer holds the batch dimensions in the order of the input's
/// strides, then the transformed dimensions with their lengths in the order of `dims`; their strides are
/// assigned to `dims` in ascending order, or in their own where a release keeps it. Follows torch 2.11,
/// torch/_meta_registrations.py: _exec_fft.
at::Tensor transformed(const at::Tensor& input, const Sizes& sizes, const Sizes& dims, c10::ScalarType type) {
    if (traceRules().transformsKeepOrder && std::ranges::find(sizes, 0) != sizes.end()) {
        return newEmpty(input, sizes, type);
    }
    Sizes batch;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        if (std::find(dims.begin(), dims.end(), i) == dims.end()) {
            batch.push_back(i);
        }
    }
    std::stable_sort(batch.begin(), batch.end(), [&](std::int64_t one, std::int64_t other) {
        return input.stride(one) > input.stride(other);
    });
    const auto lengthOf = [&](std::int64_t dim) { return sizes[static_cast<std::size_t>(dim)]; };
    Sizes lengths = {1};
    std::transform(dims.begin(), dims.end(), std::back_inserter(lengths), lengthOf);
    const Sizes buffer = contiguousStrides(lengths);
    Sizes assigned = dims;
    if (!traceRules().transformsKeepOrder) {
        std::sort(assigned.begin(), assigned.end());
    }
    Sizes strides(sizes.size());
    for (std::size_t i = 0; i < assigned.size(); ++i) {
        strides[static_cast<std::size_t>(assigned[i])] = buffer[i + 1];
    }
    std::int64_t next = buffer.front();
    for (std::size_t i = batch.size(); i-- > 0;) {
        strides[static_cast<std::size_t>(batch[i])] = next;
        next *= lengthOf(batch[i]);
    }
    return newStrided(input, sizes, strides, type);
}

/// The dimensions up to `count` by falling strides, then the others.
Sizes byStrides(const at::Tensor& self, Sizes dims, std::size_t count) {
    std::stable_sort(
        dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(count),
        [&](std::int64_t one, std::int64_t other) { return self.stride(one) > self.stride(other); });
    return dims;
}

/// At most three dimensions at a time, those with the least strides of what is there first.
at::Tensor inStages(at::Tensor output, Sizes left, const Sizes& sizes, c10::ScalarType type) {
    while (!left.empty()) {
        const std::size_t all = left.size();
        left = byStrides(output, std::move(left), all);
        const std::size_t count = std::min<std::size_t>(3, left.size());
        const Sizes now(left.end() - static_cast<std::ptrdiff_t>(count), left.end());
        output = transformed(output, sizes, now, type);
        left.resize(left.size() - count);
    }
    return output;
}

at::Tensor complexToComplex(const at::Tensor& self, const Sizes& dims) {
    TORCH_CHECK(self.is_complex(), "expected a complex tensor");
    if (dims.empty()) {
        return emptyLike(self);
    }
    if (!traceRules().transformsKeepOrder) {
        return transformed(self, sizesOf(self), dims, self.scalar_type());
    }
    return fakingCuda()
               ? inStages(self, dims, sizesOf(self), self.scalar_type())
               : transformed(self, sizesOf(self), byStrides(self, dims, dims.size()), self.scalar_type());
}

/// Whether cuFFT transforms these dimensions at once: at most three, not starting with the first two.
bool takesAtOnce(const Sizes& dims) {
    return dims.size() <= 3 && !(dims.size() >= 2 && dims[0] == 0 && dims[1] == 1);
}

at::Tensor cudaRealToComplex(const at::Tensor& self, const Sizes& dims, const Sizes& sizes,
                             const Sizes& onesided, c10::ScalarType type) {
    if (takesAtOnce(dims)) {
        return transformed(self, sizes, dims, type);
    }
    return inStages(transformed(self, onesided, {dims.back()}, type), Sizes(dims.begin(), dims.end() - 1),
                    onesided, type);
}

ShapeResults r2c(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes dims = python::wrapped(call.integers("dim"), self);
    const c10::ScalarType type = complexTypeOf(self.scalar_type());
    Sizes onesided = sizesOf(self);
    auto& last = onesided[static_cast<std::size_t>(dims.back())];
    last = last / 2 + 1;
    const Sizes sizes = call.flag("onesided") ? onesided : sizesOf(self);
    if (!fakingCuda()) {
        return {traceRules().transformsKeepOrder
                    ? transformed(self, sizes, byStrides(self, dims, dims.size() - 1), type)
                    : newEmpty(self, sizes, type)};
    }
    const at::Tensor output = cudaRealToComplex(self, dims, sizes, onesided, type);
    return {output.sizes() == at::IntArrayRef(sizes) ? output : newEmpty(self, sizes, type)};
}

ShapeResults c2r(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    const Sizes dims = python::wrapped(call.integers("dim"), self);
    const c10::ScalarType type = c10::toRealValueType(self.scalar_type());
    Sizes sizes = sizesOf(self);
    sizes[static_cast<std::size_t>(dims.back())] = call.integer("last_dim_size");
    const Sizes rest(dims.begin(), dims.end() - 1);
    if (!fakingCuda()) {
        const at::Tensor input = rest.empty() ? self : complexToComplex(self, rest);
        return {transformed(input, sizes, {dims.back()}, type)};
    }
    if (takesAtOnce(dims)) {
        return {transformed(emptyContiguous(self), sizes, dims, type)};
    }
    const at::Tensor input = rest.empty() ? emptyContiguous(self) : complexToComplex(self, rest);
    return {transformed(input, sizes, {dims.back()}, type)};
}

std::int64_t integerOr(const DecompositionCall& call, std::string_view name, std::int64_t otherwise) {
    return call.has(name) ? call.integer(name) : otherwise;
}

std::optional<c10::string_view> normOf(const DecompositionCall& call) {
    return call.flag("normalized") ? std::optional<c10::string_view>("ortho") : std::nullopt;
}

at::Tensor windowOfOnes(std::int64_t length, c10::ScalarType dtype, const at::Tensor& like) {
    return at::ones({length}, python::options(dtype, like.device()));
}

/// The frames of an inverse transform, one a row.
at::Tensor inverseFrames(const DecompositionCall& call, at::Tensor input, bool onesided, bool returnComplex) {
    const std::int64_t points = call.integer("n_fft");
    if (returnComplex) {
        TORCH_CHECK(!onesided, "cannot have onesided output if window or input is complex");
        return at::fft_ifft(input, std::nullopt, -1, normOf(call));
    }
    if (!onesided) {
        input = input.narrow(-1, 0, points / 2 + 1);
    }
    return at::fft_irfft(input, std::nullopt, -1, normOf(call));
}

Decomposed stft(const DecompositionCall& call) {
    at::Tensor input = call.tensor("self");
    at::Tensor window = call.tensor("window");
    const std::int64_t points = call.integer("n_fft");
    const std::int64_t hop = integerOr(call, "hop_length", points / 4);
    const std::int64_t windowLength = integerOr(call, "win_length", points);
    const bool center = call.flag("center");
    const bool alignToWindow = call.has("align_to_window") && call.flag("align_to_window");
    TORCH_CHECK(!window.defined() || window.device() == input.device(),
                "stft input and window must be on the same device but got self on ", input.device(),
                " and window on ", window.defined() ? window.device() : input.device());
    TORCH_CHECK(!center || !call.has("align_to_window"),
                "stft only supports align_to_window for center = False.");
    const bool isComplex = input.is_complex() || (window.defined() && window.is_complex());
    TORCH_CHECK(call.has("return_complex") || isComplex,
                "stft requires the return_complex parameter be given for real inputs");
    const bool returnComplex = call.has("return_complex") ? call.flag("return_complex") : isComplex;
    TORCH_CHECK(input.dim() >= 1 && input.dim() <= 2, "stft expected a 1D or 2D tensor");
    const bool single = input.dim() == 1;
    if (single) {
        input = input.unsqueeze(0);
    }
    if (center) {
        const auto extra = static_cast<std::size_t>(3 - input.dim());
        std::vector<c10::SymInt> extended(extra, 1);
        extended.insert(extended.end(), input.sym_sizes().begin(), input.sym_sizes().end());
        input = at::pad(input.view_symint(extended), {points / 2, points / 2}, call.text("pad_mode"));
        input = input.view_symint(input.sym_sizes().slice(extra));
    }
    TORCH_CHECK(points > 0 && hop > 0 && windowLength > 0 && windowLength <= points,
                "stft expected 0 < win_length <= n_fft and a positive hop_length, but got n_fft=", points,
                ", hop_length=", hop, ", win_length=", windowLength);
    if (windowLength < points) {
        if (!window.defined()) {
            window = windowOfOnes(windowLength, input.scalar_type(), input);
        }
        const std::int64_t left = (points - windowLength) / 2;
        window = at::constant_pad_nd(window, {left, points - windowLength - left});
    }
    if (!center && alignToWindow) {
        const std::int64_t amount = (points - windowLength) / 2;
        input = at::pad(input, {amount, amount}, call.text("pad_mode"));
    }
    input = input.unfold(-1, points, hop);
    if (window.defined()) {
        input = input * window;
    }
    const bool onesided = call.has("onesided") ? call.flag("onesided") : !input.is_complex();
    TORCH_CHECK(!onesided || !input.is_complex(),
                "Cannot have onesided output if window or input is complex");
    at::Tensor output = onesided ? at::fft_rfft(input, std::nullopt, -1, normOf(call))
                                 : at::fft_fft(input, std::nullopt, -1, normOf(call));
    output.transpose_(1, 2);
    if (single) {
        output = output.squeeze_(0);
    }
    return returnComplex ? output : at::view_as_real(output);
}

Decomposed istft(const DecompositionCall& call) {
    at::Tensor input = call.tensor("self");
    at::Tensor window = call.tensor("window");
    const std::int64_t points = call.integer("n_fft");
    const std::int64_t hop = integerOr(call, "hop_length", points / 4);
    const std::int64_t windowLength = integerOr(call, "win_length", points);
    const bool center = call.flag("center");
    const bool returnComplex = call.flag("return_complex");
    TORCH_CHECK(input.is_complex(), "istft expected a complex input, but got ", input.scalar_type());
    TORCH_CHECK(input.dim() >= 2 && input.dim() <= 3,
                "istft expected a tensor with 2 or 3 dimensions, but got ", input.dim());
    const std::int64_t frames = input.sym_size(-1).guard_int(__FILE__, __LINE__);
    const std::int64_t fftSize = input.sym_size(-2).guard_int(__FILE__, __LINE__);
    const std::int64_t signalLength = points + hop * (frames - 1);
    const bool onesided = call.has("onesided") ? call.flag("onesided") : fftSize != points;
    TORCH_CHECK(fftSize == (onesided ? points / 2 + 1 : points), "istft expected ",
                onesided ? points / 2 + 1 : points, " frequencies for n_fft=", points, ", but got ", fftSize);
    TORCH_CHECK(hop > 0 && hop <= windowLength && windowLength <= points,
                "istft expected 0 < hop_length <= win_length <= n_fft");
    if (!window.defined()) {
        window = windowOfOnes(windowLength, c10::toRealValueType(input.scalar_type()), input);
    }
    if (windowLength != points) {
        const std::int64_t left = (points - windowLength) / 2;
        window = at::constant_pad_nd(window, {left, points - windowLength - left}, 0);
    }
    const bool single = input.dim() == 2;
    if (single) {
        input = input.unsqueeze(0);
    }
    input = inverseFrames(call, input.transpose(1, 2), onesided, returnComplex);
    const at::Tensor weighted = input * window.view({1, 1, points});
    const std::vector<c10::SymInt> sizes{weighted.sym_size(0), c10::SymInt(signalLength)};
    at::Tensor signal = at::unfold_backward_symint(weighted, sizes, 1, points, hop);
    at::Tensor envelope =
        at::unfold_backward_symint(window.pow(2).expand({1, frames, points}), sizes, 1, points, hop);
    const std::int64_t start = center ? points / 2 : 0;
    const std::int64_t end = call.has("length") ? start + call.integer("length")
                             : center           ? signalLength - points / 2
                                                : signalLength;
    const std::int64_t length = std::max<std::int64_t>(0, end - start);
    signal = signal.narrow(1, start, length);
    envelope = envelope.narrow(1, start, length);
    signal = signal / envelope;
    if (single) {
        signal = signal.squeeze(0);
    }
    return end > signalLength ? at::constant_pad_nd(signal, {0, end - signalLength}, 0) : signal;
}

/// A real transform keeps half of the last transformed dimension and the middle; the rest mirrors it.
SymbolicShape realTransform(const FakeCall& call, std::size_t /*result*/) {
    SymbolicSizes sizes = call.sizes();
    const std::vector<std::int64_t> dims = call.arguments[1].toIntVector();
    if (call["onesided"].toBool() && !dims.empty()) {
        c10::SymInt& size = sizes[dimensionIndex(dims.back(), sizes.size())];
        size = size / 2 + 1;
    }
    return {std::move(sizes), {}, {}};
}

} // namespace

void addSpectralRows(OperatorRows& rows) {
    rows.add({"stft.center"}, ForComposite{stft});
    rows.add({"istft"}, ForComposite{istft});
    rows.add({"_fft_c2c"}, [](const ShapeCall& call) -> ShapeResults {
        const at::Tensor self = call.tensor("self");
        return {complexToComplex(self, python::wrapped(call.integers("dim"), self))};
    });
    rows.add({"_fft_r2c"}, r2c, realTransform);
    rows.add({"_fft_c2r"}, c2r);
}

} // namespace aotscope::torch

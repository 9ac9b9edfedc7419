#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "decompositions/tables.h"
#include "decompositions/upsample.h"
#include "fake/known_layout.h"
#include "fake/reference_layout.h"

#include <ATen/native/TypeProperties.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/all.h>
#include <ATen/ops/any.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/real.h>
#include <ATen/ops/round.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

/// What Inductor decomposes beyond core ATen, and what it decomposes in its own way.
namespace aotscope::torch {

namespace {

using python::Opmath;

constexpr double quietNan = std::numeric_limits<double>::quiet_NaN();

/// Asked as Python does, and answered by what is known of every value.
bool isOne(const c10::SymInt& size) {
    static_cast<void>(size.sym_eq(1));
    const auto known = size.maybe_as_int();
    return known && *known == 1;
}

bool isKnownAtMost(const c10::SymInt& size, std::int64_t bound) {
    return size.sym_le(bound).guard_or_false(__FILE__, __LINE__);
}

Decomposed inductorSilu(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const Opmath cast{&x};
    return cast.back(x / (1 + x.neg().exp()));
}

Decomposed clamp(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const bool tensors = call.schema().overload_name() == "Tensor";
    at::native::ResultTypeState state = at::native::update_result_type_state(x, {});
    for (const char* const bound : {"min", "max"}) {
        if (call.has(bound)) {
            state = tensors ? at::native::update_result_type_state(call.tensor(bound), state)
                            : at::native::update_result_type_state(call.scalar(bound), state);
        }
    }
    const c10::ScalarType result = at::native::result_type(state);
    const c10::ScalarType computed = python::computationType(result);
    x = python::convert(x, computed);
    if (call.has("min")) {
        x = tensors ? at::clamp_min(x, python::convert(call.tensor("min"), computed))
                    : at::clamp_min(x, call.scalar("min"));
    }
    if (call.has("max")) {
        x = tensors ? at::clamp_max(x, python::convert(call.tensor("max"), computed))
                    : at::clamp_max(x, call.scalar("max"));
    }
    return python::convert(x, result);
}

Decomposed emptyPermuted(const DecompositionCall& call) {
    const std::vector<c10::SymInt> size = call.symInts("size");
    const std::vector<std::int64_t> layout = call.integers("physical_layout");
    if (std::is_sorted(layout.begin(), layout.end())) {
        return at::empty_symint(size, call.options());
    }
    std::vector<std::int64_t> order(layout.size());
    std::vector<c10::SymInt> physical;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        order[static_cast<std::size_t>(layout[i])] = static_cast<std::int64_t>(i);
        physical.push_back(size[static_cast<std::size_t>(layout[i])]);
    }
    return at::empty_symint(physical, call.options()).permute(order);
}

Decomposed convolutionBackward(const DecompositionCall& call) {
    const at::Tensor grad = call.tensor("grad_output");
    const std::vector<bool> mask = call.flags("output_mask");
    if (!mask[2] || !grad.is_cuda()) {
        return Decomposed::notApplicable();
    }
    std::vector<std::int64_t> dims{0};
    for (std::int64_t i = 2; i < grad.dim(); ++i) {
        dims.push_back(i);
    }
    const at::Tensor bias = at::sum(grad, dims);
    const std::vector<c10::SymInt> biasSizes = call.symInts("bias_sizes");
    const auto [input, weight, none] = at::convolution_backward_symint(
        grad, call.tensor("input"), call.tensor("weight"),
        call.has("bias_sizes") ? at::OptionalSymIntArrayRef(biasSizes)
                               : at::OptionalSymIntArrayRef(std::nullopt),
        call.symInts("stride"), call.symInts("padding"), call.symInts("dilation"), call.flag("transposed"),
        call.symInts("output_padding"), call.symInt("groups"), {mask[0], mask[1], false});
    return {input, weight, bias};
}

Decomposed roundDecimals(const DecompositionCall& call) {
    const double power = std::pow(10.0, static_cast<double>(call.integer("decimals")));
    return at::round(call.tensor("self") * power) * (1.0 / power);
}

/// Products of a row and a column need no matrix kernel on the CPU.
Decomposed bmm(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor other = call.tensor("mat2");
    // Arguments are cast before anything is asked of them; casts that serve nothing leave the graph again.
    const Opmath cast{&self, &other};
    if (!self.is_cpu() || !isOne(self.sym_size(1)) || !isOne(other.sym_size(-1))) {
        return Decomposed::notApplicable();
    }
    const at::Tensor left = self.squeeze(1);
    const at::Tensor product = left * other.squeeze(-1);
    return cast.back(at::sum(product, at::IntArrayRef{1}, true).unsqueeze(1));
}

Decomposed mm(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor other = call.tensor("mat2");
    const Opmath cast{&self, &other};
    if (!self.is_cpu()) {
        return Decomposed::notApplicable();
    }
    const auto hasRows = [&] {
        static_cast<void>(self.sym_size(0).sym_gt(0));
        return self.sym_size(0).maybe_as_int().value_or(0) > 0;
    };
    const bool outer = isOne(self.sym_size(-1)) && hasRows() && isOne(other.sym_size(0)) &&
                       self.scalar_type() == other.scalar_type() &&
                       isKnownAtMost(self.sym_numel() + other.sym_numel(), 32);
    const bool inner = isOne(self.sym_size(0)) && isOne(other.sym_size(-1));
    if (!outer && !inner) {
        return Decomposed::notApplicable();
    }
    if (outer) {
        return cast.back(self * other);
    }
    const at::Tensor left = self.squeeze(0);
    const at::Tensor product = left * other.squeeze(-1);
    return cast.back(at::sum(product, at::IntArrayRef{0}, true).unsqueeze(0));
}

Decomposed addmm(const DecompositionCall& call) {
    at::Tensor self = call.tensor("self");
    at::Tensor left = call.tensor("mat1");
    at::Tensor right = call.tensor("mat2");
    const Opmath cast{&self, &left, &right};
    if (!self.is_cpu()) {
        return Decomposed::notApplicable();
    }
    const bool inner = isOne(left.sym_size(0)) && isOne(right.sym_size(-1));
    if (!inner && !(isOne(left.sym_size(0)) && isKnownAtMost(right.sym_size(0), 16) &&
                    isKnownAtMost(right.sym_size(1), 16))) {
        return Decomposed::notApplicable();
    }
    at::Tensor out;
    if (inner) {
        const at::Tensor row = left.squeeze(0);
        const at::Tensor product = row * right.squeeze(-1);
        out = at::sum(product, at::IntArrayRef{0}, true).unsqueeze(0);
    } else {
        out = (left.numpy_T() * right).sum(at::IntArrayRef{0}, true);
    }
    const at::Tensor scaled = call.scalar("alpha") * out;
    return cast.back(scaled + call.scalar("beta") * self);
}

Decomposed cat(const DecompositionCall& call) {
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    std::int64_t dim = call.integer("dim");
    std::vector<at::Tensor> kept;
    for (const at::Tensor& tensor : tensors) {
        const auto empty = [&](std::int64_t at) {
            return tensor.sym_size(at).sym_eq(0).guard_or_false(__FILE__, __LINE__);
        };
        const bool legacy = tensor.dim() == 1 && empty(0);
        if (!legacy && !(dim < tensor.dim() && empty(dim))) {
            kept.push_back(tensor);
        }
    }
    if (kept.size() == 1) {
        at::native::ResultTypeState state = {};
        for (const at::Tensor& tensor : tensors) {
            state = at::native::update_result_type_state(tensor, state);
        }
        const c10::ScalarType promoted = at::native::result_type(state);
        return promoted == kept.front().scalar_type() ? kept.front().clone() : kept.front().to(promoted);
    }
    if (kept.size() > 1 && kept.size() < tensors.size()) {
        return at::cat(kept, dim);
    }
    const bool repeated = kept.size() > 1 &&
                          std::all_of(kept.begin(), kept.end(),
                                      [&](const at::Tensor& tensor) { return tensor.is_same(kept.front()); });
    if (!repeated) {
        return Decomposed::notApplicable();
    }
    const at::Tensor& input = kept.front();
    dim = c10::maybe_wrap_dim(dim, input.dim());
    std::vector<c10::SymInt> shape = python::sizes(input);
    shape.insert(shape.begin() + dim, static_cast<std::int64_t>(kept.size()));
    return input.unsqueeze(dim).expand_symint(shape).flatten(dim, dim + 1).clone();
}

Decomposed angle(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    if (x.is_complex()) {
        const at::Tensor nan = at::isnan(at::real(x));
        const at::Tensor imaginary = at::imag(x);
        return at::where(nan, quietNan, at::atan2(imaginary, at::real(x)));
    }
    const at::Tensor pi = at::scalar_tensor(std::numbers::pi, at::TensorOptions()
                                                                  .dtype(python::floatType(x.scalar_type()))
                                                                  .device(x.device())
                                                                  .pinned_memory(false));
    const at::Tensor result = at::where(x.lt(0), pi, 0.0);
    return at::where(at::isnan(x), quietNan, result);
}

Decomposed complexOnly(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return self.is_complex() ? Decomposed::notApplicable() : Decomposed(self);
}

Decomposed itself(const DecompositionCall& call) {
    return call.tensor("self");
}

Decomposed fmin(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("other");
    const at::Tensor nan = at::isnan(other);
    return at::where(nan | other.gt(self), self, other);
}

Decomposed fmax(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor other = call.tensor("other");
    const at::Tensor nan = at::isnan(other);
    return at::where(nan | other.lt(self), self, other);
}

Decomposed amax(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return self.scalar_type() == c10::kBool
               ? Decomposed(
                     at::any(self, at::OptionalIntArrayRef(call.integers("dim")), call.flag("keepdim")))
               : Decomposed::notApplicable();
}

Decomposed amin(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    return self.scalar_type() == c10::kBool
               ? Decomposed(
                     at::all(self, at::OptionalIntArrayRef(call.integers("dim")), call.flag("keepdim")))
               : Decomposed::notApplicable();
}

Decomposed narrowCopy(const DecompositionCall& call) {
    return at::narrow_symint(call.tensor("self"), call.integer("dim"), call.symInt("start"),
                             call.symInt("length"))
        .clone(c10::MemoryFormat::Contiguous);
}

Decomposed viewCopy(const DecompositionCall& call) {
    return call.tensor("self").view_symint(call.symInts("size")).clone();
}

Decomposed viewCopyType(const DecompositionCall& call) {
    return call.tensor("self").clone().view(*call.dtype());
}

/// The type, or place, of a tensor by primitives.
Decomposed toCopy(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const auto dtype = call.dtype();
    const auto format = call.memoryFormat();
    if (!call.has("device") && !dtype && !format) {
        return x.clone();
    }
    bool converted = false;
    if (call.has("device") && call.value("device").toDevice() != x.device()) {
        const c10::Device device = call.value("device").toDevice();
        if (dtype && device.is_cpu()) {
            x = prims::convertElementType(x, *dtype);
            converted = true;
        }
        x = prims::devicePut(x, device, call.flag("non_blocking"));
    }
    if (dtype && !converted) {
        x = prims::convertElementType(x, *dtype);
    }
    return format ? x.clone(*format) : x;
}

bool isInteger(const c10::Scalar& scalar) {
    return scalar.isIntegral(/*includeBool=*/true);
}

Decomposed arange(const DecompositionCall& call) {
    const c10::Scalar start = call.scalar("start");
    const c10::Scalar end = call.scalar("end");
    const c10::Scalar step = call.scalar("step");
    const bool integers = isInteger(start) && isInteger(end) && isInteger(step);
    const c10::ScalarType dtype =
        call.dtype().value_or(integers ? c10::kLong : c10::get_default_dtype_as_scalartype());
    const c10::Device device = call.has("device") ? call.value("device").toDevice() : c10::Device(c10::kCPU);
    const bool isIntegral = c10::isIntegralType(dtype, false);
    c10::SymInt length;
    if (dtype == c10::kLong || integers) {
        const c10::SymInt first = isInteger(start) ? start.toSymInt() : c10::SymInt(start.toLong());
        const c10::SymInt last = isInteger(end) ? end.toSymInt() : c10::SymInt(end.toLong());
        const std::int64_t by = step.toLong();
        static_cast<void>(by > 0 ? reference::isAtMost(first, last) : reference::isAtMost(last, first));
        length = (last - first + by - (by > 0 ? 1 : -1)) / by;
    } else {
        length = static_cast<std::int64_t>(std::ceil((end.toDouble() - start.toDouble()) / step.toDouble()));
    }
    if (isIntegral) {
        const c10::SymInt first = isInteger(start) ? start.toSymInt() : c10::SymInt(start.toLong());
        return prims::iota(length, first, step.toLong(), dtype, device);
    }
    at::Tensor index = prims::iota(length, 0, 1, c10::kLong, device);
    // Counted in twice the precision on the CPU.
    const bool wide = device.is_cpu() || dtype == c10::kDouble;
    index = python::convert(index, integers ? c10::kLong : wide ? c10::kDouble : c10::kFloat);
    return python::convert(start + step * index, dtype);
}

Decomposed inductorSoftmaxBackward(const DecompositionCall& call) {
    at::Tensor grad = call.tensor("grad_output");
    at::Tensor output = call.tensor("output");
    const c10::ScalarType inputType = *call.dtype("input_dtype");
    const Opmath cast{&grad, &output};
    const at::Tensor product = grad * output;
    const at::Tensor sum = at::sum(product, at::IntArrayRef{call.integer("dim")}, true);
    at::Tensor input = prims::fma(-output, sum, product);
    if (grad.scalar_type() != inputType) {
        input = input.to(inputType);
    }
    return cast.back(contiguousMemory(input));
}

Decomposed flip(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    std::vector<std::int64_t> dims = call.integers("dims");
    for (std::int64_t& dim : dims) {
        dim = c10::maybe_wrap_dim(dim, self.dim());
    }
    return prims::reversed(self, dims);
}

std::vector<c10::SymInt> spread(std::vector<c10::SymInt> values, std::size_t dims) {
    if (values.size() == 1) {
        values.resize(dims, values.front());
    }
    return values;
}

/// Pools whose offsets within a window fit in eight bits.
Decomposed maxPool(const DecompositionCall& call, std::size_t dims) {
    const at::Tensor self = call.tensor("self");
    const std::vector<c10::SymInt> kernel = spread(call.symInts("kernel_size"), dims);
    std::vector<c10::SymInt> stride = call.symInts("stride");
    stride = stride.empty() ? kernel : spread(stride, dims);
    const std::vector<c10::SymInt> padding = spread(call.symInts("padding"), dims);
    const std::vector<c10::SymInt> dilation = spread(call.symInts("dilation"), dims);
    if (python::product(kernel).guard_int(__FILE__, __LINE__) > 25) {
        return Decomposed::notApplicable();
    }
    const auto [values, offsets] =
        prims::maxPoolWithOffsets(self, kernel, stride, padding, dilation, call.flag("ceil_mode"));
    const std::vector<c10::SymInt> input = python::sizes(self, self.dim() - static_cast<std::int64_t>(dims));
    return {values, prims::maxPoolIndices(offsets, kernel, input, stride, padding, dilation)};
}

Decomposed maxPool2d(const DecompositionCall& call) {
    return maxPool(call, 2);
}

Decomposed maxPool3d(const DecompositionCall& call) {
    return maxPool(call, 3);
}

Decomposed adaptiveMaxPool2d(const DecompositionCall& call) {
    const at::Tensor x = call.tensor("self");
    const std::vector<std::int64_t> out = call.integers("output_size");
    const std::int64_t height = x.sym_size(-2).guard_int(__FILE__, __LINE__);
    const std::int64_t width = x.sym_size(-1).guard_int(__FILE__, __LINE__);
    if (out[0] == 0 || out[1] == 0 || height % out[0] != 0 || width % out[1] != 0) {
        return Decomposed::notApplicable();
    }
    const auto [values, indices] = at::max_pool2d_with_indices(x, {height / out[0], width / out[1]});
    return {values, indices};
}

Decomposed dist(const DecompositionCall& call) {
    return at::norm(call.tensor("self") - call.tensor("other"), call.scalar("p"));
}

Decomposed put(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor index = call.tensor("index");
    c10::List<std::optional<at::Tensor>> indices;
    indices.push_back(index);
    const at::Tensor flat = self.flatten();
    const at::Tensor written = at::index_put(
        flat, indices, call.tensor("source").reshape_symint(index.sym_sizes()), call.flag("accumulate"));
    return written.reshape_symint(self.sym_sizes());
}

Decomposed foreachAddcmul(const DecompositionCall& call) {
    const std::vector<at::Tensor> products =
        at::_foreach_mul(call.tensors("tensor1"), call.tensors("tensor2"));
    return Decomposed::list(at::_foreach_add(call.tensors("self"), products, call.scalar("value")));
}

Decomposed foreachAddcdiv(const DecompositionCall& call) {
    const std::vector<at::Tensor> quotients =
        at::_foreach_div(call.tensors("tensor1"), call.tensors("tensor2"));
    return Decomposed::list(at::_foreach_add(call.tensors("self"), quotients, call.scalar("value")));
}

Decomposed foreachLerp(const DecompositionCall& call) {
    const std::vector<at::Tensor> start = call.tensors("self");
    const std::vector<at::Tensor> distance = at::_foreach_sub(call.tensors("tensors1"), start);
    if (call.schema().overload_name() == "Scalar") {
        return Decomposed::list(at::_foreach_add(start, at::_foreach_mul(distance, call.scalar("weight"))));
    }
    std::vector<c10::Scalar> weights;
    for (const c10::IValue& weight : call.value("weight").toListRef()) {
        weights.push_back(weight.toScalar());
    }
    return Decomposed::list(at::_foreach_add(start, at::_foreach_mul(distance, weights)));
}

/// The dimensions as they lie in memory are drawn, then permuted.
template<typename Draw>
Decomposed drawnLike(const DecompositionCall& call, Draw&& draw) {
    const at::Tensor self = call.tensor("self");
    at::TensorOptions options = call.options();
    options = options.dtype(call.dtype().value_or(self.scalar_type()));
    options = options.device(call.has("device") ? call.value("device").toDevice() : self.device());
    const auto format = call.memoryFormat().value_or(c10::MemoryFormat::Preserve);
    if (format != c10::MemoryFormat::Preserve) {
        return draw(self.sym_sizes(), options).to(at::TensorOptions(), false, false, format);
    }
    std::vector<std::int64_t> layout(static_cast<std::size_t>(self.dim()));
    std::iota(layout.begin(), layout.end(), 0);
    if (!self.is_contiguous()) {
        std::stable_sort(layout.begin(), layout.end(), [&](std::int64_t left, std::int64_t right) {
            return self.stride(left) > self.stride(right);
        });
    }
    std::vector<c10::SymInt> sizes;
    std::vector<std::int64_t> order(layout.size());
    for (std::size_t i = 0; i < layout.size(); ++i) {
        sizes.push_back(self.sym_size(layout[i]));
        order[static_cast<std::size_t>(layout[i])] = static_cast<std::int64_t>(i);
    }
    const at::Tensor drawn = draw(sizes, options);
    return std::is_sorted(layout.begin(), layout.end()) ? drawn : drawn.permute(order).clone();
}

Decomposed randLike(const DecompositionCall& call) {
    return drawnLike(call, [](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
        return at::rand_symint(sizes, options);
    });
}

Decomposed randnLike(const DecompositionCall& call) {
    return drawnLike(call, [](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
        return at::randn_symint(sizes, options);
    });
}

Decomposed randintLike(const DecompositionCall& call) {
    const c10::SymInt low = call.has("low") ? call.symInt("low") : c10::SymInt(0);
    return drawnLike(call, [&](c10::SymIntArrayRef sizes, const at::TensorOptions& options) {
        return at::randint_symint(low, call.symInt("high"), sizes, options);
    });
}

Decomposed randint(const DecompositionCall& call) {
    return at::randint_symint(0, call.symInt("high"), call.symInts("size"), call.options());
}

Decomposed nativeDropout(const DecompositionCall& call) {
    const at::Tensor input = call.tensor("input");
    const double p = call.number("p");
    const auto plain = at::TensorOptions().pinned_memory(false);
    const bool train = call.has("train") && call.flag("train");
    if (!train || p == 0) {
        return {input, at::ones_like(input, plain.dtype(c10::kBool))};
    }
    if (p == 1) {
        at::Tensor zeros = at::zeros_like(input, plain);
        return {std::move(zeros), at::zeros_like(input, plain.dtype(c10::kBool))};
    }
    TORCH_CHECK(input.is_floating_point(), "result type Float can't be cast to the desired output type Long");
    const at::Tensor mask = at::rand_like(input, plain).gt(p);
    return {mask * input * (1.0 / (1.0 - p)), mask};
}

} // namespace

void addInductorTable(TableSets& tables) {
    DecompositionSet& set = tables.inductor;
    set.add({"aten::silu"}, inductorSilu);
    set.add({"aten::clamp", "aten::clamp.Tensor"}, clamp);
    set.add({"aten::empty_permuted"}, emptyPermuted);
    set.add({"aten::convolution_backward"}, convolutionBackward);
    set.add({"aten::round.decimals"}, roundDecimals);
    set.add({"aten::bmm"}, bmm);
    set.add({"aten::mm"}, mm);
    set.add({"aten::addmm"}, addmm);
    set.add({"aten::cat"}, cat);
    set.add({"aten::angle"}, angle);
    set.add({"aten::conj_physical"}, complexOnly);
    set.add({"aten::lift"}, itself);
    set.add({"aten::fmin"}, fmin);
    set.add({"aten::fmax"}, fmax);
    set.add({"aten::amax"}, amax);
    set.add({"aten::amin"}, amin);
    set.add({"aten::narrow_copy"}, narrowCopy);
    set.add({"aten::view_copy"}, viewCopy);
    set.add({"aten::view_copy.dtype"}, viewCopyType);
    set.add({"aten::_to_copy"}, toCopy);
    set.add({"aten::arange.start_step"}, arange);
    set.add({"aten::_softmax_backward_data"}, inductorSoftmaxBackward);
    set.add({"aten::flip"}, flip);
    set.add({"aten::max_pool2d_with_indices"}, maxPool2d);
    set.add({"aten::max_pool3d_with_indices"}, maxPool3d);
    set.add({"aten::adaptive_max_pool2d"}, adaptiveMaxPool2d);
    set.add({"aten::dist"}, dist);
    set.add({"aten::put"}, put);
    set.add({"aten::_foreach_addcmul.Scalar"}, foreachAddcmul);
    set.add({"aten::_foreach_addcdiv.Scalar"}, foreachAddcdiv);
    set.add({"aten::_foreach_lerp.Scalar", "aten::_foreach_lerp.ScalarList"}, foreachLerp);
    set.add({"aten::rand_like"}, randLike);
    set.add({"aten::randn_like"}, randnLike);
    set.add({"aten::randint_like", "aten::randint_like.low_dtype"}, randintLike);
    set.add({"aten::randint"}, randint);
    set.add({"aten::native_dropout"}, nativeDropout);
    set.add({"aten::upsample_bilinear2d.vec"}, upsampleLinearVec);
}

} // namespace aotscope::torch

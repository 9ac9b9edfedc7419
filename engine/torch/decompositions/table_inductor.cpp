#include "decompositions/all_decompositions.h"
#include "decompositions/primitives.h"
#include "decompositions/python_arithmetic.h"
#include "fake/reference_layout.h"

#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <cmath>

/// What Inductor decomposes beyond core ATen or in its own way: here copies, ranges, and reading and writing
/// by index; the rest has a file per family.
namespace aotscope::torch::decomposed {

namespace {

bool isInteger(const c10::Scalar& scalar) {
    return scalar.isIntegral(/*includeBool=*/true);
}

} // namespace

Decomposed emptyPermuted(const DecompositionCall& call) {
    return python::inMemoryOrder(
        call.symInts("size"), call.integers("physical_layout"),
        [&](c10::SymIntArrayRef sizes) { return at::empty_symint(sizes, call.options()); },
        /*copies=*/false);
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

/// Changes dtype and device with primitives.
Decomposed toCopy(const DecompositionCall& call) {
    at::Tensor x = call.tensor("self");
    const auto dtype = call.dtype();
    const auto format = call.memoryFormat();
    if (!call.has("device") && !dtype && !format) {
        return x.clone();
    }
    bool converted = false;
    if (const auto device = call.device(); device && *device != x.device()) {
        if (dtype && device->is_cpu()) {
            x = prims::convertElementType(x, *dtype);
            converted = true;
        }
        x = prims::devicePut(x, *device, call.flag("non_blocking"));
    }
    if (dtype && !converted) {
        x = prims::convertElementType(x, *dtype);
    }
    return format ? x.clone(*format) : x;
}

Decomposed arange(const DecompositionCall& call) {
    const c10::Scalar start = call.scalar("start");
    const c10::Scalar end = call.scalar("end");
    const c10::Scalar step = call.scalar("step");
    const bool integers = isInteger(start) && isInteger(end) && isInteger(step);
    const c10::ScalarType dtype =
        call.dtype().value_or(integers ? c10::kLong : c10::get_default_dtype_as_scalartype());
    const c10::Device device = call.device().value_or(c10::kCPU);
    const bool isIntegral = c10::isIntegralType(dtype, false);
    const bool counts = isIntegral && !integers && call.rules().decompositions.arangeOfFloatsCountsIntegers;
    c10::SymInt length;
    if (integers || (dtype == c10::kLong && !counts)) {
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
        if (counts) {
            return c10::Scalar(first) + c10::Scalar(step.toLong()) * prims::iota(length, 0, 1, dtype, device);
        }
        return prims::iota(length, first, step.toLong(), dtype, device);
    }
    at::Tensor index = prims::iota(length, 0, 1, c10::kLong, device);
    // The CPU counts in the wider type.
    const bool wide = device.is_cpu() || dtype == c10::kDouble;
    index = python::convert(index, integers ? c10::kLong : wide ? c10::kDouble : c10::kFloat);
    return python::convert(start + step * index, dtype);
}

Decomposed flip(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    if (self.dim() == 0 && call.rules().decompositions.flipClonesScalars) {
        return self.clone();
    }
    return prims::reversed(self, python::wrapped(call.integers("dims"), self));
}

Decomposed put(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor index = call.tensor("index");
    const at::Tensor flat = self.flatten();
    const at::Tensor written =
        at::index_put(flat, python::indexAt(0, index),
                      call.tensor("source").reshape_symint(index.sym_sizes()), call.flag("accumulate"));
    return written.reshape_symint(self.sym_sizes());
}

/// The mean of the values written to an element, with or without its old value. Other reductions are left to
/// Inductor.
Decomposed indexReduce(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    const at::Tensor source = call.tensor("source");
    const at::Tensor index = call.tensor("index");
    const std::int64_t dim = call.integer("dim");
    const bool needsFallback = self.scalar_type() == c10::kLong || self.scalar_type() == c10::kBool;
    if (call.text("reduce") != "mean" || needsFallback) {
        return Decomposed::notApplicable();
    }
    const at::TensorOptions plain = python::options();
    const at::Tensor ones = at::ones_like(source, plain);
    at::Tensor out = self;
    at::Tensor counts;
    if (call.flag("include_self")) {
        counts = at::ones_like(self, plain).index_add(dim, index, ones);
    } else {
        out = self.index_fill(dim, index, 0);
        counts = at::zeros_like(self, plain).index_add(dim, index, ones);
        counts = counts.masked_fill(counts.lt(1), 1);
    }
    out = out.index_add(dim, index, source);
    const bool isReal = self.is_floating_point() || self.is_complex();
    return isReal ? out / counts : at::floor_divide(out, counts);
}

/// Only on CUDA are the selected elements before each position counted first.
Decomposed maskedScatter(const DecompositionCall& call) {
    const at::Tensor self = call.tensor("self");
    if (!self.is_cuda()) {
        return Decomposed::notApplicable();
    }
    const std::vector<at::Tensor> both = at::broadcast_tensors({self, call.tensor("mask")});
    const at::Tensor place = both[1].reshape({-1}).cumsum(0) - 1;
    const at::Tensor values = both[0].flatten();
    const at::Tensor mask = both[1].flatten();
    const at::Tensor read =
        at::_unsafe_masked_index(call.tensor("source").flatten(), mask, python::indexAt(0, place), 0);
    return at::where(mask, read, values).view_symint(both[0].sym_sizes());
}

/// The source index of each repeated element; the total must be a plain number.
Decomposed repeatInterleave(const DecompositionCall& call) {
    const at::Tensor repeats = call.tensor("repeats");
    if (!call.has("output_size") || call.symInt("output_size").is_symbolic()) {
        return Decomposed::notApplicable();
    }
    const at::Tensor ends = repeats.cumsum(0);
    const at::Tensor place = python::arange(call.symInt("output_size"), repeats);
    const at::Tensor found = at::searchsorted(ends, place, repeats.scalar_type() == c10::kInt, true);
    return at::clamp(found, std::nullopt, c10::Scalar(repeats.sym_size(0) - 1));
}

} // namespace aotscope::torch::decomposed

#include "run/inputs/tensor_maker.h"

#include "base/mapped.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "run/state/frame.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

/// The range of integers without requirements.
constexpr std::int64_t defaultBelow = 8;

at::Tensor makeIntegers(std::int64_t elements, c10::ScalarType type, const ValueNeeds& needs,
                        at::Generator generator) {
    const std::int64_t widest = type == c10::kChar || type == c10::kByte ? 127 : std::int64_t{1} << 30;
    const std::int64_t least = std::clamp<std::int64_t>(needs.least, 0, widest - 1);
    const std::int64_t below =
        std::clamp<std::int64_t>(needs.below.value_or(least + defaultBelow), least + 1, widest);
    return at::randint(least, below, {elements}, std::move(generator), at::TensorOptions(c10::kLong))
        .to(type);
}

/// Evenly spaced offsets or lengths along the last dimension, which has `length` elements.
at::Tensor makeRowLimits(std::int64_t elements, std::int64_t length, c10::ScalarType type,
                         const RowLimits& rows) {
    at::Tensor limits = at::empty({elements}, at::TensorOptions(c10::kLong));
    auto* data = limits.data_ptr<std::int64_t>();
    const std::int64_t all = rows.to - rows.from;
    for (std::int64_t i = 0; i < elements; ++i) {
        const std::int64_t at = i % std::max<std::int64_t>(length, 1);
        data[i] = rows.form == RowLimits::Form::Lengths ? all * (at + 1) / length - all * at / length
                  : length == 1                         ? rows.from
                                                        : rows.from + all * at / (length - 1);
    }
    return limits.to(type);
}

/// Random bools. With `mostTrue` only the first so many true ones stay true; with `exactlyTrue` the first
/// elements are true.
at::Tensor makeBools(std::int64_t elements, const ValueNeeds& needs, at::Generator generator) {
    at::Tensor bools =
        at::randint(2, {elements}, std::move(generator), at::TensorOptions(c10::kLong)).to(c10::kBool);
    if (needs.mostTrue) {
        if (needs.exactlyTrue) {
            bools.fill_(true);
        }
        bools.logical_and_(bools.to(c10::kLong).cumsum(0).le(*needs.mostTrue));
    }
    return bools;
}

/// Floats that become indices. Whole numbers are in the range however they are rounded, but below 2 that
/// would be nothing but 0.
at::Tensor makeIndices(std::int64_t elements, c10::ScalarType type, const ValueNeeds& needs,
                       at::Generator generator) {
    const std::int64_t least = std::max<std::int64_t>(needs.least, 0);
    const std::int64_t below = std::max(needs.below.value_or(1), least + 1);
    at::Tensor values = at::empty({elements}, at::TensorOptions(c10::kFloat));
    if (below - least < 2 && !needs.whole) {
        values.uniform_(static_cast<double>(least), static_cast<double>(below), std::move(generator));
    } else {
        values = at::randint(least, below, {elements}, std::move(generator), at::TensorOptions(c10::kLong));
    }
    // What the type rounds up to the limit is outside.
    const at::Tensor rounded = values.to(type);
    return rounded.masked_fill(rounded.ge(static_cast<double>(below)), static_cast<double>(least));
}

/// Moves numbers between the bounds; those that lie there stay.
at::Tensor bounded(const at::Tensor& values, const ValueNeeds& needs) {
    if (needs.from && needs.to) {
        const double width = std::max(*needs.to - *needs.from, 0.0);
        const at::Tensor shares = values.sub(values.floor()).mul(width).add(*needs.from);
        return at::where(values.ge(*needs.from).logical_and(values.le(*needs.to)), values, shares);
    }
    if (needs.from) {
        return at::where(values.ge(*needs.from), values, values.neg().add(2 * *needs.from));
    }
    return needs.to ? at::where(values.le(*needs.to), values, values.neg().add(2 * *needs.to)) : values;
}

at::Tensor makeFloats(std::int64_t elements, c10::ScalarType type, const ValueNeeds& needs,
                      at::Generator generator) {
    const bool complex = c10::isComplexType(type);
    const c10::ScalarType made = complex ? (type == c10::kComplexDouble ? type : c10::kComplexFloat)
                                 : type == c10::kDouble ? c10::kDouble
                                                        : c10::kFloat;
    if (needs.below && !complex) {
        return makeIndices(elements, type, needs, std::move(generator));
    }
    at::Tensor values = at::empty({elements}, at::TensorOptions(made));
    if (needs.probability && !complex) {
        values.uniform_(0, 1, std::move(generator));
    } else {
        values.normal_(0, 1, std::move(generator));
    }
    if (needs.positive && !complex) {
        values.abs_().add_(0.1);
    }
    return (complex ? values : bounded(values, needs)).to(type);
}

/// `length` is the size of the last dimension.
at::Tensor makeFlat(std::int64_t elements, std::int64_t length, c10::ScalarType type, const ValueNeeds& needs,
                    at::Generator generator) {
    if (type == c10::kBool) {
        return makeBools(elements, needs, std::move(generator));
    }
    if (needs.generatorState && type == c10::kByte) {
        at::Tensor state = generator.get_state();
        if (state.numel() == elements) {
            return state;
        }
    }
    if (c10::isIntegralType(type, false)) {
        return needs.rows ? makeRowLimits(elements, length, type, *needs.rows)
                          : makeIntegers(elements, type, needs, std::move(generator));
    }
    if (c10::isFloatingType(type) || c10::isComplexType(type)) {
        return makeFloats(elements, type, needs, std::move(generator));
    }
    fail("run.unsupported_input", "Tensors of dtype " + dtypeText(type) + " cannot be made here.");
}

} // namespace

std::uint64_t tensorSeed(std::uint64_t seed, std::string_view name) {
    // FNV-1a, because std::hash differs between platforms.
    std::uint64_t hash = 14695981039346656037ULL ^ seed;
    for (const char c : name) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

std::int64_t storageElements(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& stride,
                             std::int64_t offset) {
    constexpr std::int64_t limit = std::int64_t{1} << 46;
    std::int64_t last = offset;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 0) {
            return 0;
        }
        if (shape[i] < 0 || stride[i] < 0 || offset < 0) {
            fail("run.unsupported_input", "A size or stride is negative.");
        }
        std::int64_t extent = 0;
        if (__builtin_mul_overflow(shape[i] - 1, stride[i], &extent) ||
            __builtin_add_overflow(last, extent, &last) || last >= limit) {
            fail("run.too_large", "A tensor would need more than " + std::to_string(limit) + " elements.");
        }
    }
    return last + 1;
}

ConcreteLayout concreteLayout(const ir::TensorMeta& meta, const RunContext& context) {
    ConcreteLayout layout;
    const auto value = [&](const ir::SymInt& size) { return sizeValue(size, context); };
    layout.shape = base::mapped(meta.shape, value);
    if (meta.stride && meta.stride->size() == meta.shape.size()) {
        layout.stride = base::mapped(*meta.stride, value);
    } else {
        layout.stride.resize(layout.shape.size());
        std::int64_t next = 1;
        for (std::size_t i = layout.shape.size(); i-- > 0;) {
            layout.stride[i] = next;
            if (__builtin_mul_overflow(next, std::max<std::int64_t>(layout.shape[i], 1), &next)) {
                fail("run.too_large", "A tensor has more elements than 64 bits can count.");
            }
        }
    }
    if (meta.storageOffset) {
        layout.offset = sizeValue(*meta.storageOffset, context);
    }
    return layout;
}

at::Tensor makeTensor(const ir::TensorMeta& meta, const ValueNeeds& needs, std::uint64_t seed,
                      const RunContext& context) {
    const auto type = scalarType(meta.dtype);
    if (!type) {
        fail("run.unsupported_input",
             "The dtype " + std::string(ir::dtypeName(meta.dtype)) + " is not known here.");
    }
    if (!meta.layout.empty() && meta.layout != "strided") {
        fail("run.unsupported_input",
             "Tensors of layout torch." + meta.layout + " cannot be made from metadata.");
    }
    const ConcreteLayout layout = concreteLayout(meta, context);
    const std::int64_t elements = storageElements(layout.shape, layout.stride, layout.offset);
    const std::int64_t length = layout.shape.empty() ? 1 : layout.shape.back();
    at::Tensor flat = makeFlat(elements, length, *type, needs, at::detail::createCPUGenerator(seed));
    // Filled on the CPU, so that the values are the same on all devices.
    return movedTo(flat, context.place.of(meta.device))
        .as_strided(layout.shape, layout.stride, elements == 0 ? 0 : layout.offset);
}

} // namespace aotscope::torch

#include "fake/fake_operators.h"

#include "fake/constants.h"
#include "fake/data_dependent.h"
#include "fake/equal_sizes.h"
#include "fake/known_layout.h"
#include "fake/meta/compute_shapes.h"
#include "fake/meta/device_in_question.h"
#include "fake/quick_layout.h"
#include "fake/size_candidates.h"
#include "fake/symbolic_slice.h"
#include "fake/symbolic_view.h"
#include "fake/variant_arguments.h"
#include "fake/variant_results.h"

#include <ATen/EmptyTensor.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// Gives results the layout of PyTorch's quick way.
void layOutQuickly(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   std::vector<c10::Stack>& variants) {
    const c10::IValue& seen = variants.front().back();
    const auto format = seen.isTensor() ? quickFormat(op, arguments, seen.toTensor().sizes()) : std::nullopt;
    for (c10::Stack& variant : variants) {
        if (format) {
            const at::Tensor meta = variant.back().toTensor();
            variant.back() = at::Tensor(at::detail::empty_meta(meta.sizes(), meta.scalar_type(), format));
        }
    }
}

/// What an operator returned for the sizes that were seen, as it is for other values of their symbols.
/// Nothing where its sizes are in no place of the arguments, or its strides are other than a new tensor's.
std::optional<at::Tensor> asForVariant(const at::Tensor& seen, const SizeCandidates& candidates,
                                       std::size_t variant) {
    const auto dims = static_cast<std::size_t>(seen.dim());
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < dims; ++d) {
        const std::vector<c10::SymInt> likely = candidates.sureOfDimension(d, dims);
        const auto size = std::find_if(likely.begin(), likely.end(), [&](const c10::SymInt& number) {
            return variantValue(number, 0) == seen.size(static_cast<std::int64_t>(d));
        });
        if (size == likely.end()) {
            return std::nullopt;
        }
        sizes.push_back(variantValue(*size, variant));
    }
    if (!seen.is_contiguous()) {
        return std::nullopt;
    }
    return at::Tensor(at::detail::empty_meta(sizes, seen.scalar_type()));
}

/// The results of one variant. LibTorch's shape functions ask for more equal sizes than PyTorch's, which then
/// go by what was seen, and so by the sizes among the arguments.
void computeVariant(const c10::OperatorHandle& op, std::vector<c10::Stack>& variants, std::size_t variant,
                    const SizeCandidates& candidates) {
    try {
        computeShapes(op, variants[variant]);
    } catch (const c10::Error&) {
        if (variant == 0) {
            throw;
        }
        variants[variant].clear();
        for (const c10::IValue& result : variants[0]) {
            const bool isNew = result.isTensor() && result.toTensor().defined() && !op.schema().is_mutable();
            const auto made = isNew ? asForVariant(result.toTensor(), candidates, variant) : std::nullopt;
            if (!made) {
                throw;
            }
            variants[variant].emplace_back(*made);
        }
    }
}

/// Operators that return nothing and change nothing (`_assert_scalar`, `_assert_async`) leave shapes alone.
bool onlyAsserts(const c10::FunctionSchema& schema) {
    return schema.returns().empty() && !schema.arguments().empty() &&
           std::none_of(schema.arguments().begin(), schema.arguments().end(),
                        [](const c10::Argument& argument) { return argument.alias_info() != nullptr; });
}

} // namespace

c10::Device resultDevice(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
    const auto& declared = schema.arguments();
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (arguments[i].isDevice() && declared[i].name() == "device") {
            c10::Device device = arguments[i].toDevice();
            if (!device.is_cpu() && !device.is_meta() && !device.has_index()) {
                device.set_index(0);
            }
            return device;
        }
    }
    std::optional<c10::Device> common;
    bool commonIsScalar = false;
    for (const c10::IValue& argument : arguments) {
        eachTensor(argument, [&](const at::Tensor& tensor) {
            if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
                return;
            }
            const bool scalar = tensor.dim() == 0 && tensor.device().is_cpu();
            if (!common || (commonIsScalar && !scalar)) {
                common = tensor.device();
                commonIsScalar = scalar;
                return;
            }
            TORCH_CHECK(scalar || tensor.device() == *common, "Unhandled FakeTensor Device Propagation for ",
                        schema.operator_name(), ", found two different devices ", *common, ", ",
                        tensor.device());
        });
    }
    return common.value_or(c10::Device(c10::kCPU));
}

namespace {

/// What an operator makes of constants alone is a constant, whose values PyTorch has: none is left to be
/// conjugated when it is read.
void settleConstant(c10::ArrayRef<c10::IValue> arguments, c10::Stack& results) {
    const bool onlyConstants = std::all_of(arguments.begin(), arguments.end(), [](const c10::IValue& value) {
        return !value.isTensor() || asFake(value.toTensor()) == nullptr;
    });
    if (!onlyConstants) {
        return;
    }
    for (c10::IValue& result : results) {
        if (result.isTensor() && result.toTensor().is_conj()) {
            result = result.toTensor().resolve_conj();
        }
    }
}

} // namespace

void callOnFakes(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment) {
    const c10::FunctionSchema& schema = op.schema();
    if (onlyAsserts(schema)) {
        if (const c10::IValue& condition = stack[stack.size() - schema.arguments().size()];
            condition.isSymBool()) {
            environment.assume(condition.toSymBool().toSymNodeImpl());
        }
        stack.resize(stack.size() - schema.arguments().size());
        return;
    }
    if (callOnConstants(op, stack, environment) || callDataDependent(op, stack, environment)) {
        return;
    }
    const std::size_t first = stack.size() - schema.arguments().size();
    const c10::ArrayRef<c10::IValue> arguments(stack.data() + first, schema.arguments().size());
    const c10::Device device = resultDevice(schema, arguments);
    InPlaceArguments inPlace;
    bool symbolic = false;
    for (const c10::IValue& argument : arguments) {
        inPlace.add(argument);
        symbolic = symbolic || (environment.hasSymbols() && dependsOnSymbols(argument));
    }
    SizeCandidates candidates;
    if (symbolic) {
        if (auto view = symbolicView(op, arguments, environment)) {
            stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
            stack.emplace_back(*std::move(view));
            return;
        }
        if (auto pieces = symbolicSlice(op, arguments, environment)) {
            stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
            stack.emplace_back(*std::move(pieces));
            return;
        }
        askForEqualSizes(op, arguments, environment);
        candidates = SizeCandidates(op, arguments, environment);
    }
    std::vector<c10::Stack> variants(symbolic ? environment.variants() : 1);
    {
        const c10::impl::ExcludeDispatchKeyGuard withoutFake(c10::DispatchKey::Fake);
        const at::AutoDispatchBelowADInplaceOrView withoutAutograd;
        const DeviceInQuestion faking(device.type());
        for (std::size_t k = 0; k < variants.size(); ++k) {
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                variants[k].push_back(metaArgument(arguments[i], k));
                if (schema.arguments()[i].name() == "device" && variants[k].back().isNone()) {
                    // A factory without a device would make a real tensor.
                    variants[k].back() = c10::Device(c10::kMeta);
                }
            }
            computeVariant(op, variants, k, candidates);
            settleConstant(arguments, variants[k]);
        }
    }
    if (symbolic) {
        layOutQuickly(op, arguments, variants);
    }
    const bool views =
        std::any_of(schema.returns().begin(), schema.returns().end(),
                    [](const c10::Argument& result) { return result.alias_info() != nullptr; });
    VariantResults results(op, inPlace, device, environment, std::move(candidates), views);
    std::vector<c10::IValue> joined;
    for (std::size_t i = 0; i < variants.front().size(); ++i) {
        std::vector<c10::IValue> items;
        items.reserve(variants.size());
        for (const c10::Stack& variant : variants) {
            items.push_back(variant[i]);
        }
        joined.push_back(results.join(items));
    }
    if (symbolic) {
        noteKnownLayout(op, arguments, joined);
    }
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    stack.insert(stack.end(), joined.begin(), joined.end());
}

} // namespace aotscope::torch

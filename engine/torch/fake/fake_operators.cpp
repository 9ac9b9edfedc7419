#include "fake/fake_operators.h"

#include "fake/computed_sizes.h"
#include "fake/data_dependent.h"
#include "fake/equal_sizes.h"
#include "fake/known_layout.h"
#include "fake/meta/compute_shapes.h"
#include "fake/meta/device_in_question.h"
#include "fake/size_candidates.h"
#include "fake/symbolic_slice.h"
#include "fake/symbolic_view.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <numeric>

namespace aotscope::torch {

namespace {

/// Calls `visit(const at::Tensor&)` for every defined tensor argument.
template<typename Visit>
void eachTensor(const c10::IValue& value, Visit&& visit) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) {
            visit(value.toTensor());
        }
    } else if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            eachTensor(item, visit);
        }
    }
}

at::Tensor metaOfReal(const at::Tensor& real) {
    if (real.is_meta() || real.unsafeGetTensorImpl()->is_wrapped_number()) {
        return real;
    }
    return at::empty_strided(real.sizes(), real.strides(), real.options().device(c10::kMeta));
}

/// One variant's arguments: meta tensors for fake ones.
c10::IValue metaArgument(const c10::IValue& value, std::size_t variant) {
    if (value.isTensor()) {
        const at::Tensor& tensor = value.toTensor();
        if (!tensor.defined()) {
            return value;
        }
        if (const FakeTensorImpl* fake = asFake(tensor)) {
            return fake->variants()[std::min(variant, fake->variants().size() - 1)];
        }
        return metaOfReal(tensor);
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(tensor.defined() ? metaArgument(tensor, variant).toTensor() : tensor);
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorList()) {
            list.push_back(tensor && tensor->defined()
                               ? std::optional<at::Tensor>(metaArgument(*tensor, variant).toTensor())
                               : tensor);
        }
        return list;
    }
    if (value.isDevice()) {
        return c10::Device(c10::kMeta);
    }
    if (value.isSymInt()) {
        return variantValue(value.toSymInt(), variant);
    }
    if (value.isSymFloat()) {
        const auto* node = dynamic_cast<const SymbolicNode*>(value.toSymFloat().toSymNodeImplUnowned());
        return node == nullptr ? value : c10::IValue(node->value(variant));
    }
    if (value.isSymBool()) {
        return value.toSymBool().guard_bool(__FILE__, __LINE__);
    }
    if (value.isList() && value.toListRef().size() > 0 &&
        std::any_of(value.toListRef().begin(), value.toListRef().end(),
                    [](const c10::IValue& item) { return item.isSymInt(); })) {
        c10::List<std::int64_t> list;
        for (const c10::IValue& item : value.toListRef()) {
            list.push_back(item.isSymInt() ? variantValue(item.toSymInt(), variant) : item.toInt());
        }
        return list;
    }
    return value;
}

/// Finds again the fake tensor whose meta tensor an operator returned.
class InPlaceArguments {
public:
    void add(const c10::IValue& value) {
        eachTensor(value, [&](const at::Tensor& tensor) {
            if (const FakeTensorImpl* fake = asFake(tensor)) {
                m_fakes.emplace_back(fake->variants().front().unsafeGetTensorImpl(), tensor);
            }
        });
    }
    [[nodiscard]] const at::Tensor* find(const at::Tensor& meta) const {
        for (const auto& [impl, tensor] : m_fakes) {
            if (impl == meta.unsafeGetTensorImpl()) {
                return &tensor;
            }
        }
        return nullptr;
    }

private:
    std::vector<std::pair<const c10::TensorImpl*, at::Tensor>> m_fakes;
};

/// Puts the results of all variants together.
class Results {
public:
    Results(const c10::OperatorHandle& op, const InPlaceArguments& inPlace, c10::Device device,
            ShapeEnvironment& environment, SizeCandidates candidates, bool views)
        : m_op(op),
          m_inPlace(inPlace),
          m_device(device),
          m_environment(environment),
          m_candidates(std::move(candidates)),
          m_views(views) {}

    [[nodiscard]] c10::IValue join(const std::vector<c10::IValue>& variants) {
        const c10::IValue& first = variants.front();
        if (first.isTensor()) {
            return joinTensors(variants);
        }
        if (first.isTensorList()) {
            c10::List<at::Tensor> list;
            for (std::size_t i = 0; i < first.toTensorVector().size(); ++i) {
                std::vector<c10::IValue> items;
                for (const c10::IValue& variant : variants) {
                    const auto tensors = variant.toTensorVector();
                    TORCH_CHECK(tensors.size() == first.toTensorVector().size(),
                                "the number of results depends on the values of symbols");
                    items.emplace_back(tensors[i]);
                }
                list.push_back(joinTensors(items));
            }
            return list;
        }
        if (first.isInt() && variants.size() > 1) {
            std::vector<std::int64_t> values;
            for (const c10::IValue& variant : variants) {
                values.push_back(variant.toInt());
            }
            return c10::IValue(solved(values, m_candidates.all(), "the number", {}));
        }
        return first;
    }

private:
    using Sizes = std::vector<c10::SymInt>;

    [[nodiscard]] at::Tensor joinTensors(const std::vector<c10::IValue>& variants) {
        std::vector<at::Tensor> metas;
        for (const c10::IValue& variant : variants) {
            metas.push_back(variant.toTensor());
        }
        if (!metas.front().defined()) {
            return metas.front();
        }
        at::Tensor result = fakeOf(std::move(metas));
        if (const at::Tensor* same = m_inPlace.find(asFake(result)->variants().front())) {
            asFake(*same)->assign(*asFake(result));
            return *same;
        }
        return result;
    }

    [[nodiscard]] at::Tensor fakeOf(std::vector<at::Tensor> metas) {
        if (metas.size() == 1) {
            return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
        }
        const std::int64_t dims = metas.front().dim();
        std::vector<c10::SymInt> sizes;
        std::vector<c10::SymInt> strides(static_cast<std::size_t>(dims));
        bool symbolic = false;
        for (std::int64_t d = 0; d < dims; ++d) {
            std::vector<std::int64_t> values;
            for (const at::Tensor& meta : metas) {
                TORCH_CHECK(meta.dim() == dims, "the number of dimensions depends on the values of symbols");
                values.push_back(meta.size(d));
            }
            sizes.push_back(sizeOf(static_cast<std::size_t>(d), static_cast<std::size_t>(dims), values));
            symbolic = symbolic || asSymbolic(sizes.back()) != nullptr;
        }
        std::vector<c10::SymInt> candidates;
        strides = stridesOf(metas, sizes, candidates);
        for (const c10::SymInt& stride : strides) {
            symbolic = symbolic || asSymbolic(stride) != nullptr;
        }
        std::vector<std::int64_t> offsets;
        for (const at::Tensor& meta : metas) {
            offsets.push_back(meta.storage_offset());
        }
        c10::SymInt offset = solved(offsets, candidates, "the storage offset", {});
        if (const SymbolicNode* number = asSymbolic(offset); number != nullptr && returnsList()) {
            // Each piece counts on from where it is taken.
            offset = m_environment.copyOf(*number);
        }
        if (!symbolic && asSymbolic(offset) == nullptr) {
            // The storage may still grow with a symbol: keep the variants.
            return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
        }
        return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device, sizes, strides, offset);
    }

    [[nodiscard]] bool returnsList() const {
        return m_op.schema().returns().front().type()->kind() == c10::TypeKind::ListType;
    }

    [[nodiscard]] c10::SymInt sizeOf(std::size_t dim, std::size_t dims,
                                     const std::vector<std::int64_t>& values) {
        // What a rule or an argument says stays an expression where guards leave it but one value.
        for (const c10::SymInt& candidate : m_candidates.sureOfDimension(dim, dims)) {
            if (hasValues(candidate, values)) {
                return candidate;
            }
        }
        std::vector<c10::SymInt> candidates = m_candidates.ofDimension(dim, dims);
        candidates.insert(candidates.end(), m_candidates.all().begin(), m_candidates.all().end());
        return solved(values, candidates, "the size of dimension", static_cast<std::int64_t>(dim));
    }

    /// Strides are mostly those of what is viewed, or of a new tensor the products of the sizes behind them,
    /// each counted as one at least. `candidates` are what its offset may be.
    [[nodiscard]] Sizes stridesOf(const std::vector<at::Tensor>& metas, const Sizes& sizes,
                                  Sizes& candidates) {
        std::vector<std::size_t> order(sizes.size());
        std::iota(order.rbegin(), order.rend(), 0);
        const Sizes dense = denseStrides(sizes, order, !m_views);
        std::vector<Sizes> proposed = {m_candidates.resultStrides(sizes.size())};
        if (!m_views) {
            proposed.push_back(dense);
        }
        if (m_op.hasTag(at::Tag::pointwise)) {
            const at::Tensor& seen = metas.front();
            std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
                return seen.stride(static_cast<std::int64_t>(left)) <
                       seen.stride(static_cast<std::int64_t>(right));
            });
            proposed.push_back(denseStrides(sizes, order, true));
        }
        proposed.push_back(m_candidates.viewStrides(sizes.size()));
        if (m_views) {
            candidates = m_candidates.strides();
            candidates.insert(candidates.end(), dense.rbegin(), dense.rend());
        }
        for (const Sizes& strides : proposed) {
            candidates.insert(candidates.end(), strides.rbegin(), strides.rend());
        }
        if (!sizes.empty()) {
            candidates.push_back(dense.front() * sizes.front());
        }
        candidates.insert(candidates.end(), m_candidates.all().begin(), m_candidates.all().end());
        candidates.insert(candidates.end(), sizes.begin(), sizes.end());
        for (const Sizes& strides : proposed) {
            if (strides.size() == sizes.size() && areStrides(strides, metas)) {
                return strides;
            }
        }
        return solvedStrides(metas, sizes, candidates);
    }

    /// Each dimension by itself, from the last one on.
    [[nodiscard]] Sizes solvedStrides(const std::vector<at::Tensor>& metas, const Sizes& sizes,
                                      Sizes& candidates) {
        Sizes strides(sizes.size());
        for (std::size_t d = sizes.size(); d-- > 0;) {
            std::vector<std::int64_t> values;
            for (const at::Tensor& meta : metas) {
                values.push_back(meta.stride(static_cast<std::int64_t>(d)));
            }
            strides[d] = solved(values, candidates, "the stride of dimension", static_cast<std::int64_t>(d));
            candidates.push_back(strides[d]);
            candidates.push_back(strides[d] * sizes[d]);
        }
        return strides;
    }

    /// The strides of memory without gaps, whose dimensions lie in this order, the innermost first.
    static Sizes denseStrides(const Sizes& sizes, const std::vector<std::size_t>& order, bool atLeastOne) {
        Sizes strides(sizes.size());
        c10::SymInt run = 1;
        for (const std::size_t dim : order) {
            strides[dim] = run;
            run = run * (atLeastOne ? sizes[dim].max(1) : sizes[dim]);
        }
        return strides;
    }

    static bool areStrides(const Sizes& strides, const std::vector<at::Tensor>& metas) {
        for (std::size_t k = 0; k < metas.size(); ++k) {
            for (std::size_t d = 0; d < strides.size(); ++d) {
                if (variantValue(strides[d], k) != metas[k].stride(static_cast<std::int64_t>(d))) {
                    return false;
                }
            }
        }
        return true;
    }

    [[nodiscard]] static bool hasValues(const c10::SymInt& number, const std::vector<std::int64_t>& values) {
        std::size_t k = 0;
        while (k < values.size() && variantValue(number, k) == values[k]) {
            ++k;
        }
        return k == values.size();
    }

    /// `what` names the number to a person, with the dimension it belongs to.
    [[nodiscard]] c10::SymInt solved(const std::vector<std::int64_t>& values,
                                     const std::vector<c10::SymInt>& candidates, const char* what,
                                     std::optional<std::int64_t> dimension) {
        // What an operator's rule says stays an expression where guards leave it but one value.
        if (!candidates.empty() && hasValues(candidates.front(), values)) {
            return candidates.front();
        }
        return m_environment.solve(values, candidates, [&] {
            return std::string(what) + (dimension ? " " + std::to_string(*dimension) : "") + " that " +
                   toString(m_op.operator_name()) + " returns";
        });
    }

    const c10::OperatorHandle& m_op;
    const InPlaceArguments& m_inPlace;
    c10::Device m_device;
    ShapeEnvironment& m_environment;
    SizeCandidates m_candidates;
    /// Results lie in memory of an argument.
    bool m_views;
};

/// Whether any argument differs between variants.
bool dependsOnSymbols(const c10::IValue& value) {
    bool depends = value.isSymInt() || value.isSymFloat();
    eachTensor(value, [&](const at::Tensor& tensor) {
        const FakeTensorImpl* fake = asFake(tensor);
        depends = depends || (fake != nullptr && fake->variants().size() > 1);
    });
    if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            depends = depends || item.isSymInt();
        }
    }
    return depends;
}

} // namespace

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
    if (callDataDependent(op, stack, environment)) {
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
    Results results(op, inPlace, device, environment, std::move(candidates), views);
    std::vector<c10::IValue> joined;
    for (std::size_t i = 0; i < variants.front().size(); ++i) {
        std::vector<c10::IValue> items;
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

#include "fake/fake_operators.h"

#include "fake/computed_sizes.h"
#include "fake/data_dependent.h"
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
            sizes.push_back(solved(
                values, m_candidates.ofDimension(static_cast<std::size_t>(d), static_cast<std::size_t>(dims)),
                "the size of dimension", d));
            symbolic = symbolic || asSymbolic(sizes.back()) != nullptr;
        }
        // Strides are mostly those of what is viewed, or products of the sizes behind them, of a new tensor
        // counted as one at least; those come first.
        std::vector<c10::SymInt> candidates;
        if (m_views) {
            candidates = m_candidates.strides();
        }
        const std::vector<c10::SymInt> given = m_candidates.resultStrides(static_cast<std::size_t>(dims));
        candidates.insert(candidates.end(), given.begin(), given.end());
        c10::SymInt run = 1;
        for (std::int64_t d = dims; d-- > 0;) {
            const c10::SymInt& size = sizes[static_cast<std::size_t>(d)];
            run = run * (m_views ? size : size.max(1));
            candidates.push_back(run);
        }
        if (m_op.hasTag(at::Tag::pointwise)) {
            addPermuted(metas.front(), sizes, candidates);
        }
        candidates.insert(candidates.end(), m_candidates.all().begin(), m_candidates.all().end());
        candidates.insert(candidates.end(), sizes.begin(), sizes.end());
        for (std::int64_t d = dims; d-- > 0;) {
            std::vector<std::int64_t> values;
            for (const at::Tensor& meta : metas) {
                values.push_back(meta.stride(d));
            }
            c10::SymInt& stride = strides[static_cast<std::size_t>(d)];
            stride = solved(values, candidates, "the stride of dimension", d);
            candidates.push_back(stride);
            candidates.push_back(stride * sizes[static_cast<std::size_t>(d)]);
            symbolic = symbolic || asSymbolic(stride) != nullptr;
        }
        std::vector<std::int64_t> offsets;
        for (const at::Tensor& meta : metas) {
            offsets.push_back(meta.storage_offset());
        }
        const c10::SymInt offset = solved(offsets, candidates, "the storage offset", {});
        if (!symbolic && asSymbolic(offset) == nullptr) {
            // The storage may still grow with a symbol: keep the variants.
            return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
        }
        return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device, sizes, strides, offset);
    }

    /// The strides of a new tensor whose dimensions lie as those of `seen` do.
    static void addPermuted(const at::Tensor& seen, const std::vector<c10::SymInt>& sizes,
                            std::vector<c10::SymInt>& candidates) {
        std::vector<std::size_t> innermostFirst(sizes.size());
        std::iota(innermostFirst.rbegin(), innermostFirst.rend(), 0);
        std::stable_sort(innermostFirst.begin(), innermostFirst.end(),
                         [&](std::size_t left, std::size_t right) {
                             return seen.stride(static_cast<std::int64_t>(left)) <
                                    seen.stride(static_cast<std::int64_t>(right));
                         });
        c10::SymInt run = 1;
        for (const std::size_t dim : innermostFirst) {
            run = run * sizes[dim].max(1);
            candidates.push_back(run);
        }
    }

    /// `what` names the number to a person, with the dimension it belongs to.
    [[nodiscard]] c10::SymInt solved(const std::vector<std::int64_t>& values,
                                     const std::vector<c10::SymInt>& candidates, const char* what,
                                     std::optional<std::int64_t> dimension) {
        // A size that the data tell stays one where the program asserts what number it is.
        if (!candidates.empty() && m_environment.isUnbacked(candidates.front())) {
            const auto same = [&](std::size_t k) { return variantValue(candidates.front(), k) == values[k]; };
            std::size_t k = 0;
            while (k < values.size() && same(k)) {
                ++k;
            }
            if (k == values.size()) {
                return candidates.front();
            }
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

/// Sizes that an elementwise operation wants equal: PyTorch asks, and symbols it saw equal are one from then
/// on.
void askForEqualSizes(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                      ShapeEnvironment& environment) {
    if (!op.hasTag(at::Tag::pointwise)) {
        return;
    }
    std::vector<c10::SymInt> known;
    const auto ask = [&](const at::Tensor& tensor) {
        const auto sizes = tensor.sym_sizes();
        for (std::size_t back = 1; back <= sizes.size(); ++back) {
            const c10::SymInt& size = sizes[sizes.size() - back];
            if (known.size() < back) {
                known.push_back(size);
                continue;
            }
            c10::SymInt& other = known[back - 1];
            const SymbolicNode* left = asSymbolic(other);
            const SymbolicNode* right = asSymbolic(size);
            if (left == nullptr) {
                other = size;
            } else if (right != nullptr && left->expression().text() != right->expression().text()) {
                environment.foundEqual(*left, *right);
            }
        }
    };
    for (const c10::IValue& argument : arguments) {
        eachTensor(argument, ask);
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
            computeShapes(op, variants[k]);
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
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
    stack.insert(stack.end(), joined.begin(), joined.end());
}

} // namespace aotscope::torch

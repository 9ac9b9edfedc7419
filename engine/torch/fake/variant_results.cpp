#include "fake/variant_results.h"

#include <algorithm>
#include <numeric>

namespace aotscope::torch {

c10::IValue VariantResults::join(const std::vector<c10::IValue>& variants) {
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
        values.reserve(variants.size());
        for (const c10::IValue& variant : variants) {
            values.push_back(variant.toInt());
        }
        return c10::IValue(solved(values, m_candidates.all(), "the number", {}));
    }
    return first;
}

at::Tensor VariantResults::joinTensors(const std::vector<c10::IValue>& variants) {
    std::vector<at::Tensor> metas;
    metas.reserve(variants.size());
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

at::Tensor VariantResults::fakeOf(std::vector<at::Tensor> metas) {
    if (metas.size() == 1) {
        return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
    }
    const std::int64_t dims = metas.front().dim();
    std::vector<c10::SymInt> sizes;
    std::vector<c10::SymInt> strides(static_cast<std::size_t>(dims));
    bool symbolic = false;
    for (std::int64_t d = 0; d < dims; ++d) {
        std::vector<std::int64_t> values;
        values.reserve(metas.size());
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
    offsets.reserve(metas.size());
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

bool VariantResults::returnsList() const {
    return m_op.schema().returns().front().type()->kind() == c10::TypeKind::ListType;
}

c10::SymInt VariantResults::sizeOf(std::size_t dim, std::size_t dims,
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

std::vector<c10::SymInt> VariantResults::stridesOf(const std::vector<at::Tensor>& metas, const Sizes& sizes,
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

std::vector<c10::SymInt> VariantResults::solvedStrides(const std::vector<at::Tensor>& metas,
                                                       const Sizes& sizes, Sizes& candidates) {
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

std::vector<c10::SymInt>
VariantResults::denseStrides(const Sizes& sizes, const std::vector<std::size_t>& order, bool atLeastOne) {
    Sizes strides(sizes.size());
    c10::SymInt run = 1;
    for (const std::size_t dim : order) {
        strides[dim] = run;
        run = run * (atLeastOne ? sizes[dim].max(1) : sizes[dim]);
    }
    return strides;
}

bool VariantResults::areStrides(const Sizes& strides, const std::vector<at::Tensor>& metas) {
    for (std::size_t k = 0; k < metas.size(); ++k) {
        for (std::size_t d = 0; d < strides.size(); ++d) {
            if (variantValue(strides[d], k) != metas[k].stride(static_cast<std::int64_t>(d))) {
                return false;
            }
        }
    }
    return true;
}

bool VariantResults::hasValues(const c10::SymInt& number, const std::vector<std::int64_t>& values) {
    std::size_t k = 0;
    while (k < values.size() && variantValue(number, k) == values[k]) {
        ++k;
    }
    return k == values.size();
}

c10::SymInt VariantResults::solved(const std::vector<std::int64_t>& values,
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

} // namespace aotscope::torch

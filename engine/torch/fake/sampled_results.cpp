#include "fake/sampled_results.h"

#include "base/mapped.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <numeric>

namespace aotscope::torch {

SampledResults::SampledResults(const FakeCall& call, c10::Device device, const SizeCandidates& candidates,
                               const std::vector<std::size_t>& values)
    : m_call(call), m_device(device), m_candidates(candidates), m_values(values) {
    const std::vector<c10::Argument>& returns = call.op.schema().returns();
    m_views = std::ranges::any_of(returns,
                                  [](const c10::Argument& result) { return result.alias_info() != nullptr; });
    m_returnsList = !returns.empty() && returns.front().type()->kind() == c10::TypeKind::ListType;
}

c10::IValue SampledResults::join(const std::vector<c10::IValue>& samples, std::size_t result) {
    const c10::IValue& first = samples.front();
    if (first.isTensor()) {
        return joinTensors(samples, result);
    }
    if (first.isTensorList()) {
        c10::List<at::Tensor> list;
        for (std::size_t i = 0; i < first.toTensorVector().size(); ++i) {
            std::vector<c10::IValue> items;
            for (const c10::IValue& sample : samples) {
                const auto tensors = sample.toTensorVector();
                TORCH_CHECK(tensors.size() == first.toTensorVector().size(),
                            "the number of results depends on the values of symbols");
                items.emplace_back(tensors[i]);
            }
            list.push_back(joinTensors(items, i));
        }
        return list;
    }
    if (first.isInt() && samples.size() > 1) {
        auto values = base::mapped<Values>(samples, [](const c10::IValue& sample) { return sample.toInt(); });
        return c10::IValue(among(m_candidates.all(), values, "the number"));
    }
    return first;
}

at::Tensor SampledResults::joinTensors(const std::vector<c10::IValue>& samples, std::size_t result) {
    auto metas = base::mapped(samples, [](const c10::IValue& sample) { return sample.toTensor(); });
    if (!metas.front().defined()) {
        return metas.front();
    }
    at::Tensor fake = fakeOf(std::move(metas), m_candidates.shapeOf(result));
    if (const at::Tensor* same = argumentOf(asFake(fake)->samples().front(), m_call.arguments)) {
        asFake(*same)->assign(*asFake(fake));
        return *same;
    }
    return fake;
}

at::Tensor SampledResults::fakeOf(std::vector<at::Tensor> metas, const SymbolicShape& shape) {
    if (metas.size() == 1) {
        return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
    }
    const auto dims = static_cast<std::size_t>(metas.front().dim());
    SymbolicSizes sizes;
    for (std::size_t d = 0; d < dims; ++d) {
        Values values;
        for (const at::Tensor& meta : metas) {
            TORCH_CHECK(static_cast<std::size_t>(meta.dim()) == dims,
                        "the number of dimensions depends on the values of symbols");
            values.emplace_back(meta.sizes()[d]);
        }
        sizes.push_back(sizeOf(d, dims, values, shape));
    }
    SymbolicSizes candidates;
    const SymbolicSizes strides = stridesOf(metas, sizes, shape, candidates);
    const c10::SymInt offset = offsetOf(metas, shape, std::move(candidates));
    metas.resize(std::min(metas.size(), m_call.environment.samples()));
    const auto symbolic = [](const c10::SymInt& number) { return asSymbolic(number) != nullptr; };
    if (std::ranges::none_of(sizes, symbolic) && std::ranges::none_of(strides, symbolic) &&
        !symbolic(offset)) {
        // The storage may still grow with a symbol: keep the samples.
        return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device);
    }
    return at::detail::make_tensor<FakeTensorImpl>(std::move(metas), m_device, sizes, strides, offset);
}

c10::SymInt SampledResults::sizeOf(std::size_t dim, std::size_t dims, const Values& values,
                                   const SymbolicShape& shape) {
    // These candidates stay expressions even if guards fix their value.
    SymbolicSizes alike = m_candidates.ofDimension(dim, dims, /*sameRank=*/true);
    if (shape.sizes.size() == dims) {
        alike.insert(alike.begin(), shape.sizes[dim]);
    }
    for (const c10::SymInt& candidate : alike) {
        if (hasValues(candidate, values)) {
            return candidate;
        }
    }
    SymbolicSizes candidates = m_candidates.ofDimension(dim, dims, /*sameRank=*/false);
    candidates.insert(candidates.end(), m_candidates.all().begin(), m_candidates.all().end());
    return among(candidates, values, "the size of dimension " + std::to_string(dim));
}

SymbolicSizes SampledResults::stridesOf(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                        const SymbolicShape& shape, SymbolicSizes& candidates) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.rbegin(), order.rend(), 0);
    const SymbolicSizes dense = denseStrides(sizes, order, !m_views);
    std::vector<SymbolicSizes> proposed = {shape.strides};
    if (!m_views) {
        proposed.push_back(dense);
    }
    if (!m_views || m_call.op.hasTag(at::Tag::pointwise)) {
        const at::IntArrayRef seen = metas.front().strides();
        std::ranges::stable_sort(
            order, [&](std::size_t left, std::size_t right) { return seen[left] < seen[right]; });
        proposed.push_back(denseStrides(sizes, order, true));
    }
    proposed.push_back(m_candidates.firstStrides(sizes.size()));
    if (m_views) {
        candidates = m_candidates.strides();
        candidates.insert(candidates.end(), dense.rbegin(), dense.rend());
    }
    for (const SymbolicSizes& strides : proposed) {
        candidates.insert(candidates.end(), strides.rbegin(), strides.rend());
    }
    if (!sizes.empty()) {
        candidates.push_back(dense.front() * sizes.front());
    }
    candidates.insert(candidates.end(), m_candidates.all().begin(), m_candidates.all().end());
    candidates.insert(candidates.end(), sizes.begin(), sizes.end());
    for (const SymbolicSizes& strides : proposed) {
        if (strides.size() == sizes.size() && areStrides(strides, metas)) {
            return strides;
        }
    }
    return eachStride(metas, sizes, candidates);
}

SymbolicSizes SampledResults::eachStride(const std::vector<at::Tensor>& metas, const SymbolicSizes& sizes,
                                         SymbolicSizes& candidates) {
    SymbolicSizes strides(sizes.size());
    for (std::size_t d = sizes.size(); d-- > 0;) {
        strides[d] =
            among(candidates, strideValues(metas, d), "the stride of dimension " + std::to_string(d));
        candidates.push_back(strides[d]);
        candidates.push_back(strides[d] * sizes[d]);
    }
    return strides;
}

c10::SymInt SampledResults::offsetOf(const std::vector<at::Tensor>& metas, const SymbolicShape& shape,
                                     SymbolicSizes candidates) {
    const auto values =
        base::mapped<Values>(metas, [](const at::Tensor& meta) { return meta.storage_offset(); });
    const c10::IValue* first = m_call.arguments.empty() ? nullptr : &m_call.arguments[0];
    if (m_views && first != nullptr && first->isTensor()) {
        candidates.insert(candidates.begin(), first->toTensor().sym_storage_offset());
    }
    if (shape.offset) {
        candidates.insert(candidates.begin(), *shape.offset);
    }
    c10::SymInt offset = among(candidates, values, "the storage offset");
    // A view's offset is a separate symbolic number, which views of it add to.
    const SymbolicNode* number = asSymbolic(offset);
    return number == nullptr || !(m_views || m_returnsList) ? offset : m_call.environment.copyOf(*number);
}

SymbolicSizes SampledResults::denseStrides(const SymbolicSizes& sizes, const std::vector<std::size_t>& order,
                                           bool atLeastOne) {
    SymbolicSizes strides(sizes.size());
    c10::SymInt run = 1;
    for (const std::size_t dim : order) {
        strides[dim] = run;
        run = run * (atLeastOne ? sizes[dim].max(1) : sizes[dim]);
    }
    return strides;
}

SampledResults::Values SampledResults::strideValues(const std::vector<at::Tensor>& metas,
                                                    std::size_t dim) const {
    Values values;
    for (std::size_t k = 0; k < metas.size(); ++k) {
        const bool any = m_values[k] >= ShapeEnvironment::sampleCount && metas[k].sizes()[dim] <= 1;
        values.push_back(any ? std::nullopt : std::optional(metas[k].strides()[dim]));
    }
    return values;
}

bool SampledResults::areStrides(const SymbolicSizes& strides, const std::vector<at::Tensor>& metas) const {
    for (std::size_t d = 0; d < strides.size(); ++d) {
        if (!hasValues(strides[d], strideValues(metas, d))) {
            return false;
        }
    }
    return true;
}

bool SampledResults::hasValues(const c10::SymInt& number, const Values& values) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] && sampledValue(number, m_values[k]) != *values[k]) {
            return false;
        }
    }
    return true;
}

c10::SymInt SampledResults::among(const SymbolicSizes& candidates, const Values& values,
                                  const std::string& what) const {
    // The first candidate stays an expression even if guards fix its value.
    if (!candidates.empty() && hasValues(candidates.front(), values)) {
        return candidates.front();
    }
    if (hasValues(*values.front(), values)) {
        return *values.front();
    }
    const auto found = std::ranges::find_if(candidates, [&](const c10::SymInt& number) {
        return asSymbolic(number) != nullptr && hasValues(number, values);
    });
    if (found != candidates.end()) {
        return *found;
    }
    std::string text;
    for (std::size_t k = 0; k < m_call.environment.samples(); ++k) {
        text += (text.empty() ? "" : ", ") + std::to_string(*values[k]);
    }
    TORCH_CHECK(false, "no shape function for ", m_call.op.operator_name(), ": ", what, " is ", text,
                " where ", m_call.environment.symbolValues(),
                ", which matches none of its arguments. Compile with that dimension static "
                "(torch._dynamo.mark_static, or dynamic=False), or trace with a fact that makes its symbol a "
                "number (`f Eq(",
                m_call.environment.symbols().front().first, ", ",
                m_call.environment.symbols().front().second.front(), ")` at a breakpoint)");
}

} // namespace aotscope::torch

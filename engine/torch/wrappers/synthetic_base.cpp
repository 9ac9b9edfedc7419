#include "wrappers/synthetic_base.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace aotscope::torch {

SyntheticBaseCall::SyntheticBaseCall(const aot::AOTSyntheticBaseWrapper& wrapper, BoxedCallPtr inner)
    : m_groups(wrapper.bases.size()),
      m_reshaped(wrapper.aliasedArgIdxWithMetadataMutations),
      m_inner(std::move(inner)) {
    std::vector<std::pair<std::size_t, std::size_t>> others;
    for (std::size_t i = 0; i < wrapper.syntheticBaseInfo.size(); ++i) {
        if (const auto* view = std::get_if<aot::ViewOfBase>(&wrapper.syntheticBaseInfo[i])) {
            m_groups.at(view->base).push_back(i);
        } else {
            others.emplace_back(std::get<std::size_t>(wrapper.syntheticBaseInfo[i]), i);
        }
    }
    std::sort(others.begin(), others.end());
    for (const auto& [position, argument] : others) {
        m_others.push_back(argument);
    }
}

at::Tensor SyntheticBaseCall::baseOf(const std::vector<std::size_t>& group, const Values& arguments) {
    for (const std::size_t index : group) {
        const at::Tensor& argument = arguments.at(index).toTensor();
        if (argument.is_view()) {
            return at::Tensor(argument._base());
        }
    }
    const at::Tensor& first = arguments.at(group.front()).toTensor();
    at::Tensor base = at::empty({0}, first.options().requires_grad(false));
    base.set_(first.storage());
    return base;
}

Values SyntheticBaseCall::call(Values& arguments) {
    auto merged = base::mapped<Values>(
        m_groups, [&](const std::vector<std::size_t>& group) { return baseOf(group, arguments); });
    for (const std::size_t index : m_others) {
        merged.push_back(arguments.at(index));
    }
    const auto reshaped =
        base::mapped(m_reshaped, [&](const std::size_t index) { return arguments.at(index).toTensor(); });
    arguments.clear();
    Values results = m_inner->call(merged);
    if (results.size() < reshaped.size()) {
        fail("call.results", "The function returns fewer values than it has inputs with new sizes.");
    }
    const std::size_t first = results.size() - reshaped.size();
    for (std::size_t i = 0; i < reshaped.size(); ++i) {
        const at::Tensor& updated = results[first + i].toTensor();
        reshaped[i].as_strided_(updated.sizes(), updated.strides(), updated.storage_offset());
    }
    results.resize(first);
    return results;
}

} // namespace aotscope::torch

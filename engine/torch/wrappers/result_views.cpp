#include "wrappers/result_views.h"

#include "base/mapped.h"
#include "wrappers/view_replay.h"

#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <algorithm>
#include <map>

namespace aotscope::torch {

namespace {

namespace autograd = ::torch::autograd;

/// Whether both are tensors of one memory that are not the same tensor.
bool isViewOf(const at::Tensor& view, const at::Tensor& base) {
    return view.defined() && base.defined() && !view.is_same(base) && view.is_alias_of(base);
}

} // namespace

ResultViews::ResultViews(const ir::Graph& forward, std::size_t tokens,
                         std::span<const std::size_t> unsafeViews) {
    const std::vector<ir::NodeId> placeholders = forward.placeholders();
    std::map<ir::NodeId, std::size_t> arguments;
    for (std::size_t i = tokens; i < placeholders.size(); ++i) {
        arguments.emplace(placeholders[i], i - tokens);
    }
    std::map<ir::NodeId, std::size_t> first;
    const std::vector<ir::NodeId> returned = ir::returnedNodes(forward);
    for (std::size_t i = tokens; i < returned.size(); ++i) {
        const std::size_t result = i - tokens;
        if (!returned[i].valid() || std::ranges::find(unsafeViews, result) != unsafeViews.end()) {
            continue;
        }
        const ir::NodeId base = viewedBase(forward, returned[i]);
        if (const auto argument = arguments.find(base); argument == arguments.end()) {
            if (const auto [earlier, isFirst] = first.emplace(base, result); !isFirst) {
                m_ofResults.push_back({result, earlier->second});
            }
        } else if (base != returned[i]) {
            m_ofArguments.push_back({result, argument->second});
        }
    }
}

std::vector<at::Tensor> ResultViews::basesAmong(const Values& arguments) const {
    return base::mapped(m_ofArguments, [&](const View& view) { return arguments.at(view.of).toTensor(); });
}

void ResultViews::shareVersions(const Values& results, const std::vector<at::Tensor>& bases) const {
    const auto share = [](const at::Tensor& view, const at::Tensor& base) {
        if (isViewOf(view, base)) {
            autograd::impl::set_version_counter(view, autograd::impl::version_counter(base));
        }
    };
    for (std::size_t i = 0; i < m_ofArguments.size(); ++i) {
        share(results.at(m_ofArguments[i].result).toTensor(), bases[i]);
    }
    for (const View& view : m_ofResults) {
        // A number that is returned twice is no tensor.
        if (const c10::IValue& earlier = results.at(view.of); earlier.isTensor()) {
            share(results.at(view.result).toTensor(), earlier.toTensor());
        }
    }
}

at::Tensor ResultViews::asView(std::size_t position, const at::Tensor& result,
                               const std::vector<at::Tensor>& bases, std::size_t results) const {
    for (std::size_t i = 0; i < m_ofArguments.size(); ++i) {
        if (m_ofArguments[i].result == position && isViewOf(result, bases[i])) {
            // MULTI_OUTPUT_NODE: autograd refuses writes to one of several results, because the others would
            // not see them.
            const auto meta = results > 1 ? autograd::CreationMeta::MULTI_OUTPUT_NODE
                                          : autograd::CreationMeta::IN_CUSTOM_FUNCTION;
            return autograd::as_view(bases[i], result.detach(), true, true, nullptr, nullptr, meta);
        }
    }
    return result;
}

} // namespace aotscope::torch

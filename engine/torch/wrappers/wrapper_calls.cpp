#include "wrappers/wrapper_calls.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

namespace aotscope::torch {

BoxedCall wrapperCall(const aot::DebugAssertWrapper& wrapper, const ArgumentNames& names, BoxedCall inner) {
    return [requiresGrad = wrapper.flatRequiresGrad, names, inner = std::move(inner)](Values& arguments) {
        for (std::size_t i = 0; i < std::min(arguments.size(), requiresGrad.size()); ++i) {
            const std::optional<bool>& canRequireGrad = requiresGrad[i];
            const std::string name = i < names.size() ? names[i] : "argument " + std::to_string(i);
            if (!canRequireGrad && arguments[i].isTensor()) {
                fail("call.guard", "At compile time " + name + " was no tensor, and in this call it is one.");
            }
            if (canRequireGrad && !*canRequireGrad && arguments[i].isTensor() &&
                arguments[i].toTensor().requires_grad()) {
                fail("call.guard",
                     "At compile time " + name + " did not require grad, and in this call it does.",
                     "Compile again for these arguments.");
            }
        }
        return inner(arguments);
    };
}

BoxedCall wrapperCall(const aot::AOTDedupeWrapper& wrapper, const ArgumentNames& names, BoxedCall inner) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < wrapper.keepArgMask.size(); ++i) {
        if (wrapper.keepArgMask[i]) {
            kept.push_back(i);
        }
    }
    // Per argument, the argument that is passed for it.
    auto standsFor =
        base::mapped(wrapper.addDupeMap, [&](const std::size_t position) { return kept.at(position); });
    return [kept = std::move(kept), standsFor = std::move(standsFor), names,
            inner = std::move(inner)](Values& arguments) {
        if (arguments.size() != standsFor.size()) {
            fail("call.arguments", "The function takes " + std::to_string(standsFor.size()) +
                                       " arguments and is called with " + std::to_string(arguments.size()) +
                                       ".");
        }
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (!arguments[i].is(arguments[standsFor[i]])) {
                fail("call.guard",
                     "At compile time " + names.at(i) + " was the same tensor as " + names.at(standsFor[i]) +
                         ", and in this call it is another one.",
                     "PyTorch asserts the same: compile again for these arguments.");
            }
        }
        auto passed =
            base::mapped(kept, [&](const std::size_t index) { return std::move(arguments[index]); });
        arguments.clear();
        return inner(passed);
    };
}

BoxedCall wrapperCall(const aot::EffectTokensWrapper& wrapper, const ArgumentNames& /*names*/,
                      BoxedCall inner) {
    return [tokens = wrapper.tokens, inner = std::move(inner)](Values& arguments) {
        Values withTokens(tokens);
        withTokens.reserve(tokens + arguments.size());
        std::move(arguments.begin(), arguments.end(), std::back_inserter(withTokens));
        arguments.clear();
        Values results = inner(withTokens);
        if (results.size() < tokens) {
            fail("call.results", "The graph returns " + std::to_string(results.size()) +
                                     " values, fewer than its " + std::to_string(tokens) + " effect tokens.");
        }
        results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(tokens));
        return results;
    };
}

BoxedCall wrapperCall(const aot::FakifiedOutWrapper& /*wrapper*/, const ArgumentNames& /*names*/,
                      BoxedCall inner) {
    return [first = std::make_shared<std::once_flag>(), inner = std::move(inner)](Values& arguments) {
        Values results = inner(arguments);
        std::call_once(*first, [&] {
            for (c10::IValue& result : results) {
                if (result.isTensor() && result.toTensor().defined()) {
                    const at::Tensor& tensor = result.toTensor();
                    result = at::empty_strided(tensor.sizes(), tensor.strides(),
                                               tensor.options().device(c10::kMeta).requires_grad(false));
                }
            }
        });
        return results;
    };
}

BoxedCall wrapperCall(const aot::FunctionalizedRngRuntimeWrapper& wrapper, const ArgumentNames& /*names*/,
                      BoxedCall inner) {
    return [wrapper, offset = std::int64_t{0}, inner = std::move(inner)](Values& arguments) mutable {
        const auto number = [](std::int64_t value) {
            return at::scalar_tensor(value, at::TensorOptions(at::kLong));
        };
        const auto seed = at::detail::getDefaultCPUGenerator().current_seed();
        arguments.emplace_back(number(static_cast<std::int64_t>(seed)));
        arguments.emplace_back(number(offset));
        Values results = inner(arguments);
        if (wrapper.offsetIndex >= results.size()) {
            fail("call.results", "The graph does not return the random generator's new offset.");
        }
        offset = results[wrapper.offsetIndex].toTensor().item().toLong();
        if (wrapper.returnNewOuts) {
            results.erase(results.begin() + static_cast<std::ptrdiff_t>(wrapper.offsetIndex));
        }
        return results;
    };
}

namespace {

at::Tensor baseOf(const std::vector<std::size_t>& group, const Values& arguments) {
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

} // namespace

BoxedCall wrapperCall(const aot::AOTSyntheticBaseWrapper& wrapper, const ArgumentNames& /*names*/,
                      BoxedCall inner) {
    // The arguments of each base, and those that are passed on after the bases.
    std::vector<std::vector<std::size_t>> groups(wrapper.bases.size());
    std::vector<std::pair<std::size_t, std::size_t>> others;
    for (std::size_t i = 0; i < wrapper.syntheticBaseInfo.size(); ++i) {
        if (const auto* view = std::get_if<aot::ViewOfBase>(&wrapper.syntheticBaseInfo[i])) {
            groups.at(view->base).push_back(i);
        } else {
            others.emplace_back(std::get<std::size_t>(wrapper.syntheticBaseInfo[i]), i);
        }
    }
    std::sort(others.begin(), others.end());
    // Arguments whose sizes change; the graph returns them last.
    return [groups = std::move(groups), others = std::move(others),
            changing = wrapper.aliasedArgIdxWithMetadataMutations,
            inner = std::move(inner)](Values& arguments) {
        auto merged = base::mapped<Values>(
            groups, [&](const std::vector<std::size_t>& group) { return baseOf(group, arguments); });
        for (const auto& [position, argument] : others) {
            merged.push_back(arguments.at(argument));
        }
        const auto reshaped =
            base::mapped(changing, [&](const std::size_t index) { return arguments.at(index).toTensor(); });
        arguments.clear();
        Values results = inner(merged);
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
    };
}

} // namespace aotscope::torch

#include "wrappers/runtime.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "wrappers/value_states.h"

#include <c10/core/AutogradState.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

class RuntimeCall {
public:
    RuntimeCall(const aot::RuntimeWrapper& wrapper, OutputReplays replays, std::vector<bool> shallowCopies,
                CallObserver* observer, BoxedCall inner)
        : m_wrapper(wrapper),
          m_replays(std::move(replays)),
          m_shallowCopies(std::move(shallowCopies)),
          m_observer(observer),
          m_inner(std::move(inner)) {
        const auto need = [this](std::size_t argument) {
            m_placeOf.resize(std::max(m_placeOf.size(), argument + 1));
            const auto known = std::ranges::find(m_needed, argument);
            m_placeOf[argument] = static_cast<std::size_t>(known - m_needed.begin());
            if (known == m_needed.end()) {
                m_needed.push_back(argument);
            }
        };
        for (const aot::InputMutation& mutation : m_wrapper.mutations) {
            need(mutation.input);
        }
        for (const aot::OutputHandler& handler : m_wrapper.outputs) {
            if (handler.handler == aot::AliasHandler::IsInput ||
                handler.handler == aot::AliasHandler::AliasOfInput) {
                need(handler.baseIdx.value());
            }
            m_anyAlias = m_anyAlias || handler.handler != aot::AliasHandler::Noop;
        }
    }

    Values operator()(Values& arguments) {
        const auto originals =
            base::mapped(m_needed, [&](const std::size_t index) { return arguments.at(index).toTensor(); });
        for (const std::size_t index : m_wrapper.incrementVersion) {
            arguments.at(index).toTensor().unsafeGetTensorImpl()->bump_version();
            tell(m_observer, [&] {
                return "increased the version of argument " + std::to_string(index) +
                       ", which the graph writes to";
            });
        }
        Values results = invoke(arguments);
        const std::size_t mutations = m_wrapper.mutations.size();
        const std::size_t expected = mutations + m_wrapper.outputs.size() + m_wrapper.numIntermediateBases;
        if (results.size() != expected) {
            fail("call.results", "The compiled function returns " + std::to_string(results.size()) +
                                     " values where its metadata counts " + std::to_string(expected) + ".");
        }
        for (std::size_t i = 0; i < mutations; ++i) {
            if (m_wrapper.mutations[i].epilogue != aot::MutationEpilogue::None) {
                writeBack(i, originals[m_placeOf[m_wrapper.mutations[i].input]], results[i].toTensor());
            }
        }
        if (m_wrapper.gradEnabledMutation) {
            c10::GradMode::set_enabled(*m_wrapper.gradEnabledMutation);
        }
        if (!m_anyAlias) {
            results.erase(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(mutations));
            results.resize(m_wrapper.outputs.size());
            return results;
        }
        Values outputs;
        outputs.reserve(m_wrapper.outputs.size());
        for (std::size_t i = 0; i < m_wrapper.outputs.size(); ++i) {
            outputs.push_back(output(i, results, mutations, originals));
        }
        if (m_wrapper.numIntermediateBases > 0) {
            tell(m_observer, [&] {
                return "dropped " + std::to_string(m_wrapper.numIntermediateBases) +
                       " intermediate results that were returned only as bases of outputs";
            });
        }
        return outputs;
    }

private:
    Values invoke(Values& arguments) {
        std::optional<c10::impl::ExcludeDispatchKeyGuard> noAutocast;
        if (m_wrapper.disableAmp) {
            noAutocast.emplace(c10::autocast_dispatch_keyset);
        }
        if (!m_wrapper.traceJoint) {
            const c10::AutoGradMode noGrad(false);
            return m_inner(arguments);
        }
        for (const std::size_t index : m_wrapper.indicesOfInpsToDetach) {
            if (arguments.at(index).isTensor()) {
                arguments[index] = arguments[index].toTensor().detach();
                tell(m_observer, [&] {
                    return "detached argument " + std::to_string(index) + ", which never gets a gradient";
                });
            }
        }
        // Autograd replays views and does not call as_strided, as PyTorch makes it do around a compiled call.
        c10::AutogradState& autograd = c10::AutogradState::get_tls_state();
        const auto restored = c10::make_scope_exit([&autograd, before = autograd.get_view_replay_enabled()] {
            autograd.set_view_replay_enabled(before);
        });
        autograd.set_view_replay_enabled(true);
        // Also under the caller's no_grad: the program may enable gradients inside.
        const c10::AutoGradMode grad(true);
        return m_inner(arguments);
    }

    void writeBack(std::size_t mutation, const at::Tensor& original, const at::Tensor& updated) {
        using aot::MutationEpilogue;
        const MutationEpilogue epilogue = m_wrapper.mutations[mutation].epilogue;
        tell(m_observer, [&] {
            return "wrote argument " + std::to_string(m_wrapper.mutations[mutation].input) + " back by " +
                   std::string(base::wordOf(epilogue));
        });
        if (epilogue == MutationEpilogue::Set) {
            const c10::AutoGradMode noGrad(false);
            if (mutation < m_shallowCopies.size() && m_shallowCopies[mutation]) {
                original.set_data(updated);
            } else {
                original.set_(updated);
            }
            return;
        }
        if (epilogue != MutationEpilogue::Copy && epilogue != MutationEpilogue::DetachedCopy) {
            original.as_strided_(updated.sizes(), updated.strides(), updated.storage_offset());
        }
        if (epilogue == MutationEpilogue::AsStrided) {
            return;
        }
        const bool isDetached = epilogue == MutationEpilogue::DetachedCopy ||
                                epilogue == MutationEpilogue::AsStridedAndDetachedCopy;
        if (isDetached && original.requires_grad()) {
            original.detach().copy_(updated);
        } else {
            original.copy_(updated);
        }
    }

    c10::IValue output(std::size_t index, const Values& results, std::size_t first,
                       const std::vector<at::Tensor>& originals) {
        const aot::OutputHandler& handler = m_wrapper.outputs[index];
        const c10::IValue& result = results[first + index];
        if (handler.handler == aot::AliasHandler::Noop) {
            return result;
        }
        if (handler.handler == aot::AliasHandler::IsInput) {
            tell(m_observer, [&] {
                return "returned argument " + std::to_string(*handler.baseIdx) + " itself as output " +
                       std::to_string(index);
            });
            return originals[m_placeOf[*handler.baseIdx]];
        }
        const bool ofInput = handler.handler == aot::AliasHandler::AliasOfInput;
        const std::size_t place = handler.baseIdx.value();
        const at::Tensor& base = ofInput ? originals[m_placeOf[place]] : results.at(first + place).toTensor();
        const std::string of =
            (ofInput                            ? "argument "
             : place < m_wrapper.outputs.size() ? "output "
                                                : "intermediate result ") +
            std::to_string(ofInput || place < m_wrapper.outputs.size() ? place
                                                                       : place - m_wrapper.outputs.size());
        tell(m_observer, [&] {
            return "made output " + std::to_string(index) + " again as a view of " + of +
                   (m_replays.at(index).replay ? " by the program's views" : " by as_strided");
        });
        return remade(index, of, base, result.toTensor());
    }

    /// What the graph returned has the numbers that the program's output has. Where the view that stands in
    /// for it has others, PyTorch's result is another than the program's.
    at::Tensor remade(std::size_t index, const std::string& of, const at::Tensor& base,
                      const at::Tensor& target) {
        const AliasRecipe& recipe = m_replays.at(index);
        const bool requiresGrad = m_wrapper.outputs[index].requiresGrad;
        if (m_observer == nullptr) {
            return aliasOf(base, target, requiresGrad, recipe);
        }
        const std::string output = "output " + std::to_string(index);
        const std::string how =
            !recipe.replay ? "as_strided"
            : recipe.replay->text().empty()
                ? "no view"
                : "the views that were recorded when it was traced (" + recipe.replay->text() + ")";
        try {
            at::Tensor alias = aliasOf(base, target, requiresGrad, recipe);
            if (contentsOf(alias) != contentsOf(target)) {
                m_observer->departed(output,
                                     "made " + output + " again from " + of + " by " + how +
                                         ", which there is another part of the memory than the graph "
                                         "computed: these are the wrong numbers",
                                     false);
            }
            return alias;
        } catch (const std::exception&) {
            const base::Error error = handledError("call.alias");
            m_observer->departed(output,
                                 "could not make " + output + " again from " + of + " by " + how + ": " +
                                     firstLine(error.message),
                                 true);
            throw;
        }
    }

    aot::RuntimeWrapper m_wrapper;
    OutputReplays m_replays;
    std::vector<bool> m_shallowCopies;
    CallObserver* m_observer;
    BoxedCall m_inner;
    /// Arguments that are needed after the call, and for each argument its place among these.
    std::vector<std::size_t> m_needed;
    std::vector<std::size_t> m_placeOf;
    bool m_anyAlias = false;
};

} // namespace

BoxedCall runtimeCall(const aot::RuntimeWrapper& wrapper, OutputReplays replays,
                      std::vector<bool> shallowCopies, CallObserver* observer, BoxedCall inner) {
    return RuntimeCall(wrapper, std::move(replays), std::move(shallowCopies), observer, std::move(inner));
}

} // namespace aotscope::torch

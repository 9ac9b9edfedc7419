#include "stepping/caller_state.h"

#include "stepping/generator_state.h"
#include "wrappers/written_inputs.h"

#include <c10/core/GradMode.h>

#include <utility>

namespace aotscope::torch {

namespace {

/// Tensors to restore, and which of them may be written to.
using Tensors = std::pair<std::vector<at::Tensor>, std::vector<bool>>;

/// The arguments, what they are views of, and the leaves.
Tensors allOf(const CallerTensors& callers, const std::vector<bool>& written) {
    Tensors all;
    const auto add = [&](const at::Tensor& tensor, bool mayBeWritten) {
        all.first.push_back(tensor);
        all.second.push_back(mayBeWritten);
    };
    for (std::size_t i = 0; i < callers.arguments.size(); ++i) {
        const bool mayBeWritten = written[i] || callers.writesBetweenCalls;
        const at::Tensor& argument = callers.arguments[i];
        if (!argument.defined()) {
            continue;
        }
        add(argument, mayBeWritten);
        if (argument.is_view()) {
            add(at::Tensor(argument._base()), mayBeWritten);
        }
    }
    for (const at::Tensor& leaf : callers.leaves) {
        add(leaf, callers.writesBetweenCalls);
    }
    return all;
}

} // namespace

CallerState::CallerState(const CallerTensors& tensors, const aot::CompiledFunction& function)
    : CallerState(allOf(tensors, writtenArguments(function, tensors.arguments.size()))) {}

CallerState::CallerState(const std::pair<std::vector<at::Tensor>, std::vector<bool>>& tensors)
    : m_tensors(tensors.first, tensors.second),
      m_generator(generatorState()),
      m_gradMode(c10::GradMode::is_enabled()) {
    for (const at::Tensor& tensor : tensors.first) {
        if (tensor.has_storage()) {
            m_storages.insert(tensor.storage().unsafeGetStorageImpl());
        }
    }
}

void CallerState::restore() const {
    m_tensors.restore();
    setGeneratorState(m_generator);
    c10::GradMode::set_enabled(m_gradMode);
}

} // namespace aotscope::torch

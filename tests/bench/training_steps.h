#pragma once

#include "wrappers/compose.h"

#include "contract/backend.h"

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Training steps of a logged program with plain SGD, through its compiled function and autograd. The
/// numbers that it begins with are those of bench_runtime.py, so that both sides have the same losses.
class TrainingSteps {
public:
    TrainingSteps(session::Backend& backend, const std::filesystem::path& log);
    TrainingSteps(const TrainingSteps&) = delete;
    TrainingSteps& operator=(const TrainingSteps&) = delete;

    /// A line of JSON: the nanoseconds of processor time and of wall time of five steps, the processor time
    /// of five with an observer that does nothing, and the first five's losses.
    [[nodiscard]] std::string measure();

private:
    [[nodiscard]] double step(ComposedCall& composed);
    void begin();

    aot::CompiledFunction m_function;
    std::vector<bool> m_requiresGrad;
    std::vector<at::Tensor> m_arguments;
    ComposedCall m_wrapped;
    ComposedCall m_observed;
    bool m_observedFirst = false;
};

} // namespace aotscope::torch

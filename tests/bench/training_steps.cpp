#include "training_steps.h"

#include "idle_observer.h"
#include "largest_program.h"

#include "dispatch/dtypes.h"
#include "wrappers/call_function.h"

#include "aot/compile.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

namespace aotscope::torch {

namespace {

constexpr int steps = 5;
constexpr double rate = 0.01;

/// Of all threads of this process; other programs do not count.
double processorNanoseconds() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

std::vector<std::int64_t> numbers(const ir::SymInts& sizes) {
    std::vector<std::int64_t> made;
    for (const ir::SymInt& size : sizes) {
        if (size.isSymbolic()) {
            throw std::runtime_error("a size of an input is not known");
        }
        made.push_back(size.integer());
    }
    return made;
}

/// The numbers of `initial` in bench_runtime.py.
void fill(const at::Tensor& tensor, std::size_t position) {
    const at::Tensor count = at::arange(tensor.numel(), at::kDouble).view(tensor.sizes());
    if (!tensor.is_floating_point()) {
        tensor.copy_(tensor.scalar_type() == at::kBool ? count.ge(0) : count.remainder(7));
        return;
    }
    const at::Tensor wave = count.mul(0.7).add(static_cast<double>(position)).sin();
    const double summands =
        tensor.dim() < 2 ? 1 : static_cast<double>(tensor.numel()) / static_cast<double>(tensor.size(0));
    tensor.copy_(tensor.dim() < 2 ? wave.mul(0.1).add(1) : wave.div(std::sqrt(summands)));
}

aot::CompiledFunction compiled(session::Backend& backend, const aot::RetraceRequest& request) {
    const aot::CompiledFunction traced =
        bench::orStop(backend.answer(session::RetraceCall{request})).function;
    return bench::orStop(aot::compile(traced, aot::ownChoices(traced)));
}

IdleObserver& idle() {
    static IdleObserver observer;
    return observer;
}

} // namespace

TrainingSteps::TrainingSteps(session::Backend& backend, const std::filesystem::path& log) {
    at::set_num_threads(1);
    const aot::RetraceRequest request = bench::largestProgram(log);
    m_function = compiled(backend, request);
    std::vector<std::string> names;
    const std::vector<ir::NodeId> placeholders = request.program->placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const ir::Node& node = request.program->node(placeholders[i]);
        const ir::TensorMeta* meta = ir::asTensor(node.value);
        if (meta == nullptr || !meta->stride) {
            throw std::runtime_error(node.name + " is not a tensor of known strides");
        }
        names.push_back(node.name);
        m_requiresGrad.push_back(request.inputs.at(i).requiresGrad);
        m_arguments.push_back(at::empty_strided(numbers(meta->shape), numbers(*meta->stride),
                                                at::TensorOptions(scalarType(meta->dtype).value())));
    }
    m_wrapped = composeCall(m_function, names, {}, nullptr);
    m_observed = composeCall(m_function, names, {}, &idle());
}

void TrainingSteps::begin() {
    const c10::AutoGradMode noGrad(false);
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        at::Tensor& argument = m_arguments[i];
        argument = argument.detach();
        fill(argument, i);
        argument.set_requires_grad(m_requiresGrad[i]);
    }
}

double TrainingSteps::step(ComposedCall& composed) {
    Values arguments(m_arguments.begin(), m_arguments.end());
    const Values outputs = composed.call(arguments);
    const at::Tensor loss = lossOf(outputs);
    ::torch::autograd::backward({loss}, {});
    const c10::AutoGradMode noGrad(false);
    for (at::Tensor& argument : m_arguments) {
        if (argument.grad().defined()) {
            argument.sub_(argument.grad().mul(rate));
            argument.mutable_grad().reset();
        }
    }
    return loss.item().toDouble();
}

std::string TrainingSteps::measure() {
    const auto timed = [this](ComposedCall& composed, std::string* losses) {
        begin();
        const double start = processorNanoseconds();
        for (int i = 0; i < steps; ++i) {
            const double loss = step(composed);
            if (losses != nullptr) {
                *losses += (losses->empty() ? "" : ", ") + std::to_string(loss);
            }
        }
        return processorNanoseconds() - start;
    };
    // Who goes first changes from round to round: the second finds a warm processor.
    m_observedFirst = !m_observedFirst;
    double observed = m_observedFirst ? timed(m_observed, nullptr) : 0;
    std::string losses;
    const auto start = std::chrono::steady_clock::now();
    const double through = timed(m_wrapped, &losses);
    const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
    observed = m_observedFirst ? observed : timed(m_observed, nullptr);
    return "{\"ns\": " + std::to_string(through) + ", \"wall_ns\": " + std::to_string(wall.count()) +
           ", \"observed_ns\": " + std::to_string(observed) + ", \"losses\": [" + losses + "]}";
}

} // namespace aotscope::torch

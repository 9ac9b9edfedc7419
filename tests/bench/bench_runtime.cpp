// What the runtime wrappers add to a call: functions of 1, 10 and 100 inputs whose graphs do nothing but
// return results made before; then training steps of the logs that are its arguments. Measures one round of a
// case per line that it reads, so that bench_runtime.py can measure PyTorch in turns with it.
#include "idle_observer.h"
#include "training_steps.h"

#include "backend/make_backend.h"
#include "wrappers/compose.h"

#include "aot/compile.h"
#include "contract/backend.h"
#include "ir/text/parser.h"

#include <ATen/ops/ones.h>

#include <torch/csrc/autograd/autograd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::torch {

namespace {

/// Runs the graph once, and then returns its results again.
BoxedCall withoutWork(BoxedCall graph) {
    return [graph = std::move(graph), made = Values()](Values& arguments) mutable {
        if (made.empty()) {
            made = graph(arguments);
        }
        arguments.clear();
        Values results;
        results.reserve(made.size());
        for (const c10::IValue& result : made) {
            if (result.isTensor()) {
                results.emplace_back(result.toTensor().detach());
            } else {
                results.push_back(result);
            }
        }
        return results;
    };
}

aot::CompiledFunction compiled(session::Backend& backend, int inputs, bool grad) {
    std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self";
    std::string body = "        sum_0 = x0.sin()\n";
    for (int i = 0; i < inputs; ++i) {
        text += ", x" + std::to_string(i) + ": \"f32[4][1]cpu\"";
        if (i > 0) {
            body += "        sum_" + std::to_string(i) + " = sum_" + std::to_string(i - 1) + " + x" +
                    std::to_string(i) + "\n";
        }
    }
    text += "):\n" + body + "        return (sum_" + std::to_string(inputs - 1) + ",)\n";
    const auto program = ir::parseGraphText(text);
    if (!program) {
        throw std::runtime_error(program.error().text());
    }
    aot::RetraceRequest request;
    request.program = *program;
    request.inputs.resize(static_cast<std::size_t>(inputs));
    for (aot::RetraceInput& input : request.inputs) {
        input.requiresGrad = grad;
    }
    auto traced = backend.answer(session::RetraceCall{request});
    if (!traced) {
        throw std::runtime_error(traced.error().text());
    }
    auto split = aot::compile(traced->function, aot::ownChoices(traced->function));
    if (!split) {
        throw std::runtime_error(split.error().text());
    }
    return std::move(split).value();
}

/// Nanoseconds of one call.
double timed(const BoxedCall& call, const Values& arguments) {
    constexpr int calls = 2000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
        Values list = arguments;
        (void)call(list);
    }
    const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
    return elapsed.count() / calls;
}

/// A function that can be called through its wrappers, with and without an observer, and without wrappers.
class Case {
public:
    Case(session::Backend& backend, int inputs, bool grad)
        : m_function(compiled(backend, inputs, grad)),
          m_alone(withoutWork(graphCall(m_function.forward(), false, std::make_shared<GraphSettings>()))) {
        const GraphCompiler noWork = [](ir::GraphPtr graph, bool backward, auto settings) {
            return withoutWork(graphCall(std::move(graph), backward, std::move(settings)));
        };
        std::vector<std::string> names;
        for (int i = 0; i < inputs; ++i) {
            at::Tensor input = at::ones({4});
            input.set_requires_grad(grad);
            m_arguments.emplace_back(input);
            names.push_back("x" + std::to_string(i));
        }
        m_wrapped = composeCall(m_function, names, {}, nullptr, noWork);
        m_observed = composeCall(m_function, names, {}, &m_observer, noWork);
    }

    /// A line of JSON: one round.
    std::string measure() {
        const double through = timed(m_wrapped.call, m_arguments);
        const double observed = timed(m_observed.call, m_arguments);
        const double direct = timed(m_alone, m_arguments);
        return "{\"ns\": " + std::to_string(through) + ", \"observed_ns\": " + std::to_string(observed) +
               ", \"direct_ns\": " + std::to_string(direct) + "}";
    }

private:
    IdleObserver m_observer;
    aot::CompiledFunction m_function;
    BoxedCall m_alone;
    Values m_arguments;
    ComposedCall m_wrapped;
    ComposedCall m_observed;
};

} // namespace

int measure(const std::vector<std::string>& logs) {
    const std::unique_ptr<session::Backend> backend(aotscopeMakeTorchBackend());
    // In the order of bench_runtime.py's CASES.
    std::vector<std::unique_ptr<Case>> cases;
    for (const bool grad : {false, true}) {
        for (const int inputs : {1, 10, 100}) {
            cases.push_back(std::make_unique<Case>(*backend, inputs, grad));
        }
    }
    std::vector<std::unique_ptr<TrainingSteps>> trainings;
    for (const std::string& log : logs) {
        trainings.push_back(std::make_unique<TrainingSteps>(*backend, log));
    }
    std::cout << "ready" << std::endl;
    for (std::size_t chosen = 0; std::cin >> chosen && chosen < cases.size() + trainings.size();) {
        std::cout << (chosen < cases.size() ? cases[chosen]->measure()
                                            : trainings[chosen - cases.size()]->measure())
                  << std::endl;
    }
    return 0;
}

} // namespace aotscope::torch

int main(int argc, char** argv) {
    return aotscope::torch::measure({argv + 1, argv + argc});
}

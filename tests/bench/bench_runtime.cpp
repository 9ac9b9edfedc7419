// What the runtime wrappers add to a call: functions of 1, 10 and 100 inputs whose graphs do nothing but
// return results made before. Prints one line of JSON; bench_runtime.py measures PyTorch's own wrappers
// beside it.
#include "backend/make_backend.h"
#include "wrappers/compose.h"

#include "aot/pipeline.h"
#include "ir/text/parser.h"
#include "session/backend.h"

#include <ATen/ops/ones.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::torch {

namespace {

/// Runs the graph once, and then returns its results again.
class NoWork final : public BoxedCall {
public:
    explicit NoWork(BoxedCallPtr graph) : m_graph(std::move(graph)) {}

    Values call(Values& arguments) override {
        if (m_results.empty()) {
            m_results = m_graph->call(arguments);
        }
        arguments.clear();
        Values results;
        results.reserve(m_results.size());
        for (const c10::IValue& result : m_results) {
            if (result.isTensor()) {
                results.emplace_back(result.toTensor().detach());
            } else {
                results.push_back(result);
            }
        }
        return results;
    }

private:
    BoxedCallPtr m_graph;
    Values m_results;
};

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
    auto traced = backend.retrace(request, {}, {});
    if (!traced) {
        throw std::runtime_error(traced.error().text());
    }
    if (!traced->joint) {
        return *traced;
    }
    auto split = aot::partitionPipeline({.partition = passes::PartitionOptions()}).run(*traced);
    if (!split) {
        throw std::runtime_error(split.error().text());
    }
    return std::move(split).value();
}

/// Nanoseconds of one call, the best of several rounds.
double timed(BoxedCall& call, const Values& arguments) {
    constexpr int rounds = 15;
    constexpr int calls = 2000;
    double best = 1e300;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) {
            Values list = arguments;
            (void)call.call(list);
        }
        const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
        best = std::min(best, elapsed.count() / calls);
    }
    return best;
}

} // namespace

int measure() {
    const std::unique_ptr<session::Backend> backend(aotscopeMakeTorchBackend());
    std::string json;
    for (const bool grad : {false, true}) {
        for (const int inputs : {1, 10, 100}) {
            const aot::CompiledFunction function = compiled(*backend, inputs, grad);
            const GraphCompiler noWork = [](ir::GraphPtr graph, bool backward, auto settings) {
                return std::make_unique<NoWork>(
                    std::make_unique<GraphCall>(std::move(graph), backward, std::move(settings)));
            };
            Values arguments;
            std::vector<std::string> names;
            for (int i = 0; i < inputs; ++i) {
                at::Tensor input = at::ones({4});
                input.set_requires_grad(grad);
                arguments.emplace_back(input);
                names.push_back("x" + std::to_string(i));
            }
            const ComposedCall wrapped = composeCall(function, names, {}, nullptr, noWork);
            NoWork alone(
                std::make_unique<GraphCall>(function.forward(), false, std::make_shared<GraphSettings>()));
            const double through = timed(*wrapped.call, arguments);
            const double direct = timed(alone, arguments);
            json += (json.empty() ? "" : ", ") + std::string("{\"inputs\": ") + std::to_string(inputs) +
                    ", \"grad\": " + (grad ? "true" : "false") + ", \"ns\": " + std::to_string(through) +
                    ", \"direct_ns\": " + std::to_string(direct) + "}";
        }
    }
    std::cout << "[" << json << "]\n";
    return 0;
}

} // namespace aotscope::torch

int main() {
    return aotscope::torch::measure();
}

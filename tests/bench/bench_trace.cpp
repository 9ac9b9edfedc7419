// Traces one program repeatedly and prints one line of JSON. bench_trace LOG [RUNS]: the largest Dynamo graph
// of a log; bench_trace --layers N [RUNS]: a generated one. Use one process per program, because peak memory
// counts per process.
#include "largest_program.h"
#include "torch_module.h"

#include "aot/versions/versions.h"

#include "ir/text/parser.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace aotscope;
using bench::orStop;

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of all threads of this process; other programs do not count.
double cpuSeconds() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// A line of /proc/self/status in KiB: "VmRSS:", "VmHWM:".
std::uint64_t statusKib(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == name) {
            std::uint64_t kib = 0;
            status >> kib;
            return kib;
        }
    }
    return 0;
}

/// Layers of a residual MLP with norm and activation, as Dynamo prints them. Every weight is a parameter.
aot::RetraceRequest madeUp(std::size_t layers) {
    std::string parameters = "L_x_: \"f32[4, 8, 16][128, 16, 1]cpu\"";
    std::string body;
    std::string x = "L_x_";
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        parameters += ", L_g" + n + "_: \"f32[16][1]cpu\", L_h" + n + "_: \"f32[16][1]cpu\", L_w" + n +
                      "_: \"f32[16, 16][16, 1]cpu\", L_b" + n + "_: \"f32[16][1]cpu\"";
        const auto line = [&](const std::string& name, const std::string& call) {
            body += "        " + name + ": \"f32[4, 8, 16][128, 16, 1]cpu\" = " + call + "\n";
        };
        line("norm_" + n,
             "torch.nn.functional.layer_norm(" + x + ", (16,), L_g" + n + "_, L_h" + n + "_, 1e-05)");
        line("linear_" + n, "torch._C._nn.linear(norm_" + n + ", L_w" + n + "_, L_b" + n + "_)");
        line("gelu_" + n, "torch._C._nn.gelu(linear_" + n + ")");
        line("add_" + n, x + " + gelu_" + n);
        x = "add_" + n;
    }
    aot::RetraceRequest request;
    request.program =
        orStop(ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, " + parameters +
                                  "):\n" + body + "        return (" + x + ",)\n"));
    request.inputs.resize(4 * layers + 1);
    for (aot::RetraceInput& input : request.inputs) {
        const bool isParameter = &input != &request.inputs.front();
        input.requiresGrad = input.isParameter = input.isStatic = isParameter;
    }
    return request;
}

std::string listOf(const std::vector<double>& seconds) {
    std::string text;
    for (const double second : seconds) {
        text += (text.empty() ? "[" : ", ") + std::to_string(second);
    }
    return text + "]";
}

/// The longest time until a canceled trace returns, over nine points of the trace.
double slowestCancel(session::Backend& backend, const aot::RetraceRequest& request, double seconds) {
    double slowest = 0;
    for (int tenth = 1; tenth < 10; ++tenth) {
        std::stop_source stop;
        double stopped = 0;
        std::jthread canceler([&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds * tenth / 10));
            stopped = wallSeconds();
            stop.request_stop();
        });
        const bool wasStopped =
            !backend.answer(session::RetraceCall{request}, base::Progress({}, stop.get_token())).ok();
        const double answered = wallSeconds();
        canceler.join();
        slowest = wasStopped ? std::max(slowest, answered - stopped) : slowest;
    }
    return slowest;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const bool isMadeUp = !arguments.empty() && arguments[0] == "--layers";
    const std::size_t given = isMadeUp ? 2 : 1;
    if (arguments.size() < given) {
        std::cerr << "usage: bench_trace LOG [RUNS] | bench_trace --layers N [RUNS]\n";
        return 2;
    }
    const int runs = arguments.size() > given ? std::stoi(arguments[given]) : 5;
    const aot::RetraceRequest request =
        isMadeUp ? madeUp(std::stoul(arguments[1])) : bench::largestProgram(arguments[0]);
    const double beforeModule = wallSeconds();
    const std::unique_ptr<session::Backend> backend = orStop(app::torchBackendFactory()());
    const double moduleSeconds = wallSeconds() - beforeModule;
    const std::uint64_t before = statusKib("VmRSS:");
    // The first fills LibTorch's tables; it is told apart.
    std::vector<double> wall;
    std::vector<double> cpu;
    std::size_t nodes = 0;
    for (int run = 0; run <= runs; ++run) {
        const double wallStart = wallSeconds();
        const double cpuStart = cpuSeconds();
        nodes = orStop(backend->answer(session::RetraceCall{request})).function.graph->size();
        wall.push_back(wallSeconds() - wallStart);
        cpu.push_back(cpuSeconds() - cpuStart);
    }
    const double firstSeconds = wall.front();
    wall.erase(wall.begin());
    cpu.erase(cpu.begin());
    const std::uint64_t peak = statusKib("VmHWM:");
    const double cancelSeconds = slowestCancel(*backend, request, *std::ranges::min_element(wall));
    std::cout << "{\"program_nodes\": " << request.program->size() << ", \"nodes\": " << nodes
              << ", \"rules\": \"" << aot::torchVersionText(aot::rulesVersion(request.torch))
              << "\", \"backend\": \"" << backend->description()
              << "\", \"module_seconds\": " << moduleSeconds << ", \"first_seconds\": " << firstSeconds
              << ", \"seconds\": " << listOf(wall) << ", \"cpu_seconds\": " << listOf(cpu)
              << ", \"cancel_seconds\": " << cancelSeconds << ", \"before_kib\": " << before
              << ", \"peak_kib\": " << peak << "}\n";
    return 0;
}

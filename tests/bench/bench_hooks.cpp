// Inlines the library's fp8_e4m3_row for every tensor that the largest program of a log saves, and prints one
// line of JSON: bench_hooks LOG. Each time with nothing traced before.
#include "largest_program.h"
#include "torch_module.h"

#include "hooks/hook_library.h"
#include "hooks/inline_plan.h"

#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace aotscope;
using bench::orStop;

constexpr const char* hook = "fp8_e4m3_row for any dtype";
constexpr int runs = 7;

/// The library's text, without the dtypes that it is made for: torch applies hooks to all tensors.
std::string hookText() {
    std::string text(hooks::tryLibraryHook("fp8_e4m3_row")->text);
    const std::size_t line = text.find("# dtypes");
    return text.erase(line, text.find('\n', line) + 1 - line);
}

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpuSeconds() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string listOf(const std::vector<double>& seconds) {
    std::string text;
    for (const double second : seconds) {
        text += (text.empty() ? "[" : ", ") + std::to_string(second);
    }
    return text + "]";
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: bench_hooks LOG\n";
        return 2;
    }
    const aot::RetraceRequest request = bench::largestProgram(argv[1]);
    const auto backend = orStop(app::torchBackendFactory()());
    const aot::CompiledFunction traced = orStop(backend->answer(session::RetraceCall{request})).function;
    passes::PartitionOptions options;
    options.staticInputs = traced.metadata.staticInputIndices;
    const passes::Partition partition = orStop(passes::partitionJointGraph(traced.graph, options));
    const hooks::HookPlan plan{.rules = {{"", hook}}, .own = {{hook, hookText()}}};
    std::map<std::string, std::string> hookOf;
    for (const std::string& saved : partition.savedTensors) {
        hookOf.emplace(saved, hook);
    }
    std::vector<double> wall;
    std::vector<double> cpu;
    for (int run = 0; run < runs; ++run) {
        hooks::HookMemo memo;
        const double began = wallSeconds();
        const double beganCpu = cpuSeconds();
        const hooks::InlinedPlan made = orStop(
            hooks::inlinePlan(partition, {.plan = plan,
                                          .hookOf = hookOf,
                                          .filter = passes::HookFilter::All,
                                          .staticInputs = options.staticInputs,
                                          .function = traced,
                                          .logged = {},
                                          .trace =
                                              [&](const aot::RetraceRequest& hookRequest) {
                                                  return backend->answer(session::RetraceCall{hookRequest});
                                              },
                                          .memo = memo}));
        wall.push_back(wallSeconds() - began);
        cpu.push_back(cpuSeconds() - beganCpu);
        if (made.partition.hooks.size() != partition.savedTensors.size()) {
            std::cerr << "Only " << made.partition.hooks.size() << " hooks were inlined.\n";
            return 1;
        }
    }
    std::cout << "{\"saved\": " << partition.savedTensors.size() << ", \"nodes\": " << traced.graph->size()
              << ", \"seconds\": " << listOf(wall) << ", \"cpu_seconds\": " << listOf(cpu) << "}\n";
    return 0;
}

// Times the fused kernels of graphs, one line of JSON for each graph: bench_kernels cpu|cuda REPEATS GRAPH….
// On a GPU NVRTC compiles them and a device-to-device copy is timed in the same run; on the CPU this
// machine's compiler does, and the copy is memcpy. bench_kernels.py runs the same graphs with PyTorch.
#include "kernel_runs.h"

#include "ir/text/parser.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace aotscope;

std::string listOf(const std::vector<double>& seconds) {
    std::string text;
    for (const double second : seconds) {
        text += (text.empty() ? "[" : ", ") + std::to_string(second);
    }
    return text + "]";
}

std::string textOf(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Bytes that the kernels read and write, and those of the largest tensor.
struct Moved {
    double bytes = 0;
    std::int64_t largest = 0;
};

Moved movedBy(const kernels::FusionPlan& plan) {
    Moved moved;
    for (const kernels::FusionGroup& group : plan.groups) {
        for (const kernels::KernelParameter& parameter : group.kernel.parameters) {
            const auto bytes =
                parameter.reach() * static_cast<std::int64_t>(ir::dtypeBytes(parameter.layout.dtype));
            moved.bytes += static_cast<double>(bytes);
            moved.largest = std::max(moved.largest, bytes);
        }
    }
    return moved;
}

base::Result<std::string> measure(bench::KernelRuns& runs, const char* path, int repeats) {
    const auto graph = ir::parseGraphText(textOf(path));
    if (!graph) {
        return graph.error();
    }
    const kernels::FusionPlan plan = kernels::planFusion(**graph);
    const Moved moved = movedBy(plan);
    const auto times = runs.run(plan, repeats);
    if (!times) {
        return times.error();
    }
    const auto copy = runs.copyBandwidth(moved.largest);
    if (!copy) {
        return copy.error();
    }
    return "{\"kernels\": " + std::to_string(plan.groups.size()) +
           ", \"bytes\": " + std::to_string(moved.bytes) + ", \"largest\": " + std::to_string(moved.largest) +
           ", \"seconds\": " + listOf(times->seconds) +
           ", \"edit_seconds\": " + std::to_string(times->compileSeconds + times->seconds.front()) +
           ", \"copy_bytes_per_second\": " + std::to_string(*copy) + "}";
}

} // namespace

int main(int argc, char** argv) {
    constexpr int firstGraph = 3;
    const std::string device = argc > 1 ? argv[1] : "";
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 0;
    if (argc <= firstGraph || repeats < 1 || (device != "cpu" && device != "cuda")) {
        std::cerr << "usage: bench_kernels cpu|cuda REPEATS GRAPH...\n";
        return 2;
    }
    const auto runs = device == "cpu" ? bench::hostRuns() : bench::gpuRuns();
    if (!runs) {
        std::cerr << runs.error().text() << "\n";
        return 1;
    }
    for (int i = firstGraph; i < argc; ++i) {
        const auto line = measure(**runs, argv[i], repeats);
        if (!line) {
            std::cerr << argv[i] << ": " << line.error().text() << "\n";
            return 1;
        }
        std::cout << *line << std::endl;
    }
    return 0;
}

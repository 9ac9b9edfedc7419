// Measures the speed of parsing the text of large graphs: bench_parse [--json [OUT.json]] [FILE…]. Without
// files: the largest graphs of the shared corpus, or a generated one without a corpus.
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include "support/log_payloads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Processor time of this thread. Parsing is single-threaded and never waits, and other programs should not
/// count.
double processorSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Input {
    std::string name;
    std::string text;
};

struct Measured {
    std::string name;
    std::size_t bytes = 0;
    std::size_t nodes = 0;
    int runs = 0;
    double bestSeconds = 0;
    double medianSeconds = 0;
    double printSeconds = 0;
};

/// A chain of calls in the form of a joint graph.
Input madeUpGraph() {
    std::string text =
        "class inner_f(torch.nn.Module):\n    def forward(self, v0: \"f32[8, 64, 128][8192, 128, "
        "1]cpu\"):\n        # No stacktrace found for following nodes\n";
    for (int i = 1; i <= 20'000; ++i) {
        const std::string last = "v" + std::to_string(i - 1);
        text += "        v" + std::to_string(i) +
                ": \"f32[8, 64, 128][8192, 128, 1]cpu\" = " + "torch.ops.aten.add.Tensor(" + last +
                ", 1.5);  " + last + " = None\n";
    }
    return {"made up, 20,000 nodes", text + "        return (v20000,)\n"};
}

std::vector<Input> corpusGraphs() {
    constexpr std::size_t large = 1'000'000;
    std::vector<Input> inputs;
    for (const auto& log : aotscope::test::corpusLogs()) {
        if (log.filename().string().find("huge_transformer") == std::string::npos) {
            continue;
        }
        aotscope::test::forEachPayload(log, [&](const aotscope::test::LogPayload& payload) {
            if (payload.text.size() >= large && aotscope::ir::looksLikeGraphText(payload.text)) {
                inputs.push_back({payload.kind, payload.text});
            }
        });
    }
    return inputs;
}

double secondsOf(const auto& work) {
    const double start = processorSeconds();
    work();
    return processorSeconds() - start;
}

/// At least ten runs and half a second.
Measured measure(const Input& input) {
    Measured result;
    result.name = input.name;
    result.bytes = input.text.size();
    std::vector<double> times;
    aotscope::ir::GraphPtr graph;
    for (double total = 0; total < 0.5 || times.size() < 10;) {
        graph.reset();
        times.push_back(secondsOf([&] {
            const auto parsed = aotscope::ir::parseGraphText(input.text);
            if (!parsed) {
                std::cerr << input.name << ": " << parsed.error().text() << '\n';
                std::exit(1);
            }
            graph = *parsed;
        }));
        total += times.back();
    }
    std::sort(times.begin(), times.end());
    result.runs = static_cast<int>(times.size());
    result.bestSeconds = times.front();
    result.medianSeconds = times[times.size() / 2];
    result.nodes = graph->size();
    result.printSeconds = secondsOf([&] { (void)aotscope::ir::printGraph(*graph); });
    return result;
}

void printTable(const std::vector<Measured>& results) {
    std::printf("%-28s %9s %8s %10s %12s %12s %12s\n", "graph", "MB", "nodes", "MB/s best", "MB/s median",
                "nodes/s", "print MB/s");
    for (const Measured& row : results) {
        const double megabytes = static_cast<double>(row.bytes) / 1e6;
        std::printf("%-28s %9.2f %8zu %10.1f %12.1f %12.0f %12.1f\n", row.name.c_str(), megabytes, row.nodes,
                    megabytes / row.bestSeconds, megabytes / row.medianSeconds,
                    static_cast<double>(row.nodes) / row.medianSeconds, megabytes / row.printSeconds);
    }
}

std::string jsonOf(const std::vector<Measured>& results) {
    std::string out = "{\"benchmark\": \"parse\", \"graphs\": [";
    for (const Measured& row : results) {
        const double megabytes = static_cast<double>(row.bytes) / 1e6;
        const auto field = [&out](const char* key, double value) {
            out.append(", \"").append(key).append("\": ").append(std::to_string(value));
        };
        out += &row == results.data() ? "\n" : ",\n";
        out.append("  {\"graph\": \"").append(row.name).append("\"");
        field("bytes", static_cast<double>(row.bytes));
        field("nodes", static_cast<double>(row.nodes));
        field("runs", row.runs);
        field("mb_per_second_best", megabytes / row.bestSeconds);
        field("mb_per_second_median", megabytes / row.medianSeconds);
        field("nodes_per_second_median", static_cast<double>(row.nodes) / row.medianSeconds);
        field("print_mb_per_second", megabytes / row.printSeconds);
        out += '}';
    }
    return out + "\n]}\n";
}

} // namespace

int main(int argc, char** argv) {
    bool json = false;
    std::string jsonFile;
    std::vector<Input> inputs;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json") {
            json = true;
            if (i + 1 < argc && std::string_view(argv[i + 1]).ends_with(".json")) {
                jsonFile = argv[++i];
            }
        } else {
            inputs.push_back({argv[i], aotscope::test::readPlainOrXz(argv[i])});
        }
    }
    if (inputs.empty() && std::filesystem::exists(aotscope::test::corpusDir())) {
        inputs = corpusGraphs();
    }
    if (inputs.empty()) {
        inputs.push_back(madeUpGraph());
    }
    std::vector<Measured> results;
    for (const Input& input : inputs) {
        results.push_back(measure(input));
    }
    if (!json || !jsonFile.empty()) {
        printTable(results);
    } else {
        std::cout << jsonOf(results);
    }
    if (!jsonFile.empty() && !(std::ofstream(jsonFile) << jsonOf(results))) {
        std::cerr << "The file " << jsonFile << " cannot be written.\n";
        return 1;
    }
    return 0;
}

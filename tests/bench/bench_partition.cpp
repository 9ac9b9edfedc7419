// Measures the speed of partitioning joint graphs: bench_partition [--json OUT.json]. Golden graphs of the
// shared corpus, and generated ones of 1,000 to 100,000 nodes to show growth.
#include "passes/partition.h"

#include "../ir/golden.h"
#include "ir/json/graph_json.h"
#include "made_up_joint.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace aotscope;

struct Input {
    std::string name;
    ir::GraphPtr joint;
    passes::PartitionOptions options;
};

struct Measured {
    std::string name;
    std::string partitioner;
    std::size_t nodes = 0;
    double bestSeconds = 0;
    double medianSeconds = 0;
};

std::vector<Input> inputs() {
    std::vector<Input> found;
    if (!test::corpusMissing()) {
        for (const char* name :
             {"mlp_sgd.json", "resnet18.json.xz", "gpt2_12l.json.xz", "huge_transformer.json.xz"}) {
            const auto json = nlohmann::json::parse(test::readPlainOrXz(test::corpusDir() / "golden" / name),
                                                    nullptr, false);
            const auto& unit = json["units"][0];
            const auto graph = ir::graphFromJson(unit["joint"].dump());
            if (!graph) {
                std::cerr << name << ": " << graph.error().text() << '\n';
                std::exit(1);
            }
            Input input{std::string(name).substr(0, std::string_view(name).find('.')), *graph, {}};
            const auto& golden = unit["partitions"]["min_cut"];
            input.options.forwardOutputs = golden["num_fwd_outputs"].get<std::size_t>();
            input.options.staticInputs =
                golden["static_lifetime_input_indices"].get<std::vector<std::size_t>>();
            found.push_back(std::move(input));
        }
    }
    for (const std::size_t nodes : {1'000, 2'000, 10'000, 50'000, 100'000}) {
        found.push_back({"made up, " + std::to_string(nodes), test::madeUpJoint(nodes), {}});
    }
    return found;
}

/// At least five runs and half a second.
Measured measure(const Input& input, passes::Partitioner partitioner) {
    passes::PartitionOptions options = input.options;
    options.partitioner = partitioner;
    std::vector<double> times;
    for (double total = 0; total < 0.5 || times.size() < 5;) {
        const auto start = std::chrono::steady_clock::now();
        const auto made = passes::partitionJointGraph(input.joint, options);
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        total += times.back();
        if (!made) {
            std::cerr << input.name << ": " << made.error().text() << '\n';
            std::exit(1);
        }
    }
    std::sort(times.begin(), times.end());
    return {input.name, partitioner == passes::Partitioner::Default ? "default" : "min-cut",
            input.joint->size(), times.front(), times[times.size() / 2]};
}

std::string jsonOf(const std::vector<Measured>& rows) {
    std::string out = "{\"benchmark\": \"partition\", \"graphs\": [";
    for (const Measured& row : rows) {
        out += (out.back() == '[' ? "" : ", ");
        out += "{\"name\": \"" + row.name + "\", \"partitioner\": \"" + row.partitioner +
               "\", \"nodes\": " + std::to_string(row.nodes) +
               ", \"best_seconds\": " + std::to_string(row.bestSeconds) +
               ", \"median_seconds\": " + std::to_string(row.medianSeconds) + "}";
    }
    return out + "]}\n";
}

} // namespace

int main(int argc, char** argv) {
    std::vector<Measured> rows;
    std::printf("%-24s %-10s %8s %10s %10s %9s\n", "graph", "partition", "nodes", "best ms", "median ms",
                "us/node");
    for (const Input& input : inputs()) {
        for (const auto partitioner : {passes::Partitioner::MinCut, passes::Partitioner::Default}) {
            // Without tags the made-up graphs have no place where the forward ends.
            if (partitioner == passes::Partitioner::Default && input.name.starts_with("made up")) {
                continue;
            }
            const Measured row = measure(input, partitioner);
            std::printf("%-24s %-10s %8zu %10.3f %10.3f %9.3f\n", row.name.c_str(), row.partitioner.c_str(),
                        row.nodes, row.bestSeconds * 1e3, row.medianSeconds * 1e3,
                        row.bestSeconds * 1e6 / static_cast<double>(row.nodes));
            rows.push_back(row);
        }
    }
    if (argc > 2 && std::string_view(argv[1]) == "--json") {
        std::ofstream(argv[2]) << jsonOf(rows);
    }
    return 0;
}

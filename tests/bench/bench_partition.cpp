// Partitions joint graphs again and again and says how fast: bench_partition [--json OUT.json]. The graphs
// are golden ones of the shared corpus, and made-up ones of 1,000 to 100,000 nodes that show the growth.
#include "passes/partition.h"

#include "../ir/golden.h"
#include "ir/json.h"

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

ir::Node tensorNode(std::string name, std::string target, ir::Arguments arguments, ir::SymInts shape) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    node.args = std::move(arguments);
    ir::TensorMeta tensor;
    tensor.dtype = ir::DType::Float32;
    tensor.shape = std::move(shape);
    tensor.stride = ir::SymInts{tensor.shape[1], ir::SymInt(1)};
    node.value = std::move(tensor);
    return node;
}

/// Layers of x = x + relu(x @ w), then their backward: seven nodes each forward, nine backward.
ir::GraphPtr madeUpJoint(std::size_t nodes) {
    const std::size_t layers = std::max<std::size_t>(nodes / 11, 1);
    ir::Graph graph;
    std::size_t made = 0;
    const auto call = [&](const char* target, ir::Arguments arguments) {
        return graph.append(tensorNode("n" + std::to_string(made++), target, std::move(arguments), {64, 64}));
    };
    const auto input = [&](const std::string& name) {
        ir::Node node = tensorNode(name, name, {}, {64, 64});
        node.op = ir::Opcode::Placeholder;
        return graph.append(std::move(node));
    };
    std::vector<ir::NodeId> weights;
    for (std::size_t i = 0; i <= layers; ++i) {
        weights.push_back(input("primals_" + std::to_string(i + 1)));
    }
    const ir::NodeId tangent = input("tangents_1");
    std::vector<ir::NodeId> inputs{weights.back()};
    std::vector<ir::NodeId> activated;
    for (std::size_t i = 0; i < layers; ++i) {
        const ir::NodeId product = call("aten.mm.default", {inputs.back(), weights[i]});
        activated.push_back(call("aten.relu.default", {product}));
        inputs.push_back(call("aten.add.Tensor", {inputs.back(), activated.back()}));
    }
    ir::ListArgument returned{{ir::Argument(inputs.back())}};
    std::vector<ir::Argument> gradients(layers + 1);
    ir::NodeId gradient = tangent;
    for (std::size_t i = layers; i-- > 0;) {
        const ir::NodeId masked =
            call("aten.threshold_backward.default", {gradient, activated[i], std::int64_t{0}});
        const ir::NodeId transposed = call("aten.t.default", {inputs[i]});
        gradients[i] = call("aten.mm.default", {transposed, masked});
        const ir::NodeId weight = call("aten.t.default", {weights[i]});
        gradient = call("aten.add.Tensor", {gradient, call("aten.mm.default", {masked, weight})});
    }
    gradients[layers] = gradient;
    returned.items.insert(returned.items.end(), gradients.begin(), gradients.end());
    ir::Node output;
    output.name = "output";
    output.target = "output";
    output.op = ir::Opcode::Output;
    output.args.emplace_back(std::move(returned));
    graph.append(std::move(output));
    return ir::Graph::freeze(std::move(graph));
}

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
        found.push_back({"made up, " + std::to_string(nodes), madeUpJoint(nodes), {}});
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

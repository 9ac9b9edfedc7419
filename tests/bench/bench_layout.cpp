#include "layout/graphs.h"
#include "layout/layout.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

/// Time to the first picture of joint graphs of growing size, made from chained transformer blocks, per
/// layout method.

namespace {

using namespace aotscope;
using layout::test::GraphBuilder;
using Nodes = std::vector<ir::NodeId>;

constexpr std::size_t nodesPerBlock = 26;

/// Attention and feed-forward with residuals: 13 forward nodes and weights, and as many backward nodes, each
/// of which uses the value saved by its forward node.
struct Sample {
    ir::GraphPtr graph;
    ir::ModulePaths modules;
};

Sample makeTransformer(std::size_t nodes, bool withModules) {
    GraphBuilder builder;
    const std::size_t blocks = std::max<std::size_t>(1, nodes / nodesPerBlock);
    Nodes weights;
    for (std::size_t i = 0; i < 4 * blocks; ++i) {
        weights.push_back(builder.input("primals_" + std::to_string(i + 2)));
    }
    ir::NodeId at = builder.input("primals_1");
    const ir::NodeId tangent = builder.input("tangents_1");
    std::vector<Nodes> saved;
    const auto module = [&](std::size_t block, std::string_view part) {
        return withModules ? "layers." + std::to_string(block) + "." + std::string(part) : std::string();
    };
    std::size_t made = 0;
    const auto call = [&](const char* name, const Nodes& inputs, const std::string& path) {
        return builder.call(name + std::string("_") + std::to_string(made++), inputs, path);
    };
    for (std::size_t b = 0; b < blocks; ++b) {
        const ir::NodeId* w = &weights[4 * b];
        const std::string attention = module(b, "attn");
        const std::string feed = module(b, "mlp");
        const ir::NodeId normed = call("norm", {at, w[0]}, attention);
        const ir::NodeId q = call("q", {normed, w[1]}, attention);
        const ir::NodeId k = call("k", {normed, w[1]}, attention);
        const ir::NodeId v = call("v", {normed, w[1]}, attention);
        const ir::NodeId mixed = call("attention", {q, k, v}, attention);
        const ir::NodeId sum = call("add", {at, mixed}, attention);
        const ir::NodeId wide = call("addmm", {sum, w[2]}, feed);
        const ir::NodeId active = call("gelu", {wide}, feed);
        const ir::NodeId narrow = call("addmm", {active, w[3]}, feed);
        at = call("add", {sum, narrow}, feed);
        saved.push_back({normed, q, k, v, mixed, wide, active});
    }
    Nodes results{at};
    ir::NodeId gradient = tangent;
    for (std::size_t b = blocks; b-- > 0;) {
        const ir::NodeId* w = &weights[4 * b];
        const Nodes& kept = saved[b];
        const std::string attention = module(b, "attn");
        const std::string feed = module(b, "mlp");
        const ir::NodeId narrow = call("mm", {gradient, w[3]}, feed);
        results.push_back(call("mm", {gradient, kept[6]}, feed));
        const ir::NodeId active = call("gelu_backward", {narrow, kept[5]}, feed);
        const ir::NodeId wide = call("mm", {active, w[2]}, feed);
        const ir::NodeId sum = call("add", {gradient, wide}, feed);
        const ir::NodeId mixed = call("attention_backward", {sum, kept[1], kept[2], kept[3]}, attention);
        const ir::NodeId q = call("mm", {mixed, kept[0]}, attention);
        results.push_back(q);
        const ir::NodeId k = call("mm", {mixed, w[1]}, attention);
        gradient = call("add", {sum, call("norm_backward", {k, w[0]}, attention)}, attention);
    }
    results.push_back(gradient);
    builder.output(results);
    Sample sample;
    sample.modules = builder.modules();
    sample.graph = builder.freeze();
    return sample;
}

struct Measurement {
    std::size_t nodes = 0;
    std::string way;
    double seconds = 0;
    std::size_t boxes = 0;
    std::string engine;
};

Measurement measure(const Sample& sample, const std::string& way, const layout::LayoutOptions& options) {
    Measurement best{sample.graph->size(), way, 1e9, 0, {}};
    for (int i = 0; i < 3; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto result = layout::computeLayout(*sample.graph, sample.modules, options);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (result) {
            best.seconds = std::min(best.seconds, took.count());
            best.boxes = (*result)->boxes.size();
            best.engine = (*result)->engine;
        }
    }
    return best;
}

void writeJson(const std::string& path, const std::vector<Measurement>& all) {
    std::ofstream out(path);
    out << "{\"benchmark\": \"layout\", \"unit\": \"seconds\", \"results\": [";
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Measurement& m = all[i];
        out << (i == 0 ? "\n" : ",\n") << R"(  {"nodes": )" << m.nodes << R"(, "way": ")" << m.way
            << R"(", "seconds": )" << m.seconds << R"(, "boxes": )" << m.boxes << R"(, "engine": ")"
            << m.engine << "\"}";
    }
    out << "\n]}\n";
}

} // namespace

int main(int argc, char** argv) {
    std::string json;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string_view(argv[i]) == "--json") {
            json = argv[i + 1];
        }
    }
    std::vector<Measurement> all;
    std::printf("%10s  %-26s %10s %9s  %s\n", "nodes", "way", "seconds", "boxes", "engine");
    for (const std::size_t nodes : {100, 1'000, 20'000, 100'000}) {
        const Sample modules = makeTransformer(nodes, true);
        const Sample plain = makeTransformer(nodes, false);
        layout::LayoutOptions automatic;
        layout::LayoutOptions everything;
        everything.grouping = layout::Grouping::None;
        everything.mostBoxesForDot = 2'000;
        layout::LayoutOptions programOrder = everything;
        programOrder.mostBoxesForDot = 0;
        all.push_back(measure(modules, "by module, automatic", automatic));
        all.push_back(measure(plain, "no modules known, automatic", automatic));
        if (nodes <= everything.mostBoxesForDot) {
            all.push_back(measure(plain, "every node, dot", everything));
        }
        all.push_back(measure(plain, "every node, program order", programOrder));
    }
    for (const Measurement& m : all) {
        std::printf("%10zu  %-26s %10.3f %9zu  %s\n", m.nodes, m.way.c_str(), m.seconds, m.boxes,
                    m.engine.c_str());
    }
    if (!json.empty()) {
        writeJson(json, all);
    }
    return 0;
}

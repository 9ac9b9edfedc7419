// What a rerun asks for and answers, without any engine: statistics, regions, files.
#include "contract/rerun_region.h"
#include "files/rerun_file.h"
#include "runs/kernel_rows.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace aotscope;

namespace {

ir::GraphPtr graphWithBody(const std::string& body) {
    auto graph = ir::parseGraphText(
        "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[4]\", y: \"f32[4]\"):\n" + body);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

/// x → neg → exp → add, and a way around exp through sin.
ir::GraphPtr diamond() {
    return graphWithBody(R"(
        neg: "f32[4]" = torch.ops.aten.neg.default(x)
        exp: "f32[4]" = torch.ops.aten.exp.default(neg)
        sin: "f32[4]" = torch.ops.aten.sin.default(neg)
        cos: "f32[4]" = torch.ops.aten.cos.default(sin)
        add: "f32[4]" = torch.ops.aten.add.Tensor(exp, cos)
        mul: "f32[4]" = torch.ops.aten.mul.Tensor(add, y)
        return (mul, neg)
)");
}

std::vector<std::string> namesOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
    std::vector<std::string> names;
    for (const ir::NodeId id : nodes) {
        names.push_back(graph.node(id).name);
    }
    return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("times of a known list of samples") {
    // numpy: s = numpy.arange(10, 1001, 10); median 505.0, percentile(95) 950.5, mean 505.0
    std::vector<std::int64_t> samples;
    for (std::int64_t i = 100; i > 0; --i) {
        samples.push_back(10 * i);
    }
    const auto times = session::rerunTimes(samples, 10);
    REQUIRE(times);
    CHECK(times->minimum == 10);
    CHECK(times->median == 505);
    CHECK(times->p95 == doctest::Approx(950.5));
    CHECK(times->mean == 505);
    CHECK(times->histogram.counts == std::vector<std::uint64_t>(10, 10));
    CHECK(times->histogram.to == 1000);
    CHECK(times->beyond == 0);
}

TEST_CASE("single slow samples do not flatten the distribution") {
    std::vector<std::int64_t> samples(99, 100);
    samples.push_back(1'000'000);
    const auto times = session::rerunTimes(samples, 4);
    REQUIRE(times);
    // numpy.percentile of them is 100 for 50 and for 95.
    CHECK(times->median == 100);
    CHECK(times->p95 == 100);
    CHECK(times->mean == doctest::Approx(10099));
    CHECK(times->beyond == 1);
    CHECK(times->histogram.counts[0] == 99);
}

TEST_CASE("an even number of samples, one, and none") {
    // numpy: median([1, 2, 3, 10]) is 2.5, percentile([1, 2, 3, 10], 95) is 8.95
    const auto even = session::rerunTimes(std::vector<std::int64_t>{10, 3, 1, 2});
    REQUIRE(even);
    CHECK(even->median == 2.5);
    CHECK(even->p95 == doctest::Approx(8.95));
    const auto one = session::rerunTimes(std::vector<std::int64_t>{7});
    REQUIRE(one);
    CHECK(one->minimum == 7);
    CHECK(one->p95 == 7);
    CHECK_FALSE(session::rerunTimes({}));
}

TEST_CASE("rates follow from the cost and the median") {
    session::RerunResult result;
    result.samples = {900, 1000, 5000};
    CHECK_FALSE(result.bytesPerSecond());
    result.cost = session::RerunCost{2000, 500, {}};
    CHECK(*result.bytesPerSecond() == doctest::Approx(2e9));
    CHECK(*result.flopsPerSecond() == doctest::Approx(5e8));
}

TEST_CASE("a region has the values that it takes and gives") {
    const ir::GraphPtr graph = diamond();
    const auto one = session::rerunRegion(*graph, Names{"add"});
    REQUIRE(one.ok());
    CHECK(namesOf(*graph, one->nodes) == Names{"add"});
    CHECK(namesOf(*graph, one->inputs) == Names{"exp", "cos"});
    CHECK(namesOf(*graph, one->outputs) == Names{"add"});
    const auto several = session::rerunRegion(*graph, Names{"mul", "add", "cos", "sin"});
    REQUIRE(several.ok());
    CHECK(namesOf(*graph, several->nodes) == Names{"sin", "cos", "add", "mul"});
    CHECK(namesOf(*graph, several->inputs) == Names{"neg", "exp", "y"});
    CHECK(namesOf(*graph, several->outputs) == Names{"mul"});
    // The value of neg is used outside too.
    const auto first = session::rerunRegion(*graph, Names{"neg", "exp"});
    REQUIRE(first.ok());
    CHECK(namesOf(*graph, first->outputs) == Names{"neg", "exp"});
}

TEST_CASE("nodes that a path leaves and enters again are no region, and the path is named") {
    const ir::GraphPtr graph = diamond();
    const auto region = session::rerunRegion(*graph, Names{"neg", "exp", "add"});
    REQUIRE_FALSE(region.ok());
    CHECK(region.error().code == "rerun.not_convex");
    CHECK(region.error().message.find("neg → sin → cos → add") != std::string::npos);
    CHECK(region.error().hint == "Add sin, cos.");
    CHECK(session::rerunRegion(*graph, Names{"neg", "exp", "add", "sin", "cos"}).ok());
}

TEST_CASE("what is no node that computes is refused") {
    const ir::GraphPtr graph = diamond();
    const auto codeOf = [&](const Names& names) {
        const auto region = session::rerunRegion(*graph, names);
        return region.ok() ? std::string() : region.error().code;
    };
    CHECK(codeOf({}) == "rerun.no_nodes");
    CHECK(codeOf({"tan"}) == "rerun.no_such_node");
    CHECK(codeOf({"x"}) == "rerun.not_computed");
    CHECK(codeOf({"output"}) == "rerun.not_computed");
}

TEST_CASE("the list has what launches something: no views, no numbers, no items of tuples") {
    const ir::GraphPtr graph = graphWithBody(R"(
        neg: "f32[4]" = torch.ops.aten.neg.default(x)
        view: "f32[2, 2]" = torch.ops.aten.view.default(neg, [2, 2])
        split = torch.ops.aten.split.Tensor(view, 1)
        getitem: "f32[1, 2]" = split[0]
        var_mean = torch.ops.aten.var_mean.correction(getitem, [1])
        getitem_1: "f32[1]" = var_mean[0]
        add_: "f32[4]" = torch.ops.aten.add_.Tensor(neg, y)
        neg_1: "f32[4]" = torch.ops.aten.neg.default(add_)
        custom: "f32[4]" = torch.ops.corpus.unknown.default(neg_1)
        return (custom, getitem_1)
)");
    session::RunSnapshot run;
    for (const auto& [name, nanoseconds] :
         {std::pair("neg", 10), std::pair("view", 1), std::pair("var_mean", 5), std::pair("neg_1", 30)}) {
        session::NodeRun node;
        node.node = *graph->tryFind(name);
        node.nanoseconds = nanoseconds;
        run.nodes.push_back(node);
    }
    const auto nodes = session::kernelRows(*graph, &run, session::KernelGrouping::Nodes);
    Names names;
    for (const session::KernelRow& row : nodes) {
        names.push_back(row.name);
    }
    CHECK(names == Names{"neg", "var_mean", "add_", "neg_1", "custom"});
    CHECK(nodes[0].nanoseconds == 10);
    CHECK_FALSE(nodes[4].nanoseconds);
    const auto operators = session::kernelRows(*graph, &run, session::KernelGrouping::Operators);
    REQUIRE(operators.size() == 4);
    CHECK(operators[0].name == "aten.neg.default");
    CHECK(operators[0].nanoseconds == 40);
    CHECK(operators[0].calls == 2);
    CHECK(operators[0].parts.size() == 2);
    CHECK(operators[3].calls == 0);
    CHECK(session::kernelRows(*graph, nullptr, session::KernelGrouping::Nodes).size() == 5);
}

TEST_CASE("a saved rerun is read again with what a comparison needs") {
    session::SavedRerun saved;
    saved.graph = "mlp.log:0/0:joint";
    saved.settings = {7, 2, true, {}};
    saved.settings.changes.dtype = ir::DType::BFloat16;
    saved.settings.changes.symbols = {{"s0", 8}};
    saved.settings.changes.sizes = {{"x", {2, 3}}};
    saved.settings.changes.device = "cuda:1";
    saved.settings.changes.deterministic = false;
    session::RerunResult& result = saved.result;
    result.nodes = {"add", "mul"};
    result.samples = {30, 10, 20};
    result.overheadNanoseconds = 1.5;
    result.clock = session::RerunClock::CudaEvents;
    result.device = "cuda:1";
    result.seed = 9;
    session::RerunValue value{"mul", 1, {}, {}, {}};
    value.summary.dtype = "float32";
    value.summary.shape = {2};
    value.fromRun = session::ValueDifference{std::numeric_limits<double>::infinity(), 0, 0, {1}, 2, 3, {}};
    result.outputs = {value};
    result.outputData = {{"float32", {2}, std::string("\0\0\x80?\0\0\0@", 8)}};
    const auto read = session::rerunFromJson(session::rerunToJson(saved));
    REQUIRE_MESSAGE(read.ok(), read.error().text());
    CHECK(read->graph == saved.graph);
    CHECK(read->settings == saved.settings);
    CHECK(read->result.nodes == result.nodes);
    CHECK(read->result.samples == result.samples);
    CHECK(read->result.overheadNanoseconds == 1.5);
    CHECK(read->result.clock == session::RerunClock::CudaEvents);
    CHECK(read->result.device == "cuda:1");
    CHECK(read->result.seed == 9);
    REQUIRE(read->result.outputs.size() == 1);
    CHECK(read->result.outputs[0].node == "mul");
    CHECK(read->result.outputs[0].output == 1);
    REQUIRE(read->result.outputs[0].fromRun);
    CHECK(read->result.outputs[0].fromRun->max == std::numeric_limits<double>::infinity());
    REQUIRE(read->result.outputData.size() == 1);
    CHECK(read->result.outputData[0].bytes == result.outputData[0].bytes);
    CHECK(read->result.outputData[0].dtype == "float32");
    // Without its values.
    result.outputData.clear();
    const auto bare = session::rerunFromJson(session::rerunToJson(saved));
    REQUIRE_MESSAGE(bare.ok(), (bare.ok() ? "" : bare.error().text()));
    CHECK(bare->result.outputData.empty());
}

namespace {

// As the first version wrote it, but for what is not read.
constexpr std::string_view firstVersion = R"({"schema": "aotscope.rerun/1", "graph": "g", "nodes": ["mul"],
    "settings": {"repetitions": 7, "warm_up": 2, "cold_cache": true, "twist": {"dtype": "bfloat16"}},
    "backend": "LibTorch", "device": "cpu", "seed": 9, "clock": "steady", "unit": "ns", "overhead": 1.5,
    "cost": null, "inputs": [], "notes": [], "samples": [30, 10],
    "outputs": [{"node": "mul", "output": 0, "dtype": "float32", "shape": [1], "nan": 0, "from_run": null},
                {"node": "mul", "output": 1, "dtype": "uint8", "shape": [1],
                 "data": {"dtype": "uint8", "shape": [1], "base64": "YQ=="}}]})";

/// Reads that file with a part replaced.
base::Result<session::SavedRerun> readWith(const std::string& from, const std::string& to) {
    std::string text(firstVersion);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return session::rerunFromJson(text.replace(at, from.size(), to));
}

} // namespace

TEST_CASE("a rerun that the first or second version saved is read") {
    for (const char* schema : {"aotscope.rerun/1", "aotscope.rerun/2"}) {
        const auto read = readWith("aotscope.rerun/1", schema);
        REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
        session::RerunSettings settings{7, 2, true, {}};
        settings.changes.dtype = ir::DType::BFloat16;
        CHECK(read->settings == settings);
        CHECK(read->result.backend == "LibTorch");
        CHECK(read->result.overheadNanoseconds == 1.5);
        CHECK(read->result.samples == std::vector<std::int64_t>{30, 10});
        REQUIRE(read->result.outputs.size() == 2);
        CHECK(read->result.outputs[1].output == 1);
        CHECK(read->result.outputs[1].summary.dtype == "uint8");
        REQUIRE(read->result.outputData.size() == 2);
        CHECK(read->result.outputData[0].bytes.empty());
        CHECK(read->result.outputData[1].bytes == "a");
    }
}

TEST_CASE("what is wrong in a saved rerun is named with its place") {
    const auto why = [](const std::string& from, const std::string& to) {
        const auto read = readWith(from, to);
        return read.ok() ? std::string() : read.error().notes.at(0);
    };
    CHECK(why("YQ==", "YQ") == "result: output_data: 1: base64: expected bytes in base64.");
    CHECK(why(R"("steady")", R"("sundial")") == "result: clock: expected a known word.");
    CHECK(why(R"("bfloat16")", R"("float99")") == "settings: changes: dtype: expected a dtype.");
    CHECK(why(R"("repetitions": 7)", R"("repetitions": "7")") ==
          "settings: repetitions: expected a non-negative integer.");
    CHECK(why(R"("seed": 9, )", "") == "result: seed is missing.");
    CHECK(why(R"("node": "mul", "output": 1)", R"("output": 1)") == "result: outputs: 1: node is missing.");
}

TEST_CASE("files that are no reruns are refused, whatever they hold") {
    const auto codeOf = [](const std::string& text) {
        const auto read = session::rerunFromJson(text);
        return read.ok() ? std::string() : read.error().code;
    };
    CHECK(codeOf("") == "rerun.file_syntax");
    CHECK(codeOf("{\"schema\": ") == "rerun.file_syntax");
    CHECK(codeOf("[]") == "rerun.file_schema");
    CHECK(codeOf(R"({"schema": "aotscope.run/1"})") == "rerun.file_schema");
    CHECK(codeOf(R"({"schema": "aotscope.rerun/1"})") == "rerun.file_schema");
    CHECK(codeOf(R"({"schema": "aotscope.rerun/1", "samples": ["a"]})") == "rerun.file_schema");
    CHECK(
        codeOf(
            R"({"schema": "aotscope.rerun/1", "samples": [], "settings": {"twist": {"sizes": {"x": 3}}}})") ==
        "rerun.file_schema");
    CHECK(codeOf(R"({"schema": "aotscope.rerun/1", "samples": [], "outputs": [{"node": 3}]})") ==
          "rerun.file_schema");
}

#include "inductor/kernel_links.h"

#include "inductor/graph_facts.h"
#include "inductor/log_kernels.h"
#include "ir/text/parser.h"
#include "logged_code.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace aotscope;

namespace {

using Json = nlohmann::ordered_json;
using Names = std::set<std::string>;

std::vector<inductor::GeneratedCode> allCode(const std::filesystem::path& path, bool withholdMapping) {
    std::vector<inductor::GeneratedCode> all;
    const auto log = load::TraceLog::read(path);
    REQUIRE(log.ok());
    for (std::uint32_t compile = 0; compile < (*log)->compiles().size(); ++compile) {
        auto made = inductor::generatedCode(**log, load::CompileIndex(compile), {}, {withholdMapping});
        REQUIRE(made.ok());
        for (inductor::GeneratedCode& code : *made) {
            all.push_back(std::move(code));
        }
    }
    // Compiles are listed by their ids, and backward graphs may be compiled in another order.
    std::sort(all.begin(), all.end(),
              [](const auto& left, const auto& right) { return left.record < right.record; });
    return all;
}

/// Inputs, views and elements of results compute nothing; PyTorch's mapping has some of them and others not.
bool counts(const inductor::GeneratedCode& code, const std::string& name) {
    const std::optional<ir::NodeId> node = code.graph->tryFind(name);
    if (!node) {
        return true;
    }
    const inductor::GraphFacts facts(code.graph);
    return facts.isComputed(*node) && !facts.isView(*node) && !facts.isElement(*node);
}

Names linkedNames(const inductor::GeneratedCode& code, std::size_t launch) {
    Names names;
    for (const inductor::NodeLink& link : code.links.launches[launch].nodes) {
        const std::string& name = code.graph->node(link.node).name;
        if (counts(code, name)) {
            names.insert(name);
        }
    }
    return names;
}

struct Agreement {
    std::size_t both = 0;
    std::size_t onlyOurs = 0;
    std::size_t onlyTheirs = 0;
    std::size_t launches = 0;
    std::size_t equalLaunches = 0;

    void add(const Names& ours, const Names& theirs, const std::string& what) {
        std::string difference;
        for (const std::string& name : ours) {
            const bool shared = theirs.count(name) != 0;
            both += shared ? 1 : 0;
            onlyOurs += shared ? 0 : 1;
            difference += shared ? "" : " +" + name;
        }
        for (const std::string& name : theirs) {
            onlyTheirs += ours.count(name) != 0 ? 0 : 1;
            difference += ours.count(name) != 0 ? "" : " -" + name;
        }
        ++launches;
        equalLaunches += difference.empty() ? 1 : 0;
        if (!difference.empty()) {
            MESSAGE(what, ":", difference);
        }
    }
};

/// Of a kernel's nodes in PyTorch's words, those that compute something.
Names countedNames(const inductor::GeneratedCode& code, const Json& nodes) {
    Names names;
    for (const Json& node : nodes) {
        if (counts(code, node.get<std::string>())) {
            names.insert(node.get<std::string>());
        }
    }
    return names;
}

/// Nodes that PyTorch gives to kernels, and of them those that we give to one of the same kernels.
struct NodeCoverage {
    std::size_t nodes = 0;
    std::size_t found = 0;

    void add(const std::map<std::string, std::pair<Names, Names>>& byKernel, const std::string& what) {
        Names all;
        Names shared;
        for (const auto& [kernel, names] : byKernel) {
            for (const std::string& node : names.second) {
                all.insert(node);
                if (names.first.count(node) != 0) {
                    shared.insert(node);
                }
            }
        }
        nodes += all.size();
        found += shared.size();
        for (const std::string& node : all) {
            CHECK_MESSAGE(shared.count(node) != 0, what << ": " << node);
        }
    }
};

} // namespace

TEST_CASE("links without PyTorch's mapping are those of the mapping, forward and backward") {
    Agreement forward;
    Agreement backward;
    NodeCoverage coverage;
    for (const char* name : {"mlp", "softmax_loss", "attention", "fused_attention", "convolutions", "dynamic",
                             "breaks", "inference", "dropout", "cpp_wrapper"}) {
        const std::vector<inductor::GeneratedCode> all = allCode(test::recordedLog(name), true);
        const Json mappings = Json::parse(test::readFile(test::recordedMapping(name)));
        REQUIRE(all.size() == mappings.size());
        for (std::size_t place = 0; place < all.size(); ++place) {
            const inductor::GeneratedCode& code = all[place];
            REQUIRE(code.graph != nullptr);
            CHECK_FALSE(code.hasMapping);
            CHECK(code.links.disagreements.empty());
            std::map<std::string, std::pair<Names, Names>> byKernel;
            for (std::size_t launch = 0; launch < code.code.launches.size(); ++launch) {
                const inductor::KernelComments& comments = code.code.launches[launch].comments;
                const std::string key = comments.handleName + ":" + std::to_string(comments.handle);
                REQUIRE_MESSAGE(mappings[place].contains(key), name << " " << key);
                const Names theirs = countedNames(code, mappings[place][key]);
                byKernel[key] = {linkedNames(code, launch), theirs};
                (code.half == "backward" ? backward : forward)
                    .add(byKernel[key].first, theirs, std::string(name) + " " + code.half + " " + key);
            }
            coverage.add(byKernel, std::string(name) + " " + code.half);
        }
    }
    MESSAGE("forward: ", forward.both, " in both, ", forward.onlyOurs, " only ours, ", forward.onlyTheirs,
            " only PyTorch's; ", forward.equalLaunches, " of ", forward.launches, " launches equal");
    MESSAGE("backward: ", backward.both, " in both, ", backward.onlyOurs, " only ours, ", backward.onlyTheirs,
            " only PyTorch's; ", backward.equalLaunches, " of ", backward.launches, " launches equal");
    MESSAGE("nodes: ", coverage.found, " of ", coverage.nodes);
    // PyTorch also gives a kernel what was computed for what it reads; all of that is linked to the kernel
    // that writes it, which `coverage` checks node by node.
    CHECK(coverage.found == coverage.nodes);
    CHECK(forward.onlyOurs + backward.onlyOurs <= 1);
    CHECK(forward.equalLaunches * 100 >= forward.launches * 88);
    CHECK(backward.equalLaunches * 100 >= backward.launches * 88);
}

TEST_CASE("the same for Triton kernels" * test::needsCorpus()) {
    const std::filesystem::path logs = test::corpusDir() / "tlparse-logs";
    std::size_t graphs = 0;
    for (const auto& path :
         {logs / "inductor_provenance_jit_debug_handle_log.txt",
          logs / "graph_exec_order_tests" / "dedicated_log_torch_trace_rank_0_a74od7a1.log",
          logs / "graph_exec_order_tests" / "dedicated_log_torch_trace_rank_1_fglwclht.log"}) {
        const std::vector<inductor::GeneratedCode> withheld = allCode(path, true);
        const std::vector<inductor::GeneratedCode> mapped = allCode(path, false);
        REQUIRE(withheld.size() == mapped.size());
        for (std::size_t place = 0; place < mapped.size(); ++place) {
            CHECK(mapped[place].hasMapping);
            for (std::size_t launch = 0; launch < mapped[place].links.launches.size(); ++launch) {
                const inductor::LaunchLinks& links = mapped[place].links.launches[launch];
                const std::string& kernel =
                    mapped[place].code.kernels[mapped[place].code.launches[launch].kernel].name;
                CHECK(links.unlinked.empty());
                for (const inductor::NodeLink& link : links.nodes) {
                    // Collectives that write in place have no entry in the mapping.
                    CHECK_MESSAGE((inductor::has(link.evidence, inductor::Evidence::Mapping) ||
                                   kernel.starts_with("torch.ops._c10d_functional.")),
                                  kernel << " " << mapped[place].graph->node(link.node).name);
                }
                CHECK_MESSAGE(linkedNames(mapped[place], launch) == linkedNames(withheld[place], launch),
                              kernel);
            }
            ++graphs;
        }
    }
    CHECK(graphs == 5);
}

TEST_CASE("each link says what it was made from, and what is left over is listed with the reason") {
    const std::vector<inductor::GeneratedCode> all = allCode(test::recordedLog("mlp"), false);
    REQUIRE(all.size() == 2);
    const inductor::GeneratedCode& forward = all[0];
    CHECK(forward.half == "forward");
    CHECK(forward.graphName == "inductor_post_grad_graph#1");
    CHECK(forward.aotName == "forward");
    const auto evidenceOf = [](const inductor::GeneratedCode& code, const char* name) {
        const ir::NodeId node = *code.graph->tryFind(name);
        const std::vector<std::uint32_t>& launches = code.links.launchesOf[node.index()];
        REQUIRE(launches.size() == 1);
        for (const inductor::NodeLink& link : code.links.launches[launches[0]].nodes) {
            if (link.node == node) {
                return link.evidence;
            }
        }
        return inductor::EvidenceSet();
    };
    using inductor::Evidence;
    CHECK(inductor::has(evidenceOf(forward, "addmm"), Evidence::Mapping));
    CHECK(inductor::has(evidenceOf(forward, "addmm"), Evidence::Operator));
    // The log has no mapping for the backward.
    const inductor::GeneratedCode& backward = all[1];
    CHECK(backward.half == "backward");
    CHECK_FALSE(backward.hasMapping);
    CHECK(backward.hasStacks);
    CHECK(inductor::evidenceText(evidenceOf(backward, "mm")) ==
          "source-node comment, operator called, data flow");
    CHECK(inductor::has(evidenceOf(backward, "sum_1"), Evidence::Result));
    const auto fate = [&](const char* name) {
        return forward.links.fates[forward.graph->tryFind(name)->index()];
    };
    CHECK(fate("permute") == inductor::NodeFate::View);
    CHECK(fate("getitem") == inductor::NodeFate::Element);
    CHECK(fate("primals_1") == inductor::NodeFate::NotComputed);
    CHECK(fate("relu") == inductor::NodeFate::Linked);
}

TEST_CASE("source lines of backward kernels are those of PyTorch's stacks") {
    std::size_t lines = 0;
    std::size_t found = 0;
    for (const char* name : {"mlp", "softmax_loss", "attention", "convolutions", "dropout"}) {
        for (const inductor::GeneratedCode& code : allCode(test::recordedLog(name), false)) {
            if (code.half != "backward") {
                continue;
            }
            for (const inductor::LaunchLinks& links : code.links.launches) {
                for (const inductor::SourceLink& source : links.sources) {
                    CHECK(source.source.file == "/programs/model.py");
                    ++lines;
                    // Lines that only the stacks have are those of what was computed for what the kernel
                    // reads.
                    found += source.fromStackTraces ? 0 : 1;
                }
            }
        }
    }
    MESSAGE(found, " of ", lines, " source lines from the graph alone");
    CHECK(found * 100 >= lines * 85);
}

TEST_CASE("every kernel of the corpus is linked" * test::needsCorpus()) {
    std::size_t launches = 0;
    std::size_t unlinked = 0;
    std::vector<std::filesystem::path> logs;
    for (const char* name :
         {"mlp_sgd__inductor", "conv_bn_relu__inductor", "hooks_fp8_mlp__inductor", "gpt2_2l__inductor"}) {
        logs.push_back(test::corpusTrace(name));
    }
    logs.push_back(test::corpusDir() / "traces-2.11" / "mlp_inductor.log");
    logs.push_back(test::corpusDir() / "tlparse-logs" / "simple.log");
    logs.push_back(test::corpusDir() / "tlparse-logs" / "cache_hit_miss.log");
    for (const std::filesystem::path& path : logs) {
        for (const inductor::GeneratedCode& code : allCode(path, false)) {
            REQUIRE(code.graph != nullptr);
            CHECK(code.links.disagreements.empty());
            for (std::size_t launch = 0; launch < code.links.launches.size(); ++launch) {
                ++launches;
                if (!code.links.launches[launch].unlinked.empty()) {
                    ++unlinked;
                    // It changes the layout of the inputs of a convolution.
                    CHECK(code.code.kernels[code.code.launches[launch].kernel].name == "cpp_fused_0");
                    CHECK(code.links.launches[launch].unlinked.starts_with("It only copies"));
                }
            }
            for (const ir::NodeId node : code.graph->order()) {
                CHECK_MESSAGE(code.links.fates[node.index()] != inductor::NodeFate::Unknown,
                              path.filename().string()
                                  << " " << code.name << " " << code.graph->node(node).name);
            }
        }
    }
    CHECK(launches > 100);
    CHECK(unlinked == 1);
}

TEST_CASE("nodes that Inductor's passes put in stand for those of AOTAutograd's graph" *
          test::needsCorpus()) {
    const auto all =
        allCode(test::corpusDir() / "tlparse-logs" / "inductor_provenance_jit_debug_handle_log.txt", false);
    REQUIRE(all.size() == 1);
    const inductor::GeneratedCode& code = all[0];
    REQUIRE(code.aotGraph != nullptr);
    const auto standsFor = [&](const char* name) {
        std::vector<std::string> names;
        for (const ir::NodeId node : code.aotNodes[code.graph->tryFind(name)->index()]) {
            names.push_back(code.aotGraph->node(node).name);
        }
        return names;
    };
    // Inductor splits addmm into mm and add (its pass unfuse_bias_add_to_pointwise).
    CHECK(standsFor("add_tensor_1") == std::vector<std::string>{"addmm"});
    CHECK(standsFor("mm_default_1") == std::vector<std::string>{"addmm"});
    CHECK(standsFor("mm_default") == std::vector<std::string>{"addmm_1"});
    CHECK(standsFor("relu") == std::vector<std::string>{"relu"});
}

TEST_CASE("thousands of equal calls are linked in order, in time that grows with their number") {
    constexpr int count = 3000;
    std::string graph =
        "class GraphModule(torch.nn.Module):\n    def forward(self, a_1: \"f32[8, 8][8, 1]cpu\"):\n";
    std::string code = "# torch._inductor\ndef call(args):\n    a_1, = args\n    args.clear()\n";
    std::string node = "a_1";
    std::string buffer = "a_1";
    for (int i = 0; i < count; ++i) {
        const std::string next = "mm" + (i == 0 ? std::string() : "_" + std::to_string(i));
        graph +=
            "        " + next + ": \"f32[8, 8][8, 1]cpu\" = torch.ops.aten.mm.default(" + node + ", a_1)\n";
        const std::string into = "buf" + std::to_string(i);
        code += "    " + into +
                " = empty_strided_cpu((8, 8), (8, 1), torch.float32)\n    extern_kernels.mm(" + buffer +
                ", a_1, out=" + into + ")\n";
        node = next;
        buffer = into;
    }
    graph += "        return (" + node + ",)\n";
    code += "    return (" + buffer + ", )\n";
    const auto parsed = ir::parseGraphText(graph);
    REQUIRE(parsed.ok());
    const auto read = inductor::readOutputCode(code);
    REQUIRE(read.ok());
    REQUIRE(read->launches.size() == count);
    const inductor::KernelLinks links = inductor::linkKernels(*read, {*parsed, nullptr, nullptr});
    for (std::size_t launch = 0; launch < count; ++launch) {
        REQUIRE(links.launches[launch].nodes.size() == 1);
        CHECK((*parsed)->position(links.launches[launch].nodes[0].node) == launch + 1);
    }
}

TEST_CASE("reading and linking can be stopped") {
    const auto log = load::TraceLog::read(test::recordedLog("mlp"));
    REQUIRE(log.ok());
    std::stop_source stop;
    stop.request_stop();
    const auto made =
        inductor::generatedCode(**log, load::CompileIndex(0), base::Progress({}, stop.get_token()));
    REQUIRE_FALSE(made.ok());
    CHECK(base::isCanceled(made.error()));
}

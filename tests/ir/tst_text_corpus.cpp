#include "ir/compare/graph_diff.h"
#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/sections.h"
#include "ir/verifier.h"
#include "support/corpus_case.h"

#include "ir/printed_text.h"
#include "support/log_payloads.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

using namespace aotscope::ir;
using aotscope::base::Result;
using aotscope::test::LogPayload;

namespace {

bool holdsOneGraph(const LogPayload& payload) {
    return looksLikeGraphText(payload.text) && splitGraphSections(payload.text).size() <= 1;
}

template<typename Visit>
void forEachLoggedGraph(Visit&& visit) {
    for (const auto& log : aotscope::test::corpusLogs()) {
        aotscope::test::forEachPayload(log, [&](const LogPayload& payload) {
            if (holdsOneGraph(payload)) {
                visit(payload);
            }
        });
    }
}

/// The same graph with other names.
GraphPtr renamed(const Graph& graph) {
    GraphBuilder copy(graph);
    int number = 0;
    for (const NodeId id : graph.order()) {
        if (graph.node(id).op != Opcode::Output) {
            copy.rename(id, "renamed_" + std::to_string(++number * 7919 % 100'003));
        }
    }
    return copy.finish();
}

std::string graphKind(std::string kind) {
    return kind.find("post_grad") != std::string::npos ? "post_grad" : kind;
}

} // namespace

TEST_CASE("every logged graph parses, and what is printed parses to an equal graph" *
          aotscope::test::needsCorpus()) {
    std::map<std::string, int> counts;
    forEachLoggedGraph([&](const LogPayload& payload) {
        CAPTURE(payload.where);
        const Result<GraphPtr> graph = parseGraphText(payload.text);
        if (!graph) {
            FAIL_CHECK(graph.error().text());
            return;
        }
        ++counts[graphKind(payload.kind)];
        const Result<GraphPtr> again = parseGraphText(printGraph(**graph).text);
        if (!again) {
            FAIL_CHECK(again.error().text());
            return;
        }
        CHECK(equalGraphs(**graph, **again));
    });
    int total = 0;
    for (const auto& [kind, count] : counts) {
        MESSAGE(kind << ": " << count);
        total += count;
    }
    CHECK(total >= 480);
    CHECK(counts["aot_joint_graph"] >= 88);
    CHECK(counts["dynamo_output_graph"] >= 115);
}

TEST_CASE("every logged graph is printed as it was logged after a way through its own JSON" *
          aotscope::test::needsCorpus()) {
    int total = 0;
    forEachLoggedGraph([&](const LogPayload& payload) {
        CAPTURE(payload.where);
        const Result<GraphPtr> parsed = parseGraphText(payload.text);
        REQUIRE(parsed.ok());
        const Result<GraphPtr> graph = graphFromJson(graphToJson(**parsed));
        if (!graph) {
            FAIL_CHECK(graph.error().text());
            return;
        }
        const std::string logged = aotscope::test::withoutTrailingSpaces(payload.text);
        const std::string printed = aotscope::test::withoutTrailingSpaces(printGraph(**graph).text);
        if (logged != printed) {
            FAIL_CHECK(aotscope::test::firstLineDifference(logged, printed));
        }
        ++total;
    });
    CHECK(total >= 480);
}

TEST_CASE("each graph of a payload with several graphs parses by itself" * aotscope::test::needsCorpus()) {
    int payloads = 0;
    int sections = 0;
    for (const auto& log : aotscope::test::corpusLogs()) {
        aotscope::test::forEachPayload(log, [&](const LogPayload& payload) {
            if (payload.kind != "aot_saved_tensors_hooks_graphs") {
                return;
            }
            ++payloads;
            const std::vector<NamedGraphText> found = splitGraphSections(payload.text);
            REQUIRE(found.size() >= 8);
            CHECK(found.front().name == "aot_forward_graph_pre_saved_tensors_hooks");
            for (const NamedGraphText& section : found) {
                CAPTURE(payload.where);
                CAPTURE(section.name);
                ++sections;
                const Result<GraphPtr> graph = parseGraphText(section.text);
                if (!graph) {
                    FAIL_CHECK(graph.error().text());
                    continue;
                }
                CHECK(aotscope::test::withoutTrailingSpaces(printGraph(**graph).text) ==
                      aotscope::test::withoutTrailingSpaces(std::string(section.text)));
            }
        });
    }
    CHECK(payloads >= 5);
    CHECK(sections >= 40);
}

TEST_CASE("each node of a printed graph is found on its line and each line's node on it" *
          aotscope::test::needsCorpus()) {
    forEachLoggedGraph([&](const LogPayload& payload) {
        CAPTURE(payload.where);
        const Result<GraphPtr> graph = parseGraphText(payload.text);
        REQUIRE(graph.ok());
        const PrintedGraph printed = printGraph(**graph);
        std::vector<std::string> lines;
        std::istringstream in(printed.text);
        for (std::string line; std::getline(in, line);) {
            lines.push_back(line);
        }
        REQUIRE(printed.nodeOfLine.size() >= lines.size());
        for (const NodeId id : (*graph)->order()) {
            const int line = printed.lineOfNode[id.index()];
            REQUIRE(line >= 0);
            REQUIRE(static_cast<std::size_t>(line) < lines.size());
            const Node& node = (*graph)->node(id);
            const std::string& expected = node.op == Opcode::Output        ? "return"
                                          : node.op == Opcode::Placeholder ? node.target
                                                                           : node.name;
            CHECK(lines[static_cast<std::size_t>(line)].find(expected) != std::string::npos);
        }
        for (std::size_t line = 0; line < lines.size(); ++line) {
            const NodeId id = printed.nodeOfLine[line];
            if (id.valid() && (*graph)->node(id).op == Opcode::CallFunction) {
                CHECK(printed.lineOfNode[id.index()] == static_cast<int>(line));
            }
        }
    });
}

TEST_CASE("graphs that are unusual as text are read, printed, verified and compared as others are") {
    const std::filesystem::path log =
        std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "packs" / "unusual_text.log.xz";
    int total = 0;
    aotscope::test::forEachPayload(log, [&](const LogPayload& payload) {
        if (!looksLikeGraphText(payload.text)) {
            return;
        }
        ++total;
        CAPTURE(payload.where);
        const Result<GraphPtr> graph = parseGraphText(payload.text);
        if (!graph) {
            FAIL_CHECK(graph.error().text());
            return;
        }
        const Result<GraphPtr> again = graphFromJson(graphToJson(**graph));
        REQUIRE(again.ok());
        const std::string logged = aotscope::test::withoutTrailingSpaces(payload.text);
        const std::string text = printGraph(**again).text;
        const std::string printed = aotscope::test::withoutTrailingSpaces(text);
        CHECK_MESSAGE(logged == printed, aotscope::test::firstLineDifference(logged, printed));
        CHECK(equalGraphs(**graph, *parseGraphText(text).value()));
        // A trace that failed has no output, and that is so.
        const bool partial = payload.kind == "make_fx_fail_partial";
        CHECK(verifyGraph(**graph).size() == (partial ? 1 : 0));
        CHECK(diffGraphs(**graph, **again).equal());
        CHECK(diffGraphs(**graph, *renamed(**graph)).equalUpToNames());
    });
    CHECK(total == 104);
}

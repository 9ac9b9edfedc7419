#include "ir/json/graph_json.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "support/corpus_case.h"

#include "ir/golden.h"
#include "ir/printed_text.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope::ir;
using aotscope::base::Result;
using aotscope::test::GoldenGraph;

namespace {

/// Compares a value parsed from text with PyTorch's record of it. For a tensor subclass the record has no
/// stride.
bool sameAnnotation(const ValueMeta& text, const ValueMeta& golden) {
    if (const TensorMeta* tensor = asTensor(text)) {
        const TensorMeta* recorded = asTensor(golden);
        return recorded != nullptr && tensor->dtype == recorded->dtype && tensor->shape == recorded->shape &&
               (!tensor->stride || tensor->subclass || tensor->stride == recorded->stride) &&
               (!tensor->device || tensor->device == recorded->device);
    }
    if (const auto* symbolic = std::get_if<SymbolicMeta>(&text)) {
        const auto* recorded = std::get_if<SymbolicMeta>(&golden);
        return recorded != nullptr && *symbolic == *recorded;
    }
    return true;
}

/// An argument as text with the type of every part. Nodes by name; dictionaries sorted by key, because this
/// test's JSON library sorts objects.
std::string described(const Graph& graph, const Argument& argument) {
    std::vector<std::string> parts;
    if (const auto* list = argument.as<ListArgument>()) {
        for (const Argument& item : list->items) {
            parts.push_back(described(graph, item));
        }
    } else if (const auto* tuple = argument.as<TupleArgument>()) {
        for (const Argument& item : tuple->items) {
            parts.push_back(described(graph, item));
        }
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        for (const auto& [key, value] : (*dict)->items) {
            parts.push_back(described(graph, key) + "=" + described(graph, value));
        }
        std::sort(parts.begin(), parts.end());
    } else {
        parts.push_back(argumentText(graph, argument));
    }
    std::string text = std::to_string(argument.value.index()) + "{";
    for (const std::string& part : parts) {
        text += part + ";";
    }
    return text + "}";
}

std::string describedCall(const Graph& graph, const Node& node) {
    std::string text;
    for (const Argument& argument : node.args) {
        text += described(graph, argument) + ", ";
    }
    std::vector<std::string> keywords;
    for (const KeywordArgument& keyword : node.kwargs) {
        keywords.push_back(keyword.name + "=" + described(graph, keyword.value));
    }
    std::sort(keywords.begin(), keywords.end());
    for (const std::string& keyword : keywords) {
        text += keyword + ", ";
    }
    return text;
}

/// The text of a graph with saved-tensors hooks cuts off its list of returned values; a returned placeholder
/// that nothing else uses is then missing from the text. Returns the golden graph's output without those.
Node withoutUntold(const Graph& golden, const Node& output, const Node& text) {
    Node told = output;
    const auto* values = output.args.empty() ? nullptr : output.args[0].as<TupleArgument>();
    if (values == nullptr || text.args.empty()) {
        return told;
    }
    const auto* printed = text.args[0].as<TupleArgument>();
    if (printed == nullptr || text.descriptors.size() == printed->items.size()) {
        return told;
    }
    TupleArgument kept;
    for (std::size_t i = 0; i < values->items.size(); ++i) {
        const NodeId* id = values->items[i].as<NodeId>();
        const bool untold = i >= text.descriptors.size() && id != nullptr &&
                            golden.node(*id).op == Opcode::Placeholder && golden.users(*id).size() == 1;
        if (!untold) {
            kept.items.push_back(values->items[i]);
        }
    }
    told.args = {kept};
    return told;
}

void compareGraphs(const Graph& text, const Graph& golden, int& nodes) {
    REQUIRE(text.size() == golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
        // By name: the text names all placeholders first, wherever they stand in the graph.
        const Node& expected = golden.node(golden.order()[i]);
        CAPTURE(expected.name);
        // The text does not tell the output's name.
        const std::optional<NodeId> id =
            expected.op == Opcode::Output ? text.output() : text.tryFind(expected.name);
        REQUIRE(id.has_value());
        const Node& node = text.node(*id);
        CHECK(node.op == expected.op);
        CHECK(node.target == expected.target);
        CHECK(describedCall(text, node) == describedCall(golden, expected.op == Opcode::Output
                                                                     ? withoutUntold(golden, expected, node)
                                                                     : expected));
        CHECK(sameAnnotation(node.value, expected.value));
        ++nodes;
    }
    for (const auto& [name, subgraph] : text.subgraphs()) {
        CAPTURE(name);
        const GraphPtr recorded = golden.trySubgraph(name);
        REQUIRE(recorded != nullptr);
        compareGraphs(*subgraph, *recorded, nodes);
    }
}

} // namespace

TEST_CASE("source lines of a golden graph, which its text alone tells, are those PyTorch printed" *
          aotscope::test::needsCorpus()) {
    std::size_t graphs = 0;
    std::size_t lines = 0;
    aotscope::test::forEachGoldenGraph([&](GoldenGraph& golden) {
        // The JSON library of this test sorts nested graphs, so those are left to the graphs around them.
        if (!golden.json.contains("text") || golden.json.contains("subgraphs")) {
            return;
        }
        const Result<GraphPtr> read = graphFromJson(golden.json.dump());
        const Result<GraphPtr> text = parseGraphText(golden.json["text"].get<std::string>());
        REQUIRE(read);
        REQUIRE(text);
        if ((*text)->size() != (*read)->size() || !(*text)->subgraphs().empty()) {
            return;
        }
        const std::string printed = aotscope::test::commentLines(printGraph(**read).text);
        const std::string recorded = aotscope::test::commentLines(golden.json["text"].get<std::string>());
        CHECK_MESSAGE(printed == recorded,
                      golden.where << ": " << aotscope::test::firstLineDifference(recorded, printed));
        lines += static_cast<std::size_t>(std::ranges::count(printed, '\n'));
        ++graphs;
    });
    CHECK(graphs > 400);
    CHECK(lines > 4'000);
}

TEST_CASE("parsed text tells the same nodes as PyTorch's record of the graph" *
          aotscope::test::needsCorpus()) {
    int graphs = 0;
    int nodes = 0;
    aotscope::test::forEachGoldenGraph([&](GoldenGraph& golden) {
        if (!golden.json.contains("text")) {
            return;
        }
        CAPTURE(golden.where);
        const Result<GraphPtr> parsed = parseGraphText(golden.json["text"].get<std::string>());
        if (!parsed) {
            FAIL_CHECK(parsed.error().text());
            return;
        }
        const Result<GraphPtr> recorded = graphFromJson(golden.json.dump());
        REQUIRE(recorded.ok());
        compareGraphs(**parsed, **recorded, nodes);
        ++graphs;
    });
    MESSAGE(graphs << " graphs, " << nodes << " nodes");
    CHECK(graphs >= 496);
    CHECK(nodes > 30'000);
}

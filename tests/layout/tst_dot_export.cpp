#include "base/run_child.h"
#include "layout/export.h"
#include "layout/graphs.h"
#include "layout/picture_colors.h"

#include <doctest/doctest.h>

using namespace aotscope;
using namespace aotscope::layout;
using namespace aotscope::layout::test;

namespace {

/// Checks a DOT document with Graphviz's dot; does nothing if dot is not installed.
void checkAccepted(const std::string& document) {
    const auto run = base::runChild("dot", {"-Tcanon"}, document, {std::chrono::seconds(60)}, {});
    if (!run) {
        MESSAGE("skipped: dot is not there");
        return;
    }
    CHECK(run->messages == "");
    CHECK(run->output.find("digraph graph_module") != std::string::npos);
}

} // namespace

TEST_CASE("the DOT document names every node, groups by module and is accepted by dot") {
    const Chain chain = jointChain(6, 3);
    const std::string document = toDot(*chain.graph, chain.modules);
    checkAccepted(document);
    for (const ir::NodeId id : chain.graph->order()) {
        CHECK(document.find("label=\"" + chain.graph->node(id).name + "\\n") != std::string::npos);
    }
    CHECK(document.find("label=\"blocks\"") != std::string::npos);
    CHECK(document.find("label=\"1 (backward)\"") != std::string::npos);
}

TEST_CASE("a split is marked in DOT") {
    const Chain chain = jointChain(6, 3);
    ir::NodeFates fates(chain.graph->idBound(), ir::NodeFate::Removed);
    for (const ir::NodeId id : chain.forward) {
        fates[id.index()] = ir::NodeFate::Saved;
    }
    fates[chain.forward[1].index()] = ir::NodeFate::Recomputed;
    for (const ir::NodeId id : chain.backward) {
        fates[id.index()] = ir::NodeFate::BackwardOnly;
    }
    const SplitFacts split = splitFacts(*chain.graph, std::move(fates));
    const std::string document = toDot(*chain.graph, chain.modules, &split);
    checkAccepted(document);
    CHECK(document.find("label=\"↻ " + chain.graph->node(chain.forward[1]).name + "\\n") !=
          std::string::npos);
    CHECK(document.find("color=\"#b45a8c\", style=dashed]") != std::string::npos);
    CHECK(document.find("color=\"" + hexColor(lightPicture().band()) + "\", penwidth=") != std::string::npos);
    CHECK(document.find("penwidth=1.6") == std::string::npos);
}

TEST_CASE("names of any content survive in DOT") {
    GraphBuilder builder;
    ir::NodeId at = builder.input("say \"hi\" \\ \n}; subgraph x {");
    at = builder.call("größe→形", {at}, "mod\"ule\\");
    at = builder.call("bad \xff\xfe bytes", {at}, "mod\"ule\\");
    at = builder.call(std::string(1'000'000, 'n'), {at});
    at = builder.call("ends with \\", {at});
    builder.output({at});
    const ir::ModulePaths modules = builder.modules();
    const std::string document = toDot(*builder.freeze(), modules);
    checkAccepted(document);
    CHECK(document.find("say \\\"hi\\\" \\\\ ?}; subgraph x {") != std::string::npos);
    CHECK(document.find("größe→形") != std::string::npos);
    CHECK(document.size() < 10'000);
}

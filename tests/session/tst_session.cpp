#include "support/corpus_case.h"
#include "support/event_log.h"
#include "support/fake_backend.h"
#include "support/session_outcome.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "files/graph_snapshot.h"
#include "session/graph_cache.h"
#include "session/session.h"
#include "session/shared_backend.h"

#include "ir/json/graph_json.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

using namespace aotscope;
using test::execute;
using test::reference;

TEST_CASE("an FX text file opens as a log of one graph without a compile") {
    test::TempFolder folder;
    session::Session session;
    const auto opened =
        execute(session, session::OpenLogs{{folder.write("g.txt", test::smallGraphText())}, false});
    CHECK(opened.finished());
    const auto logs = opened.all<session::LogSnapshotPtr>();
    REQUIRE(logs.size() == 1);
    CHECK_FALSE(logs.front()->traceLog());
    REQUIRE(logs.front()->graphs().size() == 1);
    const session::GraphSnapshot& graph = *logs.front()->graphs().front();
    CHECK(graph.reference == reference(0, "-", "graph"));
    CHECK(graph.text == test::smallGraphText());
    CHECK(graph.graph->size() == 4);
    CHECK(graph.problems.empty());
    // The same interface as a log's: one compile with its artifacts.
    const session::LogSnapshot& file = *logs.front();
    REQUIRE(file.compiles().size() == 1);
    CHECK(file.compiles()[0].id.empty());
    const auto compile = file.tryFindCompile(graph.reference);
    REQUIRE(compile);
    REQUIRE(file.artifacts(*compile).size() == 1);
    CHECK(file.artifacts(*compile)[0].name == "graph");
    CHECK_FALSE(file.rank());
    CHECK_FALSE(file.timeline());
}

TEST_CASE("graph JSON opens like the text it was written from") {
    test::TempFolder folder;
    const auto parsed = ir::parseGraphText(test::smallGraphText());
    REQUIRE(parsed);
    session::Session session;
    const auto opened =
        execute(session, session::OpenLogs{{folder.write("g.json", ir::graphToJson(**parsed))}, false});
    REQUIRE(opened.finished());
    const auto graph = session.graph(reference(0, "-", "graph"));
    REQUIRE(graph);
    CHECK(ir::equalGraphs(*(*graph)->graph, **parsed));
}

TEST_CASE("a golden file opens with every graph it holds, named by its place" * test::needsCorpus()) {
    session::Session session;
    const auto opened =
        execute(session, session::OpenLogs{{test::corpusDir() / "golden" / "mlp_sgd.json"}, false});
    REQUIRE(opened.finished());
    // The golden file says itself how many nodes each graph has.
    const auto joint = session.graph(reference(0, "-", "units/0/joint"));
    REQUIRE(joint);
    CHECK((*joint)->graph->size() == 29);
    CHECK((*joint)->joint);
}

TEST_CASE("keyword arguments of a golden graph keep PyTorch's order" * test::needsCorpus()) {
    session::Session session;
    const auto opened = execute(
        session, session::OpenLogs{{test::corpusDir() / "golden" / "dyn_unbacked_nonzero.json"}, false});
    REQUIRE(opened.finished());
    const auto joint = session.graph(reference(0, "-", "units/0/joint"));
    REQUIRE(joint);
    const ir::Graph& graph = *(*joint)->graph;
    const auto made = graph.tryFind("new_zeros");
    REQUIRE(made);
    std::vector<std::string> names;
    for (const ir::KeywordArgument& keyword : graph.node(*made).kwargs) {
        names.push_back(keyword.name);
    }
    CHECK(names == std::vector<std::string>{"dtype", "layout", "device"});
}

TEST_CASE("packed graph JSON opens as plain graph JSON does" * test::needsCorpus()) {
    const auto path = test::corpusDir() / "golden" / "bert_tiny.json.xz";
    session::Session session;
    const auto opened = execute(session, session::OpenLogs{{path}, false});
    REQUIRE(opened.finished());
    const auto logs = opened.all<session::LogSnapshotPtr>();
    REQUIRE(logs.size() == 1);
    CHECK_FALSE(logs.front()->traceLog());
    REQUIRE_FALSE(logs.front()->graphs().empty());
    for (const session::GraphSnapshotPtr& graph : logs.front()->graphs()) {
        CAPTURE(graph->reference.artifact);
        CHECK(graph->graph);
    }
}

TEST_CASE("text that is no graph after all is shown raw with the place of the error") {
    test::TempFolder folder;
    session::Session session;
    std::string text = test::smallGraphText();
    text.replace(text.find("relu.default(add)"), 17, "relu.default(add");
    const auto opened = execute(session, session::OpenLogs{{folder.write("g.txt", text)}, false});
    CHECK(opened.finished());
    const auto graph = session.graph(reference(0, "-", "graph"));
    REQUIRE(graph);
    CHECK_FALSE((*graph)->graph);
    CHECK((*graph)->text == text);
    REQUIRE((*graph)->error);
    CHECK((*graph)->error->place.line == 4);

    const auto laidOut = execute(session, session::LayOutGraph{reference(0, "-", "graph"), {}});
    CHECK(laidOut.finished());
    const auto pictures = laidOut.all<session::LayoutSnapshotPtr>();
    REQUIRE(pictures.size() == 1);
    CHECK_FALSE(pictures.front()->layout);
    CHECK(pictures.front()->graph == *graph);
}

TEST_CASE("a file that cannot be read leaves the others open and is named") {
    test::TempFolder folder;
    session::Session session;
    const auto good = folder.write("g.txt", test::smallGraphText());
    const auto opened = execute(
        session, session::OpenLogs{{folder.path() / "absent.log", good, folder.path() / "gone.log"}, false});
    CHECK(session.logs().size() == 1);
    CHECK(opened.error().text().find("absent.log") != std::string::npos);
    CHECK(opened.error().text().find("gone.log") != std::string::npos);
}

TEST_CASE("a file opened again is read anew under its number; a closed number is not used again") {
    test::TempFolder folder;
    session::Session session;
    const auto first = folder.write("a.txt", test::smallGraphText());
    const auto second = folder.write("b.txt", test::smallGraphText());
    CHECK(execute(session, session::OpenLogs{{first, second}, false}).finished());
    CHECK(session.graph(reference(0, "-", "graph")).value()->text == test::smallGraphText());

    folder.write("a.txt", test::smallGraphText("2"));
    CHECK(execute(session, session::OpenLogs{{folder.path() / "." / "a.txt"}, false}).finished());
    CHECK(session.logs().size() == 2);
    CHECK(session.graph(reference(0, "-", "graph")).value()->text == test::smallGraphText("2"));

    const auto closed = execute(session, session::CloseLog{0});
    CHECK(closed.finished());
    CHECK(closed.all<session::LogClosed>().front().log == 0);
    CHECK(session.graph(reference(0, "-", "graph")).error().code == "session.no_such_log");
    CHECK(execute(session, session::OpenLogs{{first}, false}).all<session::LogSnapshotPtr>().front()->log ==
          2);
}

TEST_CASE("a trace log's graph is parsed, verified and given its modules" * test::needsCorpus()) {
    session::Session session;
    REQUIRE(execute(session, session::OpenLogs{{test::corpusTrace("mlp_sgd")}, false}).finished());
    const auto joint = session.graph(reference(0, "0/0", "joint"));
    REQUIRE(joint);
    // 29 joint nodes is PyTorch's own count in the golden file.
    CHECK((*joint)->graph->size() == 29);
    CHECK((*joint)->joint);
    CHECK((*joint)->problems.empty());
    CHECK(
        std::ranges::any_of((*joint)->modules.ofNode, [](const auto& entry) { return !entry.path.empty(); }));
    CHECK(std::ranges::count((*joint)->phases, ir::Phase::Backward) > 0);

    const auto again = session.graph(reference(0, "0/0", "joint"));
    CHECK(again.value() == joint.value());
}

TEST_CASE("what is not there is said with what there is" * test::needsCorpus()) {
    session::Session session;
    REQUIRE(execute(session, session::OpenLogs{{test::corpusTrace("mlp_sgd")}, false}).finished());
    const auto noCompile = session.graph(reference(0, "7/0", "joint"));
    CHECK(noCompile.error().code == "session.no_such_compile");
    CHECK(noCompile.error().text().find("0/0") != std::string::npos);
    const auto noArtifact = session.graph(reference(0, "0/0", "inference"));
    CHECK(noArtifact.error().code == "session.no_such_artifact");
    CHECK(noArtifact.error().text().find("joint") != std::string::npos);
    auto nested = reference(0, "0/0", "joint");
    nested.subgraph = {"true_graph_0"};
    CHECK(session.graph(nested).error().code == "session.no_such_subgraph");
    CHECK(execute(session, session::LoadPayload{0, load::RecordId(1'000'000)}).error().code ==
          "session.no_such_record");
}

TEST_CASE("the symbols' example values of the log are the graph's hints" * test::needsCorpus()) {
    session::Session session;
    REQUIRE(
        execute(session, session::OpenLogs{{test::corpusTrace("dyn_mark_symint_saved")}, false}).finished());
    const session::LogSnapshotPtr log = session.tryLog(0);
    const auto compile = log->traceLog()->tryFindCompile(load::CompileId::parse("0/0").value());
    REQUIRE(compile);
    const auto values = log->traceLog()->symbolValues(*compile);
    REQUIRE_FALSE(values.empty());
    const auto joint = session.graph(reference(0, "0/0", "joint"));
    REQUIRE(joint);
    for (const auto& [symbol, value] : values) {
        CHECK((*joint)->graph->symbolHints().at(symbol) == value);
    }
}

TEST_CASE("two graphs are compared by structure and as text") {
    test::TempFolder folder;
    session::Session session;
    const auto left = folder.write("a.txt", test::smallGraphText("1"));
    const auto right = folder.write("b.txt", test::smallGraphText("2"));
    REQUIRE(execute(session, session::OpenLogs{{left, right}, false}).finished());
    const auto compared =
        execute(session, session::CompareGraphs{reference(0, "-", "graph"), reference(1, "-", "graph")});
    REQUIRE(compared.finished());
    const auto diff = compared.all<session::DiffSnapshotPtr>().front();
    CHECK_FALSE(diff->diff.equal());
    CHECK(diff->unifiedText.find("--- a.txt") != std::string::npos);
    const auto same =
        execute(session, session::CompareGraphs{reference(0, "-", "graph"), reference(0, "-", "graph")});
    CHECK(same.all<session::DiffSnapshotPtr>().front()->diff.equal());
}

TEST_CASE("a stopped command ends with Canceled and gives no snapshot") {
    test::TempFolder folder;
    session::Session session;
    std::stop_source stop;
    stop.request_stop();
    const auto opened = execute(
        session, session::OpenLogs{{folder.write("g.txt", test::smallGraphText())}, false}, stop.get_token());
    CHECK(opened.canceled());
    CHECK(opened.all<session::LogSnapshotPtr>().empty());
}

TEST_CASE("the backend is made by the first run, and its absence is said") {
    test::TempFolder folder;
    const auto file = folder.write("g.txt", test::smallGraphText());
    auto control = std::make_shared<test::FakeBackendControl>();
    session::Session session(test::fakeBackendFactory(control));
    REQUIRE(execute(session, session::OpenLogs{{file}, false}).finished());
    CHECK(control->made == 0);
    const session::RunGraph run{reference(0, "-", "graph"), {}};
    const auto ran = execute(session, run);
    REQUIRE(ran.finished());
    CHECK(ran.all<session::RunSnapshotPtr>().front()->nodes.size() == 4);
    CHECK(execute(session, run).finished());
    CHECK(control->made == 1);

    session::Session without;
    REQUIRE(execute(without, session::OpenLogs{{file}, false}).finished());
    CHECK(execute(without, run).error().code == "session.no_backend");
}

TEST_CASE("the least recently used graphs leave the cache first") {
    const auto parsed = ir::parseGraphText(test::smallGraphText()).value();
    const auto made = [&](std::uint32_t log) {
        return session::describeGraph(reference(log, "-", "graph"), parsed, "");
    };
    session::GraphCache cache(12);
    cache.insert(made(0));
    cache.insert(made(1));
    CHECK(cache.tryFind(reference(0, "-", "graph")));
    cache.insert(made(2));
    CHECK_FALSE(cache.tryFind(reference(1, "-", "graph")));
    CHECK(cache.tryFind(reference(0, "-", "graph")));
    CHECK(cache.nodes() <= 12);
    cache.erase(session::ChangedCompiles::all(0));
    CHECK_FALSE(cache.tryFind(reference(0, "-", "graph")));
    session::GraphCache tiny(2);
    tiny.insert(made(0));
    CHECK(tiny.nodes() == 0);
}

TEST_CASE("coverage comes from the backend, and is counted by area and group") {
    using enum session::CoverageState;
    using enum session::CoverageArea;
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->coverage =
        std::vector<session::CoverageRow>{{Calls, "torch", "torch.add", Covered, "binding"},
                                          {Calls, "torch", "torch.typename", Outside, "no operator"},
                                          {Calls, "Tensor", "Tensor.add", Missing, "unknown"},
                                          {Shapes, "torch", "aten::put_", Fallback, "real zeros"},
                                          {Calls, "torch", "torch.odd", Missing, "unknown"}};
    session::Session session(test::fakeBackendFactory(control));
    const auto rows = session.backend().answer(session::CoverageCall());
    REQUIRE(rows);
    const auto totals = session::coverageTotals(*rows);
    REQUIRE(totals.size() == 3);
    CHECK(totals[0].covered == 1);
    CHECK(totals[0].missing == 1);
    CHECK(totals[0].outside == 1);
    CHECK(totals[0].share == doctest::Approx(0.5));
    CHECK(totals[1].share == doctest::Approx(0));
    CHECK(totals[2].fallback == 1);
    CHECK(totals[2].share == doctest::Approx(1));
    CHECK_FALSE(session::Session(session::BackendFactory{}).backend().answer(session::CoverageCall()));
    // A backend that fails is none without any names.
    control->coverage = base::Error{.code = "remote.ended", .message = "The engine ended."};
    control->schemas = base::Error{.code = "remote.ended", .message = "It ended."};
    CHECK(session.backend().answer(session::CoverageCall()).error().message == "The engine ended.");
    CHECK(session.backend().answer(session::SchemasCall()).error().message == "It ended.");
}

TEST_CASE("placeholders find their source by descriptor or by AOTAutograd's names") {
    const auto graph =
        ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                           "    def forward(self, primals_2: \"f32[4][1]cpu\", primals_1: "
                           "\"f32[4][1]cpu\", tangents_1: \"f32[4][1]cpu\"):\n"
                           "        add: \"f32[4][1]cpu\" = torch.ops.aten.add.Tensor(primals_1, "
                           "primals_2);  primals_1 = primals_2 = None\n"
                           "        return (add, tangents_1)\n"
                           "        \n");
    REQUIRE(graph);
    const std::vector<std::string> sources{"L['self'].weight", "L['x']"};
    CHECK(session::placeholderSources(**graph, sources, false) ==
          std::vector<std::string>{"L['x']", "L['self'].weight", ""});
    CHECK(session::placeholderSources(**graph, sources, true) ==
          std::vector<std::string>{"L['self'].weight", "L['x']", ""});
    CHECK(session::placeholderSources(**graph, {}, false).empty());
}

#include "support/corpus_case.h"
#include "support/event_log.h"
#include "support/fake_backend.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "contract/retrace_options.h"
#include "evidence/assigned_attributes.h"
#include "files/retrace_targets.h"
#include "files/trace_log_writer.h"
#include "recompile/program_kind.h"
#include "recompile/retrace_request.h"
#include "session/session.h"

#include "ir/json/graph_json.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace aotscope;
using Verdict = base::VerdictWord;

namespace {

std::vector<session::RetraceSnapshotPtr> retraced(session::Session& session, const session::Retrace& command,
                                                  std::stop_token stop = {}) {
    std::vector<session::RetraceSnapshotPtr> snapshots;
    session.execute(
        command,
        [&](session::EventBody body) {
            if (auto* snapshot = std::get_if<session::RetraceSnapshotPtr>(&body)) {
                snapshots.push_back(*snapshot);
            }
        },
        std::move(stop));
    return snapshots;
}

session::LogSnapshotPtr opened(session::Session& session, const std::filesystem::path& path) {
    session.execute(session::OpenLogs{{path}, false}, [](const session::EventBody&) {});
    return session.logs().back();
}

/// A backend that "traces" every program to one graph.
session::BackendFactory tracing(const std::string& text,
                                std::vector<aot::RetraceRequest>* requests = nullptr) {
    auto control = std::make_shared<test::FakeBackendControl>();
    control->onRetrace = [=](const aot::RetraceRequest& request, const session::TracePauses&,
                             base::Progress&) -> base::Result<aot::RetraceResult> {
        if (requests != nullptr) {
            requests->push_back(request);
        }
        aot::RetraceResult result;
        result.function.graph = *ir::parseGraphText(text);
        result.function.reason = "no input requires grad";
        return result;
    };
    return test::fakeBackendFactory(control);
}

std::string logWith(const std::string& inference) {
    return test::graphRecord("dynamo_output_graph", test::firstCompile, test::smallGraphText()) +
           test::graphRecord("aot_inference_graph", test::firstCompile, inference);
}

bool sameRequest(const aot::RetraceRequest& a, const aot::RetraceRequest& b) {
    const auto sameInput = [](const aot::RetraceInput& x, const aot::RetraceInput& y) {
        return x.requiresGrad == y.requiresGrad && x.isLeaf == y.isLeaf && x.isParameter == y.isParameter &&
               x.storage == y.storage && x.storageOffset == y.storageOffset &&
               x.storageBytes == y.storageBytes && x.isStatic == y.isStatic;
    };
    return ir::graphToJson(*a.program) == ir::graphToJson(*b.program) &&
           std::ranges::equal(a.inputs, b.inputs, sameInput) &&
           a.keepInputMutations == b.keepInputMutations && a.decompositions == b.decompositions;
}

} // namespace

TEST_CASE("a verdict is equal, up to names, different, or nothing to compare") {
    test::TempFolder folder;
    const std::string same = test::smallGraphText();
    std::string renamed = same;
    for (std::size_t at = 0; (at = renamed.find("relu", at)) != std::string::npos; at += 4) {
        const bool isTarget = renamed.compare(at, 12, "relu.default") == 0;
        renamed.replace(at, 4, isTarget ? "relu" : "node");
    }
    const struct {
        std::string text;
        Verdict verdict;
    } cases[] = {{same, Verdict::Equal},
                 {renamed, Verdict::EqualUpToNames},
                 {test::smallGraphText("2"), Verdict::Differs}};
    for (const auto& [logged, verdict] : cases) {
        session::Session session(tracing(same));
        const auto log = opened(session, folder.write("l.log", logWith(logged)));
        const auto all = retraced(session, {log->log, {}, {}});
        REQUIRE(all.size() == 1);
        CHECK(all.front()->verdict.word == verdict);
        CHECK(all.front()->difference.has_value() == (verdict != Verdict::Equal));
        CHECK(all.front()->agreeingNodes == (verdict == Verdict::Differs ? 1 : 4));
        // The traced graph is opened like any other.
        const auto made = session.graph(all.front()->made->reference);
        REQUIRE(made.ok());
        CHECK(*made == all.front()->made);
    }
    session::Session session(tracing(same));
    const auto log = opened(
        session, folder.write("d.log", test::graphRecord("dynamo_output_graph", test::firstCompile, same)));
    const auto all = retraced(session, {log->log, {}, {}});
    REQUIRE(all.size() == 1);
    CHECK(all.front()->verdict.word == Verdict::NotComparable);
}

TEST_CASE("exact looks at the printed text too") {
    test::TempFolder folder;
    // As AOTAutograd prints an inference graph.
    std::string commented = "class <lambda>(torch.nn.Module):\n"
                            "    def forward(\n"
                            "        self,\n"
                            "        arg0_1: \"f32[8, 4][4, 1]cpu\",\n"
                            "    ):\n" +
                            test::smallGraphText().substr(test::smallGraphText().find("        add:"));
    commented.insert(commented.find("        relu"), "        # File: m.py:3 in f, code: return x.relu()\n");
    session::Session session(tracing(test::smallGraphText()));
    const auto log = opened(session, folder.write("l.log", logWith(commented)));
    CHECK(retraced(session, {log->log, {}, {}}).front()->verdict.word == Verdict::Equal);
    const auto exact = retraced(session, {log->log, {}, {.decompositions = {}, .exact = true}}).front();
    CHECK(exact->verdict.word == Verdict::Differs);
    REQUIRE(exact->difference);
    CHECK(exact->difference->what == "text line");
    CHECK(exact->difference->right == "        # File: m.py:3 in f, code: return x.relu()");
}

TEST_CASE("what cannot be traced is named and leaves the logged graph") {
    test::TempFolder folder;
    std::string custom = test::smallGraphText();
    custom.replace(custom.find("torch.ops.aten.relu"), 19, "torch.ops.mine.relu");
    session::Session session(test::fakeBackendFactory(std::make_shared<test::FakeBackendControl>()));
    const auto log = opened(
        session,
        folder.write("l.log", test::graphRecord("dynamo_output_graph", test::firstCompile, custom) +
                                  test::graphRecord("aot_inference_graph", test::firstCompile, custom)));
    const auto all = retraced(session, {log->log, {}, {}});
    REQUIRE(all.size() == 1);
    CHECK(all.front()->verdict.word == Verdict::NotSupported);
    CHECK(all.front()->error->message.find("mine.relu") != std::string::npos);
    CHECK(all.front()->logged != nullptr);
    CHECK(all.front()->made == nullptr);

    const auto graph = [](const char* call) {
        return *ir::parseGraphText(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[2][1]cpu\"):\n"
            "        a = " +
            std::string(call) + ";  x = None\n        return (a,)\n");
    };
    const std::vector<std::string> schemas = {"aten::relu(Tensor self) -> Tensor"};
    const auto known = session::operatorNames(schemas);
    CHECK(session::suspectedKind(*graph("torch.ops.aten.relu.default(x)"), known).empty());
    CHECK(session::suspectedKind(*graph("torch.nn.functional.relu(x)"), known).empty());
    CHECK(session::suspectedKind(*graph("torch.ops.higher_order.scan(x)"), known) ==
          "the higher-order operator scan");
    const std::string own = session::suspectedKind(
        *graph("torch.ops.torch_nn._linear_cross_entropy_batch_chunked.default(x)"), known);
    CHECK(own.find("the operator torch_nn._linear_cross_entropy_batch_chunked, which PyTorch itself") == 0);
    CHECK(own.find("without options") != std::string::npos);
    CHECK(session::untraceableKind(*graph("torch.ops.aten._print.default('x')")).find("effect tokens") == 0);
    CHECK(session::untraceableKind(*graph("torch.ops.aten.relu.default(x)")).empty());
}

TEST_CASE("where the operators are not known, no operator is suspected, and the error says why") {
    test::TempFolder folder;
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->schemas = base::Error{.code = "remote.ended", .message = "The engine ended."};
    session::Session session(test::fakeBackendFactory(control));
    const auto log = opened(session, folder.write("l.log", logWith(test::smallGraphText())));
    const auto all = retraced(session, {log->log, {}, {}});
    REQUIRE(all.size() == 1);
    REQUIRE(all.front()->error);
    CHECK(all.front()->error->message == "The fake backend traces nothing.");
    CHECK(all.front()->error->notes ==
          std::vector<std::string>{
              "Whether an operator of the program is missing here is not known: The engine ended."});
}

TEST_CASE("a compile that was stopped gives no snapshot") {
    test::TempFolder folder;
    session::Session session(tracing(test::smallGraphText()));
    const auto log = opened(session, folder.write("l.log", logWith(test::smallGraphText())));
    std::stop_source stop;
    stop.request_stop();
    CHECK(retraced(session, {log->log, {}, {}}, stop.get_token()).empty());
}

TEST_CASE("a log tells what AOTAutograd was asked" * test::needsCorpus()) {
    std::vector<aot::RetraceRequest> requests;
    session::Session session(tracing(test::smallGraphText(), &requests));
    retraced(session, {opened(session, test::corpusTrace("conv_bn_relu"))->log, {}, {}});
    // The answer is another graph, so three other backends are tried too, and the first of them once more for
    // what a backend may decompose.
    REQUIRE(requests.size() == 5);
    const std::vector<aot::RetraceInput>& inputs = requests.front().inputs;
    // weight, x, num_batches_tracked, running_mean, running_var, weight, bias
    REQUIRE(inputs.size() == 7);
    CHECK(inputs[0].isParameter);
    CHECK(inputs[0].requiresGrad);
    CHECK_FALSE(inputs[1].isStatic);
    for (const std::size_t buffer : {2, 3, 4}) {
        CHECK(inputs[buffer].isStatic);
        CHECK_FALSE(inputs[buffer].isParameter);
    }
    CHECK(requests.front().keepInputMutations);
    CHECK(requests.front().decompositions == aot::DecompositionTable::None);
    retraced(session, {opened(session, test::corpusTrace("conv_bn_relu__inductor"))->log, {}, {}});
    CHECK(requests.back().decompositions == aot::DecompositionTable::Inductor);
    retraced(session, {opened(session, test::corpusTrace("synthetic_base_views"))->log, {}, {}});
    REQUIRE(requests.back().inputs.size() == 3);
    CHECK(requests.back().inputs[0].storage == requests.back().inputs[1].storage);
    CHECK(requests.back().inputs[0].storage != requests.back().inputs[2].storage);
}

TEST_CASE("a written log reads back as what was traced" * test::needsCorpus()) {
    test::TempFolder folder;
    const std::string inference = test::smallGraphText();
    std::vector<aot::RetraceRequest> requests;
    session::Session session(tracing(inference, &requests));
    const auto log = opened(session, test::corpusTrace("mlp_sgd"));
    const auto all = retraced(session, {log->log, {}, {}});
    REQUIRE(all.size() == 1);
    const std::filesystem::path path = folder.path() / "written.log";
    {
        std::ofstream out(path, std::ios::binary);
        session::TraceLogWriter writer(out);
        session::writeStrings(writer, *log);
        session::writeRetraced(writer, *all.front(), log.get(), {});
    }
    load::ReadOptions verifying;
    verifying.verifyPayloads = true;
    const auto read = load::TraceLog::read(path, verifying);
    REQUIRE(read.ok());
    CHECK((*read)->problems().empty());
    const auto compile = (*read)->tryFindCompile(*load::CompileId::parse("0/0"));
    REQUIRE(compile);
    CHECK((*read)->compile(*compile).status == load::CompileStatus::Succeeded);
    CHECK((*read)->compile(*compile).function == "forward");
    const auto written = opened(session, path);
    const auto targets = session::retraceTargets(*written);
    REQUIRE(targets.size() == 1);
    const auto graph = session.graph(*targets.front().logged);
    REQUIRE(graph.ok());
    CHECK((*graph)->text == all.front()->made->printed.text);
    CHECK(targets.front().metadata.has_value());
    // It can be traced again: the same is asked, and the answer is the same.
    const auto again = retraced(session, {written->log, {}, {}});
    // The first log has another graph, so three other backends were tried in between, one that decomposes the
    // operators which only the traced graph has, and one for what a backend may decompose.
    REQUIRE(requests.size() == 7);
    CHECK(requests[4].decompositions == aot::DecompositionTable::Chosen);
    CHECK(sameRequest(requests.front(), requests.back()));
    CHECK(again.front()->verdict.word == Verdict::Equal);
    CHECK(again.front()->metadataDifferences.empty());
}

TEST_CASE("the log's release chooses the rules, or a person does") {
    test::TempFolder folder;
    std::vector<aot::RetraceRequest> requests;
    session::Session session(tracing(test::smallGraphText(), &requests));
    const std::string named =
        test::artifactRecord("torch_version", test::firstCompile, R"({"pytorch_version": "2.15.0+cu132"})");
    const auto log = opened(session, folder.write("new.log", named + logWith(test::smallGraphText())));
    const auto own = retraced(session, {log->log, {}, {}}).front();
    CHECK(requests.back().torch == aot::TorchVersion{2, 15});
    REQUIRE(own->rules);
    CHECK(own->rules->text() == "rules of torch 2.15");
    session::RetraceOptions older;
    older.torch = aot::TorchVersion{2, 11};
    const auto chosen = retraced(session, {log->log, {}, older}).front();
    CHECK(requests.back().torch == aot::TorchVersion{2, 11});
    CHECK(chosen->rules->text() == "rules of torch 2.11 (chosen; made by torch 2.15)");
    // A log that is written from it is made by the same release.
    {
        std::ofstream out(folder.path() / "written.log", std::ios::binary);
        session::TraceLogWriter writer(out);
        session::writeStrings(writer, *log);
        session::writeRetraced(writer, *own, log.get(), {});
    }
    const auto written = opened(session, folder.path() / "written.log");
    CHECK(session::madeBy(*written) == aot::TorchVersion{2, 15});
    const auto unnamed = opened(session, folder.write("old.log", logWith(test::smallGraphText())));
    CHECK(retraced(session, {unnamed->log, {}, {}}).front()->rules->text() == "rules of torch 2.11");
}

TEST_CASE("the logged code of the wrappers is kept with the re-trace") {
    test::TempFolder folder;
    session::Session session(tracing(test::smallGraphText()));
    const std::string record =
        test::artifactRecord("aot_autograd_runtime_wrappers", test::firstCompile,
                             "# mutation_epilogue\ndef f(x):\n    return x\n\n# another\npass");
    const auto log = opened(session, folder.write("l.log", logWith(test::smallGraphText()) + record));
    const auto sources = retraced(session, {log->log, {}, {}}).front()->wrapperSources;
    CHECK(sources == std::vector<load::WrapperSource>{{"mutation_epilogue", "def f(x):\n    return x", 1},
                                                      {"another", "pass", 5}});

    const auto sections = aot::sourceSections(aot::RuntimeWrapper{});
    CHECK(std::ranges::find(sections, sources.front().section) != sections.end());
}

TEST_CASE("tensors assigned to attributes of modules are found in what Dynamo logs of side effects") {
    // As torch 2.11 logs it, outer frames left out.
    const auto assignment = [](int line, const char* code) {
        return "      File \"model.py\", line " + std::to_string(line) + ", in forward\n        " + code +
               "\n      File \"site-packages/torch/nn/modules/module.py\", line 2075, in __setattr__\n"
               "        super().__setattr__(name, value)\n\n    ********\n\n";
    };
    const auto program =
        ir::parseGraphText("class GraphModule(torch.nn.Module):\n"
                           "    def forward(self, L_x_: \"f32[3][1]cpu\"):\n"
                           "        l_x_ = L_x_\n"
                           "        # File: model.py:14 in forward, code: y = x * 2\n"
                           "        y: \"f32[3][1]cpu\" = l_x_ * 2\n"
                           "        # File: model.py:16 in forward, code: self.seen += x.sum(0)\n"
                           "        sum_1: \"f32[][]cpu\" = l_x_.sum(0)\n"
                           "        # File: model.py:20 in forward, code: return y.sum()\n"
                           "        sum_2: \"f32[][]cpu\" = y.sum();  y = None\n"
                           "        return (sum_2, sum_1, y)\n");
    REQUIRE_MESSAGE(program.ok(), program.error().text());
    const std::string effects = "Mutating object of type M (source name: L['self'])\n\n" +
                                assignment(15, "self.cache = y") + assignment(16, "self.seen += x.sum(0)") +
                                assignment(18, "self.count += 1");
    const auto found = evidence::assignedAttributes(effects, **program);
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "self.cache");
    CHECK(found[1].name == "self.seen");
    // A dictionary's entry is set without it.
    CHECK(evidence::assignedAttributes("Mutating object of type dict (source name: L['self'].table)\n\n"
                                       "      File \"model.py\", line 15, in forward\n"
                                       "        self.table['k'] = y\n",
                                       **program)
              .empty());
}

// Real logs: counted, verified and compared with what PyTorch recorded in them.
#include "load/trace_log.h"

#include "log_text.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace aotscope::load;
using aotscope::test::compileNamed;
using aotscope::test::corpusDir;
using aotscope::test::payloadState;
using aotscope::test::problemList;
using aotscope::test::readFileOk;
using aotscope::test::record;
using aotscope::test::recordAt;

namespace {

std::filesystem::path trace(const std::string& name, const std::string& family = "traces") {
    return corpusDir() / family / name / ("dedicated_log_torch_trace_" + name + ".log");
}

/// Logs as PyTorch wrote them, by families of the corpus.
std::vector<std::filesystem::path> untouchedLogs() {
    std::vector<std::filesystem::path> out;
    for (const char* const family : {"traces", "traces-2.11", "traces-2.15"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(corpusDir() / family)) {
            const std::string name = entry.path().filename().string();
            if (entry.is_regular_file() && name.find(".log") != std::string::npos) {
                out.push_back(entry.path());
            }
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

TEST_CASE("every log of the corpus loads without a problem and with every md5 good" *
          aotscope::test::needsCorpus()) {
    ReadOptions options;
    options.verifyPayloads = true;
    const auto paths = untouchedLogs();
    CHECK(paths.size() > 80);
    for (const auto& path : paths) {
        CAPTURE(path);
        const auto log = readFileOk(path, options);
        CHECK(problemList(*log).empty());
        CHECK(log->recordCount() > 0);
    }
}

TEST_CASE("records and payloads are what a plain count of lines gives" * aotscope::test::needsCorpus()) {
    for (const auto& path : untouchedLogs()) {
        if (path.extension() != ".log") {
            continue;
        }
        CAPTURE(path);
        const std::string text = aotscope::test::readFile(path);
        std::size_t headers = 0;
        std::size_t lines = 0;
        std::size_t payloads = 0;
        char before = 0;
        for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
            payloads += text[at] == '\t' && before != '\t' ? 1 : 0;
            headers += text[at] != '\t' ? 1 : 0;
            ++lines;
            before = text[at];
        }
        const auto log = readFileOk(path);
        CHECK(log->recordCount() == headers);
        CHECK(log->totals().records == headers);
        CHECK(log->totals().lines == lines);
        CHECK(log->totals().payloads == payloads);
        CHECK(log->totals().bytes == text.size());
        std::uint64_t byKind = 0;
        for (const auto& [name, count] : log->totals().kinds) {
            byKind += count;
        }
        CHECK(byKind == headers);
    }
}

TEST_CASE("every metrics record lies with the compile that it names itself" * aotscope::test::needsCorpus()) {
    std::size_t compared = 0;
    for (const auto& path : untouchedLogs()) {
        const auto log = readFileOk(path);
        for (const Compile& compile : log->compiles()) {
            if (!compile.metrics) {
                continue;
            }
            // The metadata's own compile_id is written by another part of PyTorch than the envelope's ids.
            const std::string envelope = log->envelope(*compile.metrics);
            const std::string key = "\"compile_id\": \"";
            const std::size_t at = envelope.find(key);
            if (at == std::string::npos) {
                continue;
            }
            CompileId own = compile.id;
            own.attempt = 0;
            const std::size_t from = at + key.size();
            CHECK(envelope.substr(from, envelope.find('"', from) - from) == own.text());
            ++compared;
        }
    }
    CHECK(compared > 80);
}

TEST_CASE("versions are known where the log has them" * aotscope::test::needsCorpus()) {
    CHECK(readFileOk(trace("mlp_sgd"))->totals().torchVersion == "2.11.0+cu130");
    CHECK(readFileOk(trace("mlp_sgd", "traces-2.15"))->totals().torchVersion == "2.15.0+cu132");
    CHECK(readFileOk(corpusDir() / "tlparse-logs/simple.log")->totals().torchVersion.empty());
}

TEST_CASE("a restarted compile says why" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(trace("graph_breaks"));
    const Compile& first = log->compile(compileNamed(*log, "0/0"));
    CHECK(first.status == CompileStatus::Restarted);
    CHECK(first.reason.find("torch._dynamo.graph_break()") != std::string::npos);
    const Compile& second = log->compile(compileNamed(*log, "0/0_1"));
    CHECK(second.status == CompileStatus::Succeeded);
    CHECK(second.function == "forward");
    CHECK(second.line == 1259);
    CHECK(second.guardCount == 34);
    CHECK(second.graphNodeCount == 6);
    CHECK(second.seconds == doctest::Approx(1.267291));
    const Compile& resumed = log->compile(compileNamed(*log, "1/0"));
    CHECK(resumed.function == "torch_dynamo_resume_in_forward_at_1261");
    REQUIRE(resumed.graphBreaks.size() == 1);
    CHECK(resumed.graphBreaks[0].starts_with("Data-dependent branching"));
}

TEST_CASE("a restart without a break takes its reason from the metrics" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(corpusDir() / "tlparse-logs/comp_metrics.log");
    const Compile& restarted = log->compile(compileNamed(*log, "0/0"));
    CHECK(restarted.status == CompileStatus::Restarted);
    CHECK(restarted.reason.find("skip function graph_break") != std::string::npos);
}

TEST_CASE("a failed compile has PyTorch's type, reason and place" * aotscope::test::needsCorpus()) {
    const auto backend = readFileOk(trace("fail_backend_error"));
    const Compile& failed = backend->compile(compileNamed(*backend, "0/0"));
    CHECK(failed.status == CompileStatus::Failed);
    CHECK(failed.reason == "BackendCompilerFailed: backend='bad' raised:\n"
                           "RuntimeError: corpus: backend compiler failed on purpose");
    const auto user = readFileOk(trace("fail_unsupported_fullgraph"));
    const Compile& unsupported = user->compile(compileNamed(*user, "0/0"));
    CHECK(unsupported.reason.starts_with("Unsupported: "));
    CHECK(unsupported.failFile.ends_with("zoo.py"));
    CHECK(unsupported.failLine == 1509);
}

TEST_CASE("a compile that found nothing to compile is empty" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(trace("gpt2_2l"));
    CHECK(log->compile(compileNamed(*log, "0/0_1")).status == CompileStatus::Empty);
    CHECK(log->compile(compileNamed(*log, "2/0_1")).status == CompileStatus::Succeeded);
}

TEST_CASE("recompiles say which guard failed" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(corpusDir() / "traces-2.11/dynamic_recompile_break.log");
    const Compile& compile = log->compile(compileNamed(*log, "0/1"));
    CHECK(compile.recompileReasons ==
          std::vector<std::string>{"0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"});
    CHECK(log->compile(compileNamed(*log, "0/0")).recompileReasons.empty());
}

TEST_CASE("cache states come from the caches' artifacts") {
    const auto state = [](const std::string& names) {
        std::string text;
        for (std::size_t at = 0; at < names.size(); at = names.find(' ', at) + 1) {
            text += record("\"artifact\": {\"name\": \"" + names.substr(at, names.find(' ', at) - at) +
                               "\", \"encoding\": \"json\"}",
                           "{}");
            if (names.find(' ', at) == std::string::npos) {
                break;
            }
        }
        return aotscope::test::readLog(text)->compiles()[0].cache;
    };
    CHECK(state("fx_graph_cache_hit") == CacheState::Hit);
    CHECK(state("fx_graph_cache_miss") == CacheState::Miss);
    CHECK(state("aotautograd_cache_bypass") == CacheState::Bypass);
    CHECK(state("fx_graph_cache_hit aotautograd_cache_miss") == CacheState::Miss);
    CHECK(state("fx_graph_runnable") == CacheState::Unknown);
}

TEST_CASE("a compile that is begun anew under its id asks the caches anew") {
    const auto started = [](const std::string& cache) {
        return record("\"dynamo_start\": {\"stack\": [{\"line\": 7, \"name\": \"f\", \"filename\": -1}]}") +
               record("\"artifact\": {\"name\": \"fx_graph_cache_" + cache + "\", \"encoding\": \"json\"}",
                      "{}");
    };
    const auto log = aotscope::test::readLog(started("miss") + started("hit"));
    CHECK(log->compile(compileNamed(*log, "0/0")).cache == CacheState::Miss);
    CHECK(log->compile(compileNamed(*log, "0/0 (2nd)")).cache == CacheState::Hit);
}

TEST_CASE("compiled autograd has rows of its own" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(trace("compiled_autograd_mlp"));
    std::set<std::string> ids;
    for (const Compile& compile : log->compiles()) {
        ids.insert(compile.id.text());
    }
    CHECK(ids == std::set<std::string>{"0/0", "-", "!0", "!1", "!0/1/0", "!1/2/0"});
    const CompileIndex traced = compileNamed(*log, "!0");
    CHECK(log->compile(traced).status == CompileStatus::Succeeded);
    CHECK(log->tryFindArtifact(traced, "compiled_autograd").has_value());
}

TEST_CASE("artifacts have the names of their graphs, and the last of several is meant") {
    const auto log = aotscope::test::readLog(
        record("\"aot_joint_graph\": {}", "first") + record("\"chromium_event\": {}", "{}") +
        record("\"artifact\": {\"name\": \"before_post_grad_graph\", \"encoding\": \"string\"}", "post") +
        record("\"artifact\": {\"name\": \"min_cut_information\", \"encoding\": \"json\"}", "{}") +
        record("\"aot_joint_graph\": {}", "second") +
        record("\"inductor_output_code\": {\"filename\": \"x\"}", "code"));
    const CompileIndex compile = compileNamed(*log, "0/0");
    std::string names;
    for (const Artifact& artifact : log->artifacts(compile)) {
        names += artifact.name + (artifact.isGraph ? "! " : " ");
        CHECK(artifact.compile == compile);
        CHECK(artifact.line == log->lineOf(artifact.record) + 1);
    }
    CHECK(names == "joint! before_post_grad_graph! min_cut_information joint#2! inductor_output_code ");
    CHECK(log->payload(log->tryFindArtifact(compile, "joint")->record) == "second");
    CHECK(log->payload(log->tryFindArtifact(compile, "joint#2")->record) == "second");
    CHECK(!log->tryFindArtifact(compile, "backward").has_value());
    // Whoever looks again sees the same list.
    CHECK(&log->artifacts(compile) == &log->artifacts(compile));
}

TEST_CASE("a record that holds a graph is one, whatever it is called") {
    const std::string graph =
        "class GraphModule(torch.nn.Module):\n    def forward(self, x):\n        return (x,)\n";
    const std::string partial = "\n\n\ndef forward(self, x):\n    sin = torch.sin(x)\n";
    const auto artifact = [](const std::string& name) {
        return "\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}";
    };
    const auto log = aotscope::test::readLog(
        record(artifact("optimus_GroupLinearFusion"), graph) +
        record(artifact("make_fx_fail_partial"), partial) +
        record(artifact("min_cut_failed_fx_graph"), "graph():\n    return None\n") +
        record("\"optimize_ddp_split_child\": {\"name\": \"submod_0\"}", graph) +
        record("\"exported_program\": {}", "ExportedProgram:\n    " + graph) +
        record(artifact("fx_bucketing_passes_all_gather_buckets"), "def forward is named here\n") +
        record(artifact("notes"), "# comment\nclass Other:\n    pass\n") +
        record("\"inductor_output_code\": {\"filename\": \"x\"}", "# AOT ID: ['0_forward']\nimport torch\n") +
        record("\"dump_file\": {\"name\": \"<eval_with_key>.1\"}", partial) + record(artifact("empty"), ""));
    std::string names;
    for (const Artifact& found : log->artifacts(compileNamed(*log, "0/0"))) {
        names += found.name + (found.isGraph ? "! " : " ");
    }
    CHECK(names ==
          "optimus_GroupLinearFusion! make_fx_fail_partial! min_cut_failed_fx_graph! "
          "optimize_ddp_split_child submod_0! exported_program! fx_bucketing_passes_all_gather_buckets notes "
          "inductor_output_code dump_file <eval_with_key>.1 empty ");
}

TEST_CASE("what a record's envelope names is in the artifact's name") {
    const std::string region = "\"subgraph_name\": \"partitioned_fw_subgraph_0_0\"";
    const auto log = aotscope::test::readLog(
        record("\"graph_dump\": {\"name\": \"inductor_aot_kernel_code\", \"type\": \"cpp\"}", "int x;") +
        record("\"graph_dump\": {\"name\": \"inductor_aot_header_code\", \"type\": \"cpp\"}", "int y;") +
        record("\"inductor_output_code\": {\"filename\": \"x\"}, " + region, "code") +
        record("\"artifact\": {\"name\": \"before_post_grad_graph\", \"encoding\": \"string\"}, " + region,
               "def forward(self): return ()") +
        record("\"graph_dump\": {}", "int z;"));
    std::string names;
    for (const Artifact& found : log->artifacts(compileNamed(*log, "0/0"))) {
        names += found.name + "; ";
    }
    CHECK(names == "inductor_aot_kernel_code; inductor_aot_header_code; "
                   "inductor_output_code (partitioned_fw_subgraph_0_0); "
                   "before_post_grad_graph (partitioned_fw_subgraph_0_0); graph_dump; ");
}

TEST_CASE("records of running code join the first attempt") {
    const auto log = aotscope::test::readLog(
        record("\"aot_joint_graph\": {}", "j") +
        aotscope::test::header(
            "{\"compilation_metrics_runtime\": {}, \"frame_id\": 0, \"frame_compile_id\": 0}"));
    CHECK(log->compiles().size() == 1);
    CHECK(log->kind(recordAt(1)) == RecordKind::RuntimeCompilationMetrics);
}

TEST_CASE("a record that is not of the log is nothing") {
    const auto log = aotscope::test::readLog(record("\"aot_joint_graph\": {}", "j"));
    for (const RecordId stranger : {RecordId(), recordAt(1), recordAt(4'000'000'000)}) {
        CHECK(log->kind(stranger) == RecordKind::Other);
        CHECK(log->kindName(stranger).empty());
        CHECK(log->payload(stranger).empty());
        CHECK(log->envelope(stranger).empty());
        CHECK(log->stack(stranger).empty());
        CHECK(!log->compileOf(stranger).valid());
        CHECK(payloadState(*log, stranger) == PayloadState::None);
    }
}

TEST_CASE("records without an id can be opened" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(trace("mut_input_nokeep_aot"));
    const CompileIndex none = compileNamed(*log, "-");
    CHECK(log->compile(none).id.empty());
    CHECK(log->tryFindArtifact(none, "joint").has_value());
    CHECK(log->tryFindArtifact(none, "forward").has_value());
    CHECK(log->compile(none).status == CompileStatus::Succeeded);
}

TEST_CASE("stacks have the file names that their numbers stand for" * aotscope::test::needsCorpus()) {
    const auto log = readFileOk(trace("graph_breaks"));
    std::size_t stacks = 0;
    for (std::size_t i = 0; i < log->recordCount(); ++i) {
        if (log->kind(recordAt(i)) != RecordKind::DynamoStart) {
            continue;
        }
        const auto frames = log->stack(recordAt(i));
        REQUIRE(!frames.empty());
        CHECK(frames.front().function == "<module>");
        CHECK(frames.front().file.ends_with("run_trace.py"));
        CHECK(frames.front().line == 52);
        CHECK(frames.front().code == "main(sys.argv[1], sys.argv[2])");
        for (const StackFrame& frame : frames) {
            CHECK(!frame.file.empty());
        }
        ++stacks;
    }
    CHECK(stacks == 3);
}

TEST_CASE("two logs in one file keep their own string tables") {
    const auto log = aotscope::test::readLog(aotscope::test::header("{\"str\": [\"a.py\", 0]}") +
                                             record("\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": "
                                                    "\"f\", \"filename\": 0, \"loc\": null}]}") +
                                             aotscope::test::header("{\"str\": [\"b.py\", 0]}") +
                                             record("\"dynamo_start\": {\"stack\": [{\"line\": 2, \"name\": "
                                                    "\"g\", \"filename\": 0, \"loc\": null}]}"));
    CHECK(log->stack(recordAt(1)).at(0).file == "a.py");
    CHECK(log->stack(recordAt(3)).at(0).file == "b.py");
}

TEST_CASE("a large log read in pieces is the small ones one after another" * aotscope::test::needsCorpus()) {
    // Above the size at which several threads share the work; the pieces end inside payloads and headers.
    std::string text;
    std::size_t records = 0;
    std::uint64_t payloads = 0;
    while (text.size() < (24U << 20U)) {
        for (const char* const name : {"resnet18", "compiled_autograd_hooks", "mlp_sgd__inductor"}) {
            text += aotscope::test::readFile(trace(name));
            const auto one = readFileOk(trace(name));
            records += one->recordCount();
            payloads += one->totals().payloads;
        }
    }
    ReadOptions options;
    options.verifyPayloads = true;
    const auto log = aotscope::test::readLog(text, options);
    CHECK(problemList(*log).empty());
    CHECK(log->recordCount() == records);
    CHECK(log->totals().payloads == payloads);
    CHECK(log->totals().lines == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
    for (std::size_t i = 0; i < records; i += 997) {
        const std::string envelope = log->envelope(recordAt(i));
        CHECK(envelope.starts_with("{\"" + log->kindName(recordAt(i)) + "\""));
    }
}

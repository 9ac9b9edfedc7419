#include "load/compile_repetitions.h"
#include "load/trace_log.h"
#include "log_text.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace aotscope::load; // NOLINT: as the other tests of the room
using aotscope::test::header;
using aotscope::test::recordAt;
using aotscope::test::tabbed;
using aotscope::test::TemporaryFile;

namespace {

/// Records in the order in which torch writes them.
class Log {
public:
    Log() : Log(frame(0, 0)) {}
    explicit Log(std::string ids) : m_ids(std::move(ids)) {}

    static std::string frame(int number, int attempt = 0) {
        return "\"frame_id\": " + std::to_string(number) +
               ", \"frame_compile_id\": 0, \"attempt\": " + std::to_string(attempt);
    }
    static std::string autograd(int number) {
        return "\"compiled_autograd_id\": " + std::to_string(number) + ", \"attempt\": 0";
    }

    Log& of(std::string ids) {
        m_ids = std::move(ids);
        return *this;
    }
    Log& event(const std::string& event, const std::string& payload = {}) {
        std::string envelope = "{" + event + (m_ids.empty() ? "" : ", " + m_ids);
        if (!payload.empty()) {
            envelope += ", \"has_payload\": \"" + md5Of(payload) + "\"";
        }
        m_text += header(envelope + "}") + (payload.empty() ? "" : tabbed(payload));
        return *this;
    }
    Log& artifact(const std::string& name, const std::string& payload = "-") {
        return event("\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}", payload);
    }
    Log& start(const std::string& function) {
        return event("\"dynamo_start\": {\"stack\": [{\"line\": 3, \"name\": \"" + function +
                     "\", \"filename\": -1}]}");
    }
    Log& describe(const std::string& source) {
        event("\"describe_storage\": {\"id\": 0, \"describer_id\": 0, \"size\": 4}");
        event("\"describe_tensor\": {\"id\": 0, \"describer_id\": 0, \"size\": [1], \"stride\": [1]}");
        return event("\"describe_source\": {\"describer_id\": 0, \"id\": 0, \"source\": \"" + source + "\"}");
    }
    Log& graph(const std::string& text = "g") {
        return event("\"dynamo_output_graph\": {\"sizes\": {}}", text);
    }
    Log& end(const std::string& function) {
        return event("\"compilation_metrics\": {\"co_name\": \"" + function +
                     "\", \"graph_op_count\": 1, \"has_guarded_code\": true}");
    }
    Log& backwardEnd(int milliseconds) {
        return event("\"bwd_compilation_metrics\": {\"duration_us\": " + std::to_string(milliseconds * 1000) +
                     "}");
    }
    /// A training compile whose backward computes `call`.
    Log& training(const std::string& function, const std::string& call) {
        return start(function)
            .graph()
            .event("\"aot_joint_graph\": {}", "joint")
            .event("\"aot_forward_graph\": {}", "forward")
            .event("\"aot_backward_graph\": {}", backwardText(call))
            .end(function);
    }
    static std::string backwardText(const std::string& call) {
        return "def forward(self, tangents_1):\n    mul = torch.ops.aten." + call +
               "(tangents_1);  tangents_1 = None\n    return (mul,)";
    }

    [[nodiscard]] const std::string& text() const { return m_text; }

private:
    std::string m_ids;
    std::string m_text;
};

/// "0/0 ok f: 3" for each row: id, status, function, number of records.
std::vector<std::string> rows(const TraceLog& log) {
    static constexpr const char* names[] = {"unfinished", "ok", "failed", "restarted", "empty", "ended"};
    std::vector<std::string> out;
    for (const Compile& compile : log.compiles()) {
        out.push_back(compile.id.text() + " " + names[static_cast<int>(compile.status)] + " " +
                      compile.function + ": " + std::to_string(compile.records.size()));
    }
    return out;
}

/// Reads a log at once, and byte by byte; both must say the same at the end.
std::vector<std::string> rowsOf(const std::string& text) {
    const TraceLogPtr whole = aotscope::test::readLog(text);
    const TemporaryFile file(text.substr(0, text.find('\n') + 1));
    TraceLogPtr log = aotscope::test::readFileOk(file.path());
    std::vector<std::string> ids;
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at += 41) {
        file.append(text.substr(at, 41));
        auto next = TraceLog::readAppended(log);
        REQUIRE(next.ok());
        log = *next;
        // A row keeps its place and its id.
        for (std::size_t i = 0; i < log->compiles().size(); ++i) {
            if (i == ids.size()) {
                ids.push_back(log->compiles()[i].id.text());
            }
            CHECK(ids[i] == log->compiles()[i].id.text());
        }
    }
    CHECK(rows(*log) == rows(*whole));
    for (std::size_t i = 0; i < whole->recordCount(); ++i) {
        CHECK(whole->compile(whole->compileOf(recordAt(i))).id ==
              log->compile(log->compileOf(recordAt(i))).id);
    }
    for (const Compile& compile : whole->compiles()) {
        CHECK(std::is_sorted(compile.records.begin(), compile.records.end()));
        CHECK(&whole->compile(whole->tryFindCompile(compile.id).value()) == &compile);
    }
    return rows(*whole);
}

using Rows = std::vector<std::string>;

} // namespace

TEST_CASE("a compile that starts again is another compile") {
    Log log;
    log.start("first").artifact("dynamo_error", "Traceback\nValueError: no\n");
    log.event("\"compilation_metrics\": {\"co_name\": \"first\", \"fail_type\": \"ValueError\", "
              "\"fail_user_frame_filename\": \"/x/prog.py\", \"fail_user_frame_lineno\": 4}");
    log.start("second").graph().end("second");
    log.start("third").graph().end("third");
    CHECK(rowsOf(log.text()) ==
          Rows{"0/0 failed first: 3", "0/0 (2nd) ok second: 3", "0/0 (3rd) ok third: 3"});
    const TraceLogPtr read = aotscope::test::readLog(log.text());
    CHECK(failurePlace(read->compiles()[0]) == "prog.py:4");
    CHECK(failurePlace(read->compiles()[1]).empty());
}

TEST_CASE("where a compile failed is read from its error if no metrics say it") {
    Log log;
    log.start("first").artifact("dynamo_error", "Traceback (most recent call last):\nValueError: no\n\n"
                                                "from user code:\n"
                                                "   File \"/x/caller.py\", line 3, in main\n    f(x)\n"
                                                "  File \"/x/prog.py\", line 10, in forward\n    y = g(x)\n");
    CHECK(failurePlace(aotscope::test::readLog(log.text())->compiles()[0]) == "prog.py:10");
}

TEST_CASE("a compile that never ended is another one than the next of its id") {
    Log log;
    log.start("cut").describe("L['x']").start("next").graph().end("next");
    CHECK(rowsOf(log.text()) == Rows{"0/0 unfinished cut: 4", "0/0 (2nd) ok next: 3"});
}

TEST_CASE("attempts, recompiles and other frames are no repetitions") {
    Log log;
    log.start("f").artifact("dynamo_graph_break_reason", "Reason: x");
    log.of(Log::frame(0, 1)).graph().end("f");
    log.of(Log::frame(1)).start("g").graph().end("g");
    log.of("\"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0");
    log.artifact("recompile_reasons", "[\"0/0: x\"]").start("f").graph().end("f");
    CHECK(rowsOf(log.text()) == Rows{"0/0 restarted f: 2", "0/0_1 ok f: 2", "1/0 ok g: 3", "0/1 ok f: 4"});
}

TEST_CASE("a repeated compile has its own attempts") {
    Log log;
    for (const char* const name : {"f", "g"}) {
        log.of(Log::frame(0)).start(name).of(Log::frame(0, 1)).graph().end(name);
    }
    CHECK(rowsOf(log.text()) ==
          Rows{"0/0 restarted f: 1", "0/0_1 ok f: 2", "0/0 (2nd) restarted g: 1", "0/0_1 (2nd) ok g: 2"});
    const TraceLogPtr read = aotscope::test::readLog(log.text());
    const CompileIndex second = aotscope::test::compileNamed(*read, "0/0 (2nd)");
    CHECK(read->compile(read->tryNextAttempt(second).value()).id.text() == "0/0_1 (2nd)");
}

TEST_CASE("the reasons of a recompile come before its start") {
    Log log("\"frame_id\": 0, \"frame_compile_id\": 1, \"attempt\": 0");
    for (const char* const name : {"f", "g"}) {
        log.artifact("recompile_reasons", "[\"0/0: " + std::string(name) + "\"]")
            .start(name)
            .graph()
            .end(name);
    }
    CHECK(rowsOf(log.text()) == Rows{"0/1 ok f: 4", "0/1 (2nd) ok g: 4"});
    const TraceLogPtr read = aotscope::test::readLog(log.text());
    CHECK(read->compiles()[1].recompileReasons == std::vector<std::string>{"0/0: g"});
}

TEST_CASE("a backward that is compiled later belongs to its own compile") {
    Log log;
    log.training("f", "sin.default");
    log.artifact("fx_graph_runnable", Log::backwardText("sin.default"));
    log.event("\"inductor_output_code\": {\"filename\": \"x\"}", "code").backwardEnd(1);
    log.training("g", "cos.default");
    log.artifact("fx_graph_runnable", Log::backwardText("cos.default")).backwardEnd(2);
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok f: 9", "0/0 (2nd) ok g: 8"});
}

TEST_CASE("backwards that are compiled after other compiles of their id find their own") {
    // f and g are compiled, then g's backward, then h without one, then f's.
    Log log;
    log.training("f", "sin.default").training("g", "cos.default");
    log.artifact("fx_graph_cache_miss", "{}").artifact("fx_graph_runnable", Log::backwardText("cos.default"));
    log.backwardEnd(20);
    log.start("h").graph().end("h");
    log.artifact("fx_graph_runnable", Log::backwardText("sin.default")).backwardEnd(10);
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok f: 8", "0/0 (2nd) ok g: 9", "0/0 (3rd) ok h: 3"});
    const TraceLogPtr read = aotscope::test::readLog(log.text());
    CHECK(read->compiles()[0].backwardSeconds.value() == doctest::Approx(0.010));
    CHECK(read->compiles()[1].backwardSeconds.value() == doctest::Approx(0.020));

    // In the other order the text of the graph decides.
    Log other;
    other.training("f", "sin.default").training("g", "cos.default");
    other.artifact("fx_graph_cache_miss", "{}")
        .artifact("fx_graph_runnable", Log::backwardText("sin.default"));
    other.backwardEnd(10);
    other.artifact("fx_graph_cache_hit", "{}")
        .artifact("fx_graph_runnable", Log::backwardText("cos.default"));
    other.backwardEnd(20);
    CHECK(rowsOf(other.text()) == Rows{"0/0 ok f: 9", "0/0 (2nd) ok g: 9"});
    const TraceLogPtr second = aotscope::test::readLog(other.text());
    CHECK(second->compiles()[0].backwardSeconds.value() == doctest::Approx(0.010));
    CHECK(second->compiles()[1].backwardSeconds.value() == doctest::Approx(0.020));
    CHECK(second->compiles()[0].cache == CacheState::Miss);
    CHECK(second->compiles()[1].cache == CacheState::Hit);
}

TEST_CASE("what an ended compile logs at run time does not start another") {
    Log log;
    log.start("f").graph().end("f");
    log.event("\"chromium_event\": {}", "{}").event("\"compilation_metrics_runtime\": {}");
    log.of("\"frame_id\": 0, \"frame_compile_id\": 0").artifact("graph_execution", "{}");
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok f: 6"});
}

TEST_CASE("exports have no start and no end") {
    // torch 2.11 with Dynamo: the graph has an id, what follows has none.
    Log strict;
    for (const char* const source : {"L['x']", "L['y']"}) {
        strict.of(Log::frame(0)).describe(source).graph().of("").event("\"dynamo_cpp_guards_str\": {}", "t");
    }
    CHECK(rowsOf(strict.text()) == Rows{"0/0 ok : 4", "- empty : 2", "0/0 (2nd) ok : 4"});

    // torch 2.15 without Dynamo: nothing but descriptions.
    Log plain;
    plain.describe("L['args'][0]").of("").artifact("torch_version", "{}").of(Log::frame(0)).describe("b");
    plain.of("").event("\"chromium_event\": {}", "{}");
    plain.of(Log::frame(0)).describe("L['args'][0]").of(Log::frame(1)).describe("L['args'][0]");
    plain.artifact("make_fx_fail_partial", "graph");
    CHECK(rowsOf(plain.text()) ==
          Rows{"0/0 ended : 6", "- empty : 2", "0/0 (2nd) ended : 3", "1/0 failed : 4"});
}

TEST_CASE("inputs that an export describes before its compile belong to that compile") {
    // torch 2.15 with Dynamo, twice.
    Log log;
    for (const char* const source : {"L['x']", "L['y']"}) {
        log.of(Log::frame(0)).describe("L['input']").of("").event("\"chromium_event\": {}", "{}");
        log.of(Log::frame(0)).event("\"chromium_event\": {}", "{}").describe(source).graph();
        log.of("").event("\"dynamo_cpp_guards_str\": {}", "t");
    }
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok : 8", "- empty : 4", "0/0 (2nd) ok : 8"});
}

TEST_CASE("an export after a compile of its id is another compile") {
    // torch 2.15: a compile, then after a reset an export without Dynamo, one with it, and one without.
    Log log;
    log.training("f", "sin.default").describe("L['args'][0]").of("").event("\"chromium_event\": {}", "{}");
    log.of(Log::frame(0)).describe("L['x']").graph().of("").event("\"dynamo_cpp_guards_str\": {}", "t");
    log.of(Log::frame(0)).describe("L['args'][0]");
    // The backward of the first is compiled at last.
    log.artifact("fx_graph_runnable", Log::backwardText("sin.default")).backwardEnd(5);
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok f: 8", "0/0 (2nd) ended : 3", "- empty : 2", "0/0 (3rd) ok : 4",
                                     "0/0 (4th) ended : 3"});
}

TEST_CASE("descriptions before the graph of an export are its own") {
    // Two exports with Dynamo in a row, with nothing in between.
    Log log;
    log.describe("L['x']").graph("x").describe("L['y']").graph("y");
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok : 4", "0/0 (2nd) unfinished : 4"});
    const TraceLogPtr read = aotscope::test::readLog(log.text());
    CHECK(read->describedTensors(CompileIndex(0)).at(0).source == "L['x']");
    CHECK(read->describedTensors(CompileIndex(1)).at(0).source == "L['y']");
}

TEST_CASE("graphs of compiled autograd repeat, too") {
    Log log(Log::autograd(0));
    for (int i = 0; i < 2; ++i) {
        log.of(Log::autograd(0)).describe("L['inputs'][0]");
        log.artifact("compiled_autograd_graph_pre_reordering", "p");
        log.event("\"compiled_autograd_graph\": {}", "c");
        log.of("\"compiled_autograd_id\": 0, " + Log::frame(1)).start("forward").graph().end("forward");
    }
    CHECK(rowsOf(log.text()) ==
          Rows{"!0 ok : 5", "!0/1/0 ok forward: 3", "!0 (2nd) ok : 5", "!0/1/0 (2nd) ok forward: 3"});
}

TEST_CASE("a log without the records that start a compile keeps each id in one row") {
    Log log;
    log.describe("L['x']").graph().event("\"aot_joint_graph\": {}", "j").describe("L['self'].w");
    log.event("\"aot_forward_graph\": {}", "f").event("\"aot_backward_graph\": {}", "b").end("f");
    CHECK(rowsOf(log.text()) == Rows{"0/0 ok f: 11"});
}

TEST_CASE("how much two texts of one backward have in common") {
    CHECK(likeness("a = torch.ops.aten.sin.default(x);  x = None\n", "y = torch.ops.aten.sin.default(x)\n") ==
          1000);
    CHECK(likeness("a = torch.ops.aten.sin.default(x)\nb = torch.ops.aten.cos.default(a)\n",
                   "b = torch.ops.aten.cos.default(a)\n") == 500);
    CHECK(likeness("a = torch.ops.aten.sin.default(x)\n", "b = torch.ops.aten.cos.default(a)\n") == 0);
    CHECK(likeness("", "") == 0);
}

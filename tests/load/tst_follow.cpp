// A log that is still being written, and snapshots of a read in progress.
#include "load/trace_log.h"

#include "log_text.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace aotscope::load;
using aotscope::test::payloadState;
using aotscope::test::problemList;
using aotscope::test::record;
using aotscope::test::recordAt;
using aotscope::test::TemporaryFile;

namespace {

TraceLogPtr appended(const TraceLogPtr& previous) {
    auto log = TraceLog::readAppended(previous);
    REQUIRE(log.ok());
    return *log;
}

/// Everything that a reader can see, to compare two ways of reading the same bytes.
std::string summary(const TraceLog& log) {
    std::string out = problemList(log);
    for (std::size_t i = 0; i < log.recordCount(); ++i) {
        const RecordId id = recordAt(i);
        out += std::to_string(log.lineOf(id)) + " " + log.kindName(id) + " " +
               log.compile(log.compileOf(id)).id.text() + " [" + log.payload(id) + "]\n";
    }
    for (const Compile& compile : log.compiles()) {
        out += compile.id.text() + " " + std::to_string(static_cast<int>(compile.status)) + " " +
               compile.reason + " " + std::to_string(compile.records.size()) + " " +
               std::to_string(compile.recompileReasons.size()) + " " +
               std::to_string(compile.graphBreaks.size()) + "\n";
    }
    const LogTotals& totals = log.totals();
    return out + std::to_string(totals.lines) + " " + std::to_string(totals.records) + " " +
           std::to_string(totals.payloads) + " " + std::to_string(totals.bytes);
}

std::string sample() {
    return record("\"dynamo_start\": {\"stack\": [{\"line\": 3, \"name\": \"f\", \"filename\": -1}]}") +
           record("\"artifact\": {\"name\": \"recompile_reasons\", \"encoding\": \"json\"}",
                  "[\n\"0/0: x\"\n]") +
           record("\"aot_joint_graph\": {}", "a\nb\n\nc") +
           record("\"artifact\": {\"name\": \"dynamo_graph_break_reason\", \"encoding\": \"string\"}",
                  "Graph Break Reason: why\nUser code traceback:\n") +
           record("\"compilation_metrics\": {\"co_name\": \"g\", \"graph_op_count\": 2}");
}

} // namespace

TEST_CASE("a log followed byte by byte reads like the whole") {
    const std::string text = sample();
    const TemporaryFile file("");
    TraceLogPtr log = aotscope::test::readFileOk(file.path());
    for (std::size_t at = 0; at < text.size(); ++at) {
        file.append(text.substr(at, 1));
        auto next = TraceLog::readAppended(log);
        if (!next.ok()) {
            // Nothing but the beginning of the first header is there yet.
            CHECK(next.error().code == "load.not_a_trace_log");
            continue;
        }
        log = *next;
    }
    const TraceLogPtr whole = aotscope::test::readFileOk(file.path());
    CHECK(summary(*log) == summary(*whole));
    CHECK(problemList(*whole).empty());
    CHECK(whole->compiles()[0].recompileReasons.size() == 1);
    CHECK(whole->compiles()[0].graphBreaks == std::vector<std::string>{"why"});
}

TEST_CASE("every cut of a log reads, and reads on like the whole") {
    const std::string text = sample();
    const TraceLogPtr whole = aotscope::test::readLog(text);
    for (std::size_t cut = text.find('\n'); cut < text.size(); cut += 7) {
        CAPTURE(cut);
        const TemporaryFile file(text.substr(0, cut));
        const TraceLogPtr part = aotscope::test::readFileOk(file.path());
        CHECK(part->problems().size() <= 1);
        file.append(text.substr(cut));
        CHECK(summary(*appended(part)) == summary(*whole));
    }
}

TEST_CASE("nothing new gives the same log back") {
    const TemporaryFile file(sample());
    const TraceLogPtr log = aotscope::test::readFileOk(file.path());
    CHECK(appended(log) == log);
}

TEST_CASE("rows keep their places when a log grows") {
    const TemporaryFile file(sample());
    const TraceLogPtr log = aotscope::test::readFileOk(file.path());
    file.append(aotscope::test::header("{\"aot_joint_graph\": {}, \"frame_id\": 1, \"frame_compile_id\": 0, "
                                       "\"attempt\": 0}"));
    const TraceLogPtr more = appended(log);
    REQUIRE(more->compiles().size() == 2);
    CHECK(more->compiles()[0].id == log->compiles()[0].id);
    CHECK(log->compiles().size() == 1);
}

TEST_CASE("a log that was cut or replaced is read anew") {
    const TemporaryFile file(sample() + sample());
    const TraceLogPtr log = aotscope::test::readFileOk(file.path());
    file.write(sample());
    CHECK(appended(log)->recordCount() * 2 == log->recordCount());
    // What was read stays readable.
    CHECK(log->payload(recordAt(2)) == "a\nb\n\nc");
}

TEST_CASE("a log that vanishes is an error, and the old one stays") {
    const TemporaryFile file(sample());
    const TraceLogPtr log = aotscope::test::readFileOk(file.path());
    std::filesystem::remove(file.path());
    const auto gone = TraceLog::readAppended(log);
    REQUIRE(!gone.ok());
    CHECK(gone.error().code == "load.open");
    CHECK(log->payload(recordAt(2)) == "a\nb\n\nc");
}

TEST_CASE("snapshots come before the end, grow, and stay as they are") {
    std::string text;
    while (text.size() < (20U << 20U)) {
        for (int i = 0; i < 1000; ++i) {
            text += sample();
        }
    }
    std::vector<TraceLogPtr> snapshots;
    std::vector<std::size_t> sizes;
    ReadOptions options;
    options.onPartial = [&](TraceLogPtr log) {
        sizes.push_back(log->recordCount());
        snapshots.push_back(std::move(log));
    };
    const TraceLogPtr log = aotscope::test::readLog(text, options);
    REQUIRE(snapshots.size() >= 2);
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        CHECK(snapshots[i]->recordCount() == sizes[i]);
        CHECK(sizes[i] < log->recordCount());
        CHECK((i == 0 || sizes[i] > sizes[i - 1]));
        CHECK(snapshots[i]->kindName(recordAt(sizes[i] - 1)) == log->kindName(recordAt(sizes[i] - 1)));
        std::size_t records = 0;
        for (const Compile& compile : snapshots[i]->compiles()) {
            records += compile.records.size();
        }
        CHECK(records == sizes[i]);
    }
    CHECK(log->totals().problems == 0);
}

TEST_CASE("reading can be cancelled at any piece") {
    std::string text;
    while (text.size() < (24U << 20U)) {
        for (int i = 0; i < 1000; ++i) {
            text += sample();
        }
    }
    const TemporaryFile file(text);
    std::stop_source stop;
    ReadOptions options;
    options.onPartial = [&](const TraceLogPtr&) { stop.request_stop(); };
    const auto log = TraceLog::read(file.path(), options, aotscope::base::Progress({}, stop.get_token()));
    REQUIRE(!log.ok());
    CHECK(aotscope::base::isCanceled(log.error()));
}

TEST_CASE("several threads may look into one log") {
    const TraceLogPtr log = aotscope::test::readLog(sample());
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int turn = 0; turn < 50; ++turn) {
                    good += log->payload(recordAt(2)) == "a\nb\n\nc" ? 1 : 0;
                    good += payloadState(*log, recordAt(2)) == PayloadState::Good ? 1 : 0;
                    good += log->artifacts(CompileIndex(0)).size() == 3 ? 1 : 0;
                }
            });
        }
    }
    CHECK(good == 4 * 50 * 3);
}

// Every row of the table of malformed inputs: each defect is reported once with its line, and the rest loads.
#include "load/trace_log.h"

#include "malformed_log.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

using namespace aotscope::load;
using aotscope::test::around;
using aotscope::test::badLine;
using aotscope::test::compileNamed;
using aotscope::test::header;
using aotscope::test::joint;
using aotscope::test::payloadState;
using aotscope::test::problemList;
using aotscope::test::readAround;
using aotscope::test::readLog;
using aotscope::test::record;
using aotscope::test::recordAt;
using aotscope::test::tabbed;

namespace {

ReadOptions verifying() {
    ReadOptions options;
    options.verifyPayloads = true;
    return options;
}

} // namespace

TEST_CASE("a payload cut at the end of the file is kept and named") {
    std::string text = record(joint, "joint\ngraph");
    text.resize(text.size() - 4);
    const auto log = readLog(text);
    CHECK(problemList(*log) == "1 load.payload_truncated\n");
    CHECK(log->payload(recordAt(0)) == "joint\ngr");
    CHECK(payloadState(*log, recordAt(0)) == PayloadState::Bad);
}

TEST_CASE("a header cut inside its JSON is one problem") {
    std::string cut = record("\"aot_backward_graph\": {\"a\": [1, 2");
    cut.resize(cut.size() - 40);
    CHECK(problemList(*readAround(cut + "\n")) == "4 load.header_json\n");
    std::string atEnd = record(joint, "j") + record("\"dynamo_cpp_guards_str\": {}");
    atEnd.resize(atEnd.size() - 10);
    const auto log = readLog(atEnd);
    CHECK(problemList(*log) == "3 load.header_json\n");
    CHECK(log->recordCount() == 1);
    CHECK(log->totals().lines == 3);
}

TEST_CASE("a header cut before its JSON is one problem") {
    CHECK(problemList(*readAround("V1121 00:13:53.025000 22725 torch/_dyn\n")) == "4 load.header_json\n");
}

TEST_CASE("a noise line between records is one problem") {
    CHECK(problemList(*readAround("hello this is not a log line\n")) == "4 load.noise_line\n");
}

TEST_CASE("a noise line inside a payload costs neither the payload nor its check") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"has_payload\": \"" +
                          md5Of("one\ntwo") + "\"}") +
                   "\tone\nnoise of another thread\n\ttwo\n");
    CHECK(problemList(*log) == "6 load.noise_line\n");
    CHECK(log->payload(recordAt(1)) == "one\ntwo");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("payload lines that lost their tabs are found by their md5") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"has_payload\": \"" +
                          md5Of("one\ntwo\nthree") + "\"}") +
                   "\tone\ntwo\nthree\n");
    CHECK(problemList(*log) == "6 load.noise_line\n7 load.noise_line\n");
    CHECK(log->payload(recordAt(1)) == "one\ntwo\nthree");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("a record whose header is bad JSON keeps its payload") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {oops}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"has_payload\": \"" +
                          md5Of("kept") + "\"}") +
                   tabbed("kept"));
    CHECK(problemList(*log) == "4 load.header_json\n");
    CHECK(log->recordCount() == 3);
    CHECK(log->payload(recordAt(1)) == "kept");
    // Key and ids can still be read off, so it stays where it belongs.
    CHECK(log->kindName(recordAt(1)) == "aot_backward_graph");
    CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("a wrong md5 is marked at the payload and listed when all are verified") {
    const std::string bad = record("\"aot_backward_graph\": {}", "text", "00000000000000000000000000000000");
    const auto log = readAround(bad);
    CHECK(problemList(*log).empty());
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Bad);
    CHECK(log->payload(recordAt(1)) == "text");
    CHECK(problemList(*readAround(bad, verifying())) == "4 load.payload_md5\n");
}

TEST_CASE("an md5 in capitals is a good one") {
    std::string digest = md5Of("text");
    for (char& c : digest) {
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    const auto log = readAround(record("\"aot_backward_graph\": {}", "text", digest), verifying());
    CHECK(problemList(*log).empty());
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("an announced payload that doesn't follow is one problem") {
    const auto log = readAround(header("{\"aot_backward_graph\": {}, \"has_payload\": "
                                       "\"00000000000000000000000000000000\", \"frame_id\": 0, "
                                       "\"frame_compile_id\": 0, \"attempt\": 0}"));
    CHECK(problemList(*log) == "4 load.payload_missing\n");
    CHECK(!log->hasPayload(recordAt(1)));
    CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
}

TEST_CASE("a payload that isn't announced is kept and named") {
    const auto log = readAround(record("\"aot_backward_graph\": {}") + tabbed("one\ntwo"));
    CHECK(problemList(*log) == "4 load.payload_without_header\n");
    CHECK(log->payload(recordAt(1)) == "one\ntwo");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::None);
}

TEST_CASE("payload lines before the first record are named") {
    CHECK(problemList(*readLog("\tlost\n" + record(joint, "j"))) == "1 load.payload_without_header\n");
}

TEST_CASE("unknown events and keys are kept and are no problem") {
    const auto log =
        readAround(header("{\"brand_new_event\": {\"a\": 1}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"extra\": [1], \"has_payload\": \"" +
                          md5Of("some\npayload") + "\"}") +
                   tabbed("some\npayload"));
    CHECK(problemList(*log).empty());
    CHECK(log->kind(recordAt(1)) == RecordKind::Other);
    CHECK(log->kindName(recordAt(1)) == "brand_new_event");
    const auto artifact = log->tryFindArtifact(compileNamed(*log, "0/0"), "brand_new_event");
    REQUIRE(artifact.has_value());
    CHECK(log->payload(artifact->record) == "some\npayload");
}

TEST_CASE("a reserved key is no event and does no harm") {
    const auto log = readAround(record("\"aot_backward_graph\": {}, \"timestamp\": \"x\"", "b"));
    CHECK(problemList(*log).empty());
    CHECK(log->kindName(recordAt(1)) == "aot_backward_graph");
}

TEST_CASE("bytes that are not UTF-8 cost nothing but a note") {
    SUBCASE("in a payload") {
        const auto log = readAround(record("\"aot_backward_graph\": {}", "a\xff"
                                                                         "b\n\xfe"));
        CHECK(problemList(*log) == "5 load.invalid_utf8\n");
        CHECK(log->payload(recordAt(1)) == "a\xff"
                                           "b\n\xfe");
        CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
    }
    SUBCASE("in an envelope") {
        const auto log =
            readAround(record("\"artifact\": {\"name\": \"a\xff\", \"encoding\": \"string\"}", "b"));
        CHECK(problemList(*log) == "4 load.invalid_utf8\n");
        CHECK(log->artifactName(recordAt(1)) == "a\xef\xbf\xbd");
        CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
    }
    SUBCASE("in noise") {
        CHECK(problemList(*readAround("\xff\xfe\n")) == "4 load.noise_line\n");
    }
}

TEST_CASE("a blank line in a payload belongs to it") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"has_payload\": \"" +
                          md5Of("line1\n\nline3") + "\"}") +
                   "\tline1\n\n\tline3\n");
    CHECK(problemList(*log) == "6 load.noise_line\n");
    CHECK(log->payload(recordAt(1)) == "line1\n\nline3");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("a carriage return inside a payload is part of it") {
    const auto log = readAround(record("\"aot_backward_graph\": {}", "a\rb\r\nc\f\v"));
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(1)) == "a\rb\r\nc\f\v");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::Good);
}

TEST_CASE("a file with CR LF reads as the one with LF") {
    std::string text;
    for (const char c : around("")) {
        text += c == '\n' ? "\r\n" : std::string(1, c);
    }
    const auto log = readLog(text, verifying());
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(0)) == "joint\ngraph");
    CHECK(payloadState(*log, recordAt(0)) == PayloadState::GoodAfterLineEndings);
    CHECK(log->envelope(recordAt(0)).back() == '}');
}

TEST_CASE("a payload whose line ends alone were changed is told as such") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, "
                          "\"attempt\": 0, \"has_payload\": \"" +
                          md5Of("a\nb") + "\"}") +
                   "\ta\r\n\tb\r\n");
    CHECK(payloadState(*log, recordAt(1)) == PayloadState::GoodAfterLineEndings);
}

TEST_CASE("NaN in a payload is Python's JSON and stays") {
    const auto log = readAround(record("\"chromium_event\": {}", "{\n\"ts\": NaN\n}"), verifying());
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(1)) == "{\n\"ts\": NaN\n}");
}

TEST_CASE("guards that are not JSON are kept as text") {
    const auto log = readAround(record("\"dynamo_guards\": {}", "not json"));
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(1)) == "not json");
}

TEST_CASE("records of another rank are kept apart and named") {
    const auto log = readAround(header("{\"aot_joint_graph\": {}, \"rank\": 0, \"frame_id\": 0, "
                                       "\"frame_compile_id\": 0, \"attempt\": 0}") +
                                header("{\"aot_joint_graph\": {}, \"rank\": 1, \"frame_id\": 0, "
                                       "\"frame_compile_id\": 0, \"attempt\": 0}"));
    CHECK(problemList(*log) == "5 load.other_rank\n");
    CHECK(log->rank() == 0);
    // Without a rank means this process: it may have got its rank later.
    CHECK(log->compileOf(recordAt(2)) != log->compileOf(recordAt(0)));
    CHECK(log->compile(log->compileOf(recordAt(2))).rank == 1);
    const CompileId id = CompileId::parse("0/0").value();
    CHECK(log->tryFindCompile(id) == log->compileOf(recordAt(0)));
    CHECK(log->tryFindCompile(id, 1) == log->compileOf(recordAt(2)));
    CHECK(!log->tryFindCompile(id, 2));
}

TEST_CASE("a failure without a reason is a failure") {
    const auto log =
        readAround(record("\"compilation_metrics\": {\"fail_type\": \"Boom\", \"fail_reason\": null}"));
    CHECK(problemList(*log).empty());
    const Compile& compile = log->compile(compileNamed(*log, "0/0"));
    CHECK(compile.status == CompileStatus::Failed);
    CHECK(compile.reason == "Boom");
}

TEST_CASE("an exported guard without its node is kept") {
    const auto log = readAround(record("\"guard_added\": {\"expr\": \"x\"}"));
    CHECK(problemList(*log).empty());
    CHECK(log->kind(recordAt(1)) == RecordKind::GuardAdded);
    CHECK(log->envelope(recordAt(1)).find("\"expr\": \"x\"") != std::string::npos);
}

TEST_CASE("a process number of any length and month 99 are accepted") {
    const auto log = readAround("V9999 00:13:53.025000 99999999999999999999999999999 torch/x.py:1] "
                                "{\"x\": {}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n");
    CHECK(problemList(*log).empty());
    CHECK(log->recordCount() == 3);
    CHECK(log->kindName(recordAt(1)) == "x");
    CHECK(log->thread(recordAt(1)) == "99999999999999999999999999999");
    CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
}

TEST_CASE("an empty file is a log without records") {
    const auto log = readLog("");
    CHECK(log->recordCount() == 0);
    CHECK(log->compiles().empty());
    CHECK(problemList(*log).empty());
}

TEST_CASE("names that look like paths are only names") {
    for (const std::string name : {"../../escaped", "/tmp/escaped"}) {
        const auto log =
            readAround(record("\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}", "pwn"));
        CHECK(problemList(*log).empty());
        const auto artifact = log->tryFindArtifact(compileNamed(*log, "0/0"), name);
        REQUIRE(artifact.has_value());
        CHECK(log->payload(artifact->record) == "pwn");
        CHECK(!std::filesystem::exists("/tmp/escaped"));
    }
}

TEST_CASE("a link that would be a program is the words of its record") {
    const std::string url = "javascript:alert(1)";
    const auto log =
        readAround(record(R"("link": {"name": "<img src='file:///dev/zero'>", "url": ")" + url + "\"}"));
    CHECK(problemList(*log).empty());
    CHECK(log->kind(recordAt(1)) == RecordKind::Link);
    // It can be looked at like an artifact.
    const auto artifact = log->tryFindArtifact(compileNamed(*log, "0/0"), "link");
    REQUIRE(artifact.has_value());
    CHECK(artifact->record == recordAt(1));
    CHECK_FALSE(artifact->isGraph);
    CHECK(artifact->line == badLine);
    CHECK(log->envelope(artifact->record).find(url) != std::string::npos);
    CHECK(log->payload(artifact->record).empty());
}

TEST_CASE("a launcher's prefix before the level is skipped") {
    const auto log = readAround("[rank0]:" + record("\"aot_backward_graph\": {}", "b"));
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(1)) == "b");
}

TEST_CASE("NUL bytes are bytes like others") {
    const std::string payload("a\0b", 3);
    const auto log = readAround(record("\"aot_backward_graph\": {}", payload));
    CHECK(problemList(*log).empty());
    CHECK(log->payload(recordAt(1)) == payload);
    CHECK(problemList(*readAround(std::string("\0\0\0\n", 4))) == "4 load.noise_line\n");
}

TEST_CASE("what is no trace log is refused with advice") {
    for (const std::string& text : {std::string("just text\nwithout headers\n"),
                                    std::string("\x7f"
                                                "ELF\0\1\2\3",
                                                8),
                                    std::string("\tonly tabs\n")}) {
        const aotscope::test::TemporaryFile file(text);
        const auto log = TraceLog::read(file.path());
        REQUIRE(!log.ok());
        CHECK(log.error().code == "load.not_a_trace_log");
        CHECK(!log.error().hint.empty());
        CHECK(log.error().place.file == file.path().string());
    }
}

TEST_CASE("a path that cannot be opened says why") {
    const aotscope::test::TemporaryFile file("x");
    for (const auto& path : {file.folder() / "missing.log", file.folder()}) {
        const auto log = TraceLog::read(path);
        REQUIRE(!log.ok());
        CHECK(log.error().code == "load.open");
        CHECK(log.error().place.file == path.string());
        CHECK(log.error().message.find(": ") != std::string::npos);
    }
}

TEST_CASE("the corpus of broken logs loads, each fault named once" * aotscope::test::needsCorpus()) {
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"a_trunc_payload", "1 load.payload_truncated\n"},
        {"c_garbage_between", "1 load.noise_line\n2 load.noise_line\n"},
        {"e_bad_json_with_payload", "1 load.header_json\n"},
        {"g_unknown_keys", ""},
        {"h_type_mismatch", "2225 load.field_type\n2227 load.field_type\n"},
        {"j_has_payload_none", "2225 load.payload_missing\n"},
        {"l_duplicate_key", ""},
        {"p_export_missing_node_id", ""},
        {"r_path_traversal", ""},
        {"t_mixed_rank", "2227 load.other_rank\n"},
        {"v_upper_md5", ""},
        {"x_blank_in_payload", "2227 load.noise_line\n"},
        {"z_key_conflict", ""},
        {"zb_bad_guard_json", ""},
        {"zd_month13", ""},
        {"zf_bigint_ids", "2225 load.field_type\n"},
    };
    for (const auto& [name, problems] : expected) {
        CAPTURE(name);
        const auto log =
            aotscope::test::readFileOk(aotscope::test::corpusDir() / "broken-logs" / (name + ".log"));
        CHECK(problemList(*log) == problems);
    }
}

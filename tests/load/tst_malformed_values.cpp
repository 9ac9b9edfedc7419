// Malformed inputs with bad values: only the bad record is lost.
#include "load/trace_log.h"

#include "malformed_log.h"

#include <doctest/doctest.h>

using namespace aotscope::load;
using aotscope::test::compileNamed;
using aotscope::test::header;
using aotscope::test::problemList;
using aotscope::test::readAround;
using aotscope::test::readLog;
using aotscope::test::record;
using aotscope::test::recordAt;
using aotscope::test::tabbed;

TEST_CASE("no field of a wrong type costs a record") {
    for (const std::string event :
         {"\"dynamo_start\": {\"stack\": 5}", "\"dynamo_start\": {}", "\"dynamo_start\": {\"stack\": [1]}",
          "\"dynamo_start\": {\"stack\": [{\"line\": 1, \"filename\": 0}]}", "\"dynamo_start\": [[]]",
          "\"str\": 5", "\"str\": [1, \"a\"]", "\"str\": {}", "\"artifact\": {\"encoding\": \"string\"}",
          "\"artifact\": {\"name\": 5, \"encoding\": \"string\"}", "\"artifact\": []",
          "\"artifact\": {\"name\": \"a\", \"encoding\": \"utf-9\"}", "\"compilation_metrics\": []",
          "\"compilation_metrics\": {\"co_name\": 5}", "\"compilation_metrics\": {\"restart_reasons\": {}}",
          "\"compilation_metrics\": {\"restart_reasons\": [5]}",
          "\"compilation_metrics\": {\"co_firstlineno\": \"3\"}",
          "\"bwd_compilation_metrics\": {\"co_name\": [{}]}"}) {
        CAPTURE(event);
        const auto log = readAround(record(event));
        CHECK(problemList(*log) == "4 load.field_type\n");
        CHECK(log->recordCount() == 3);
        CHECK(log->compileOf(recordAt(1)) == compileNamed(*log, "0/0"));
    }
}

TEST_CASE("the other fields of a record with a bad one are read") {
    const auto log = readAround(record("\"compilation_metrics\": {\"co_name\": 5, \"fail_type\": \"Boom\", "
                                       "\"fail_reason\": \"it broke\", \"co_filename\": \"model.py\"}"));
    CHECK(problemList(*log) == "4 load.field_type\n");
    const Compile& compile = log->compile(compileNamed(*log, "0/0"));
    CHECK(compile.status == CompileStatus::Failed);
    CHECK(compile.reason == "Boom: it broke");
    CHECK(compile.metrics == recordAt(1));

    const auto frames = readAround(record(R"("dynamo_start": {"stack": [{"line": 7, "filename": 0}, )"
                                          R"({"line": 8, "name": "f", "filename": -1, "loc": "x"}]})"));
    const auto stack = frames->stack(recordAt(1));
    REQUIRE(stack.size() == 2);
    CHECK(stack[0].line == 7);
    CHECK(stack[1].function == "f");
}

TEST_CASE("the payload of an artifact in an unknown encoding is kept") {
    const auto log = readAround(record(R"("artifact": {"name": "a", "encoding": "utf-9"})", "words"));
    CHECK(problemList(*log) == "4 load.field_type\n");
    const auto artifact = log->tryFindArtifact(compileNamed(*log, "0/0"), "a");
    REQUIRE(artifact.has_value());
    CHECK(log->payload(artifact->record) == "words");
}

TEST_CASE("a metrics record that is no JSON is listed") {
    for (const std::string metrics : {"{\"a\": 1", "{\"a\": \"b}", "{\"a\" 1}", "{\"co_name\": nope}",
                                      "{\"a\": nope}", "{\"a\": [1, tru]}", "{\"a\": \"\\q\"}", "{} {}"}) {
        CAPTURE(metrics);
        const auto log = readAround(record("\"compilation_metrics\": " + metrics));
        CHECK(problemList(*log) == "4 load.header_json\n");
        CHECK(log->recordCount() == 3);
    }
}

TEST_CASE("what an attempt costs is not how large its number is") {
    const auto numbered = [](std::string_view event, std::string_view attempt) {
        return header("{" + std::string(event) + ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": " +
                      std::string(attempt) + "}");
    };
    const std::string metrics = R"("compilation_metrics": {"restart_reasons": ["new guards"]})";
    const auto log = readLog(numbered("\"dynamo_output_graph\": {}", "0") +
                             numbered("\"dynamo_output_graph\": {}", "7") + numbered(metrics, "2147483647"));
    CHECK(log->compile(compileNamed(*log, "0/0")).reason == "new guards");
    CHECK(log->compile(compileNamed(*log, "0/0_7")).reason == "new guards");
    CHECK(log->compile(compileNamed(*log, "0/0_2147483647")).reason.empty());
    CHECK(!log->tryNextAttempt(compileNamed(*log, "0/0")));
}

TEST_CASE("types PyTorch itself varies are no problem") {
    for (const std::string event :
         {"\"dynamo_start\": {\"stack\": [{\"line\": 1, \"name\": \"f\", \"filename\": -1, \"loc\": null}]}",
          "\"describe_storage\": {\"id\": 0, \"describer_id\": 0, \"size\": \"4*s0\"}",
          "\"compilation_metrics\": {\"guard_latency_us\": NaN, \"start_time\": Infinity, \"co_name\": null}",
          "\"x\": {\"big\": 123456789012345678901234567890}", "\"x\": \"\\ud800\""}) {
        CAPTURE(event);
        CHECK(problemList(*readAround(record(event))).empty());
    }
    const auto start = readAround(
        record(R"("dynamo_start": {"stack": [{"line": 1, "name": "f", "filename": -1, "loc": null}]})"));
    const auto stack = start->stack(recordAt(1));
    REQUIRE(stack.size() == 1);
    CHECK(stack[0].function == "f");
    CHECK(stack[0].file.empty());
    // What isn't finite costs only itself.
    const auto metrics = readAround(record("\"compilation_metrics\": {\"guard_latency_us\": NaN, "
                                           "\"start_time\": -Infinity, \"guard_count\": 12, "
                                           "\"entire_frame_compile_time_s\": 1.5, \"co_name\": \"f\"}"));
    const Compile& compile = metrics->compile(compileNamed(*metrics, "0/0"));
    CHECK(compile.function == "f");
    CHECK(compile.guardCount == 12);
    CHECK(compile.seconds == 1.5);
}

TEST_CASE("the symbolic size of a storage costs the tensor nothing") {
    const auto log = readLog(
        record(R"("describe_storage": {"id": 0, "describer_id": 3, "size": "4*s0"})") +
        record(R"("describe_tensor": {"id": 1, "describer_id": 3, "ndim": 1, "dtype": "torch.float32", )"
               R"-("device": "device(type='cpu')", "size": ["s0"], "stride": [1], "storage": 0, )-"
               R"("is_leaf": true, "requires_grad": true})") +
        record(R"("describe_source": {"describer_id": 3, "id": 1, "source": "L['x']"})"));
    CHECK(problemList(*log).empty());
    const auto tensors = log->describedTensors(compileNamed(*log, "0/0"));
    REQUIRE(tensors.size() == 1);
    CHECK(tensors[0].source == "L['x']");
    CHECK(tensors[0].sizes == std::vector<std::string>{"s0"});
    CHECK(tensors[0].requiresGrad);
    CHECK(tensors[0].storage == 0);
    CHECK_FALSE(tensors[0].storageBytes.has_value());
}

TEST_CASE("of a duplicate key the first is the event") {
    const auto log = readAround(record("\"aot_backward_graph\": {}, \"aot_backward_graph\": {}"));
    CHECK(problemList(*log).empty());
    CHECK(log->kind(recordAt(1)) == RecordKind::AotBackwardGraph);
}

TEST_CASE("a bad id costs that id alone") {
    for (const std::string id : {"\"zero\"", "8589934592", "-3", "1.5", "[0]", "99999999999999999999"}) {
        CAPTURE(id);
        const auto log = readAround(header("{\"aot_backward_graph\": {}, \"frame_id\": " + id +
                                           ", \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": \"" +
                                           md5Of("b") + "\"}") +
                                    tabbed("b"));
        CHECK(problemList(*log) == "4 load.field_type\n");
        const Compile& compile = log->compile(log->compileOf(recordAt(1)));
        CHECK(!compile.id.frame.has_value());
        CHECK(compile.id.frameCompile == 0);
        CHECK(log->payload(recordAt(1)) == "b");
    }
}

TEST_CASE("an id written as null is none") {
    const auto log =
        readAround(header("{\"aot_backward_graph\": {}, \"rank\": null, \"compiled_autograd_id\": "
                          "null, \"frame_id\": 2, \"frame_compile_id\": 1, \"attempt\": null}"));
    CHECK(problemList(*log).empty());
    const Compile& compile = log->compile(log->compileOf(recordAt(1)));
    CHECK(!compile.id.compiledAutograd.has_value());
    CHECK(compile.id.frame == 2);
    CHECK(compile.id.frameCompile == 1);
    CHECK(compile.id.attempt.value_or(0) == 0);
}

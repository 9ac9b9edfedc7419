#include "load/trace_log.h"

#include "log_text.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope::load;
using aotscope::test::compileNamed;
using aotscope::test::record;

TEST_CASE("sources follow the order of the graph's placeholders") {
    const auto log = aotscope::test::readLog(
        record("\"describe_storage\": {\"id\": 0, \"describer_id\": 0, \"size\": 144}") +
        record("\"describe_tensor\": {\"id\": 0, \"describer_id\": 0, \"ndim\": 2, \"dtype\": "
               "\"torch.float32\", "
               "\"device\": \"device(type='cpu')\", \"size\": [6, \"4*j1\"], \"stride\": [6, 1], "
               "\"storage\": 0, "
               "\"is_leaf\": true, \"requires_grad\": true, \"is_parameter\": true}") +
        record("\"describe_source\": {\"describer_id\": 0, \"id\": 0, \"source\": \"L['self'].w\"}") +
        record("\"describe_source\": {\"describer_id\": 0, \"id\": 1, \"source\": \"L['x']\"}") +
        record("\"describe_source\": {\"describer_id\": 0, \"id\": 2, \"source\": \"L['x'].\"}") +
        record("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"5\", \"source\": \"L['x'].size()[0]\"}") +
        record("\"create_symbol\": {\"symbol\": \"s77\", \"val\": \"6\", \"source\": \"L['x'].size()[0]\"}") +
        record("\"create_symbol\": {\"symbol\": \"f1\", \"val\": \"1.5\", \"source\": \"L['y']\"}") +
        record(
            "\"dynamo_output_graph\": {\"sizes\": {}}",
            "class GraphModule(torch.nn.Module):\n    def forward(self, s77: \"Sym(s77)\", L_x_: "
            "\"f32[s77]\", "
            "L_x__0: \"f32[s77]\", L_self_w: \"f32[6]\", L_self_w_grad: \"f32[6]\", other: \"f32[]\"):\n"));
    const CompileIndex compile = compileNamed(*log, "0/0");
    CHECK(log->inputSources(compile) == std::vector<std::string>{"L['x'].size()[0]", "L['x']", "L['x'].",
                                                                 "L['self'].w", "L['self'].w.grad", ""});
    const auto tensors = log->inputTensors(compile);
    REQUIRE(tensors.size() == 6);
    CHECK(!tensors[1].described);
    const InputTensor& weight = tensors[3];
    CHECK(weight.described);
    CHECK(weight.placeholder == "L_self_w");
    CHECK(weight.dtype == "torch.float32");
    CHECK(weight.sizes == std::vector<std::string>{"6", "4*j1"});
    CHECK(weight.strides == std::vector<std::string>{"6", "1"});
    CHECK(weight.isParameter);
    CHECK(weight.requiresGrad);
    CHECK(weight.isLeaf);
    CHECK(!weight.isView);
    CHECK(weight.storage == 0);
    CHECK(weight.storageBytes == 144);
    using Values = std::vector<std::pair<std::string, std::int64_t>>;
    CHECK(log->symbolValues(compile) == Values{{"s77", 6}});
}

TEST_CASE("a compile without a Dynamo graph has no inputs") {
    const auto log =
        aotscope::test::readLog(record("\"aot_joint_graph\": {}", "def forward(self, primals, tangents):"));
    CHECK(log->inputSources(compileNamed(*log, "0/0")).empty());
}

TEST_CASE("real inputs are all known by their sources" * aotscope::test::needsCorpus()) {
    const auto log = aotscope::test::readFileOk(aotscope::test::corpusTrace("mlp_sgd"));
    const CompileIndex compile = compileNamed(*log, "0/0");
    CHECK(log->inputSources(compile) ==
          std::vector<std::string>{"L['self']._modules['fc1']._parameters['weight']",
                                   "L['self']._modules['fc1']._parameters['bias']", "L['x']",
                                   "L['self']._modules['fc2']._parameters['weight']",
                                   "L['self']._modules['fc2']._parameters['bias']"});
    const auto tensors = log->inputTensors(compile);
    CHECK(std::count_if(tensors.begin(), tensors.end(), [](const auto& t) { return t.isParameter; }) == 4);
    CHECK(!tensors[2].isParameter);
    for (const InputTensor& tensor : tensors) {
        CHECK(tensor.described);
        CHECK(tensor.storageBytes.has_value());
    }
}

TEST_CASE("symbols have the values they were created with" * aotscope::test::needsCorpus()) {
    const auto log = aotscope::test::readFileOk(aotscope::test::corpusTrace("dyn_mark_symint_saved"));
    const auto values = log->symbolValues(compileNamed(*log, "0/0"));
    const std::vector<std::pair<std::string, std::int64_t>> expected = {{"s77", 4}, {"s27", 6}};
    CHECK(values == expected);
}

#include "load/compile_notes.h"
#include "load/graph_inputs.h"
#include "load/header_line.h"
#include "load/python_json.h"
#include "load/string_table.h"

#include "log_text.h"

#include <doctest/doctest.h>

using namespace aotscope::load;

TEST_CASE("md5 agrees with RFC 1321's test suite") {
    CHECK(md5Of("") == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(md5Of("abc") == "900150983cd24fb0d6963f7d28e17f72");
    CHECK(md5Of("abcdefghijklmnopqrstuvwxyz") == "c3fcd3d76192e4007dfb496cca67e13b");
    CHECK(md5Of("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
          "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("md5 doesn't depend on how the text is cut") {
    const std::string text(1000, 'x');
    for (const std::size_t cut :
         {std::size_t(1), std::size_t(55), std::size_t(63), std::size_t(64), std::size_t(65)}) {
        Md5 md5;
        for (std::size_t at = 0; at < text.size(); at += cut) {
            md5.update(std::string_view(text).substr(at, cut));
        }
        CHECK(md5.hexDigest() == md5Of(text));
    }
}

TEST_CASE("a header is told from other lines") {
    const auto shape = [](std::string_view line) { return recogniseHeader(line).shape; };
    CHECK(shape("V1121 00:13:53.025000 22725 torch/a.py:1] {\"x\": {}}") == HeaderShape::Whole);
    CHECK(shape("V1121 00:13:53.025000 140144363024384 /abs/path with blanks/a.py:1] {}") ==
          HeaderShape::Whole);
    CHECK(shape("[rank0]:V1121 00:13:53.025000 22725 torch/a.py:1] {\"x\": {}}") == HeaderShape::Whole);
    CHECK(shape("V9999 00:13:53.025000 22725 torch/a.py:1] {}") == HeaderShape::Whole);
    CHECK(shape("V1121 00:13:53.025000 22725 torch/a.p") == HeaderShape::Cut);
    CHECK(shape("V1121 00:13:53.025000 22725 torch/a.py:1] an ordinary message") == HeaderShape::None);
    CHECK(shape("Very ordinary") == HeaderShape::None);
    CHECK(shape("") == HeaderShape::None);
}

TEST_CASE("the thread stands behind the time, whatever a launcher puts before it") {
    CHECK(headerThread("V1121 00:13:53.025000 22725 torch/_dynamo/utils.py:1640] {}") == "22725");
    CHECK(headerThread("[rank0]:V1121 00:13:53.025000 7 torch/a.py:1] {}") == "7");
    CHECK(headerThread("V1121 00:13:53.025000 x").empty());
    CHECK(headerThread("V1121 00:13:53").empty());
    CHECK(headerThread("").empty());
}

TEST_CASE("what Python's json writes becomes strict JSON") {
    std::string out;
    CHECK(!strictJson(R"({"a": NaN, "b": [-Infinity, Infinity], "NaN": "NaN"})", out));
    CHECK(out == R"({"a": null, "b": [null, null], "NaN": "NaN"})");
    CHECK(!strictJson(R"({"a": "\ud800x", "b": "\ud83d\ude00"})", out));
    CHECK(out == "{\"a\": \"\xef\xbf\xbdx\", \"b\": \"\\ud83d\\ude00\"}");
    CHECK(!strictJson("[1.5, 12345678901234567890123]", out));
    CHECK(out == "[1.5, 123456789012345678.5]");
    CHECK(strictJson("\"\xff\"", out));
    CHECK(out == "\"\xef\xbf\xbd\"");
}

TEST_CASE("a string index means what was defined last before the record") {
    StringTable strings;
    CHECK(strings.define(0, 1, "a.py"));
    CHECK(strings.define(0, 10, "b.py"));
    CHECK(strings.tryFind(0, 5) == "a.py");
    CHECK(strings.tryFind(0, 11) == "b.py");
    CHECK(!strings.tryFind(1, 11).has_value());
    CHECK(!strings.tryFind(-1, 11).has_value());
    CHECK(!strings.define(50'000'000, 12, "c.py"));
    CHECK(!strings.define(4'294'967'295, 12, "c.py"));
}

TEST_CASE("the parameters of a graph are found in each of PyTorch's printings") {
    const auto names = [](std::string_view text) {
        std::string out;
        for (const GraphInput& input : graphInputs(text)) {
            out += input.name + "=" + input.annotation + ";";
        }
        return out;
    };
    CHECK(names("class G:\n    def forward(self, s77: \"Sym(s77)\", L_x_: \"f32[2, s77][s77, 1]cpu\"):\n") ==
          "s77=Sym(s77);L_x_=f32[2, s77][s77, 1]cpu;");
    CHECK(names("    def forward(\n        self,\n        a: \"f32[1]\",  # PlainAOTInput(idx=0)\n        "
                "b,\n    ):") == "a=f32[1];b=;");
    CHECK(
        names("def forward(self,\n    a: \"f32[1]\",  # PlainAOTInput(idx=0)\n    b: torch.Tensor,\n):\n") ==
        "a=f32[1];b=torch.Tensor;");
    CHECK(names("def forward(self):\n    return ()") == "");
    CHECK(names("def forward(self, a: \"f32") == "a=;");
    CHECK(names("no graph") == "");
}

TEST_CASE("a placeholder's name is derived from its source as Dynamo does") {
    // re.sub(r"[^a-zA-Z0-9]+", "_", source)
    CHECK(placeholderOf("L['self']._modules['fc1']._parameters['weight']") ==
          "L_self_modules_fc1_parameters_weight_");
    CHECK(placeholderOf("L['x']") == "L_x_");
}

TEST_CASE("the reason is taken out of a graph break's text") {
    CHECK(graphBreakReason(
              "Graph break in user code at a.py:1\nGraph Break Reason: Data-dependent branching\n"
              "  Hint: x\n\nUser code traceback:\n  File") == "Data-dependent branching\n  Hint: x");
    CHECK(graphBreakReason(
              "Graph break in user code at a.py:1\nReason: Unsupported: y\nUser code traceback:\n") ==
          "Unsupported: y");
    CHECK(graphBreakReason("something new") == "something new");
}

TEST_CASE("of a reason the line that says what happened is its headline") {
    // As torch 2.11 logs it.
    const std::string graphBreak =
        "Graph break in user code at /opt/lib/transformers/modeling_utils.py:4769\n"
        "Graph Break Reason: Encountered graph break when attempting to trace CALL_FUNCTION_EX: a variadic "
        "function call, e.g. f(*args):\n\nlogging.Logger method not supported for non-export cases\n"
        "  Explanation: logging.Logger methods are not supported for non-export cases.\n";
    CHECK(headline(graphBreakReason(graphBreak)) ==
          "logging.Logger method not supported for non-export cases");
    CHECK(graphBreakPlace(graphBreak) == "modeling_utils.py:4769");
    CHECK(headline("BackendCompilerFailed: backend='bad' raised:\nRuntimeError: no\n\nSet TORCH…") ==
          "BackendCompilerFailed: backend='bad' raised: RuntimeError: no");
    CHECK(headline("ends with a colon:\n \n") == "ends with a colon:");
    CHECK(headline("0/0: x") == "0/0: x");
    CHECK(headline("").empty());
    CHECK(graphBreakPlace("Reason: y").empty());
}

TEST_CASE("recompile reasons are a string, a list, or not JSON at all") {
    CHECK(recompileReasons("\"0/0: x\"") == std::vector<std::string>{"0/0: x"});
    CHECK(recompileReasons("[\n\"0/0: x  \",\n\"0/1: y\"\n]") ==
          std::vector<std::string>{"0/0: x", "0/1: y"});
    CHECK(recompileReasons("0/0: x") == std::vector<std::string>{"0/0: x"});
    CHECK(recompileReasons("{\"a\":1}") == std::vector<std::string>{"{\"a\":1}"});
}

TEST_CASE("an error is the end of its traceback") {
    CHECK(errorOf("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\nRuntimeError: "
                  "no\n") == "RuntimeError: no");
    CHECK(errorOf("RuntimeError: no") == "RuntimeError: no");
}

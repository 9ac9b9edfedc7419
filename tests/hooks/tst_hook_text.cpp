// Hooks as a person writes them, and the library.
#include "hooks/hook_library.h"
#include "hooks/hook_plan.h"
#include "hooks/hook_text.h"

#include <doctest/doctest.h>

using namespace aotscope;
using hooks::HookHalf;

namespace {

const std::string half = R"(# Rounds to
# half precision.
# dtypes: f64 f32
class pack(torch.nn.Module):
    def forward(self, x):
        dtype = x.dtype
        to = x.to(torch.float16)
        return (dtype, to)

class unpack(torch.nn.Module):
    def forward(self, packed):
        dtype = packed[0]
        value = packed[1]
        to = value.to(dtype)
        return to
)";

std::string changed(const std::string& from, const std::string& to) {
    std::string text = half;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

base::Error errorOf(const std::string& text) {
    const auto read = hooks::readHookText(text);
    REQUIRE_FALSE(read.ok());
    return read.error();
}

} // namespace

TEST_CASE("both graphs, what the hooks do, and the dtypes they are made for are read") {
    const auto read = hooks::readHookText(half);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->about == "Rounds to half precision.");
    CHECK(read->dtypes == std::vector{ir::DType::Float64, ir::DType::Float32});
    CHECK_FALSE(read->keepsSignOnly);
    CHECK(read->graphs.pack->size() == 4);
    CHECK(read->graphs.unpack->size() == 5);
}

TEST_CASE("hooks within a graph that Dynamo printed are found by Dynamo's names") {
    const auto read = hooks::readHookText(R"(class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4][1]cpu"):
        l_x_ = L_x_
        sin: "f32[4][1]cpu" = l_x_.sin();  l_x_ = None
        return (sin,)

    class saved_tensors_hooks_pack_0(torch.nn.Module):
        def forward(self, x):
            to = x.to(torch.float16);  x = None
            return to

    class saved_tensors_hooks_unpack_0(torch.nn.Module):
        def forward(self, packed):
            to = packed.to(torch.float32);  packed = None
            return to
)");
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->graphs.pack->size() == 3);
}

TEST_CASE("an error names the line in the whole text") {
    const base::Error syntax = errorOf(changed("value = packed[1]", "value = packed[1"));
    CHECK(syntax.code == "ir.text_syntax");
    CHECK(syntax.place.line == 13);
    const base::Error dtype = errorOf(changed("f64 f32", "f64 float"));
    CHECK(dtype.code == "hooks.text");
    CHECK(dtype.place.line == 3);
    const base::Error inputs =
        errorOf(changed("def forward(self, packed)", "def forward(self, packed, more)"));
    CHECK(inputs.place.line == 11);
    CHECK(inputs.message.find("2 inputs") != std::string::npos);
}

TEST_CASE("a text without one of the graphs, and an endless one, are refused") {
    CHECK(errorOf("").message == "The text has no graph named pack.");
    CHECK(errorOf(half.substr(0, half.find("class unpack"))).message ==
          "The text has no graph named unpack.");
    CHECK(errorOf(std::string(2'000'000, ' ')).code == "hooks.text_size");
    std::string body;
    for (int i = 0; i < 11'000; ++i) {
        body += "        to_" + std::to_string(i) + " = x.sin()\n";
    }
    CHECK(errorOf(changed("        to = x.to(torch.float16)\n", body + "        to = x.to(torch.float16)\n"))
              .message.find("nodes; at most") != std::string::npos);
}

TEST_CASE("a node's line is that of its definition in the right graph, else that of the return") {
    CHECK(hooks::lineOfNode(half, HookHalf::Pack, "to") == 7);
    CHECK(hooks::lineOfNode(half, HookHalf::Unpack, "to") == 14);
    CHECK(hooks::lineOfNode(half, HookHalf::Pack, "value") == 8);
    CHECK(hooks::lineOfNode(half, HookHalf::Unpack, "") == 15);
}

TEST_CASE("every hook of the library can be read, and says what it does") {
    CHECK(hooks::hookLibrary().size() == 13);
    for (const hooks::LibraryHook& hook : hooks::hookLibrary()) {
        CAPTURE(std::string(hook.name));
        const auto read = hooks::readHookText(hook.text);
        REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
        CHECK_FALSE(read->about.empty());
        CHECK(read->keepsSignOnly == (hook.name == "relu_mask"));
    }
    CHECK(hooks::tryLibraryHook("fp8") == nullptr);
}

TEST_CASE("a rule is a name, and which tensors it is for") {
    const auto rule = hooks::readHookRule("bf16=dtype:f32 bytes>=1MB");
    REQUIRE(rule.ok());
    CHECK(rule->hook == "bf16");
    CHECK(rule->filter == "dtype:f32 bytes>=1MB");
    CHECK_FALSE(hooks::readHookRule("=dtype:f32").ok());
    const hooks::HookPlan plan{.rules = {{"", "bf16"}, {"", "own"}, {"", "none"}}, .own = {{"own", half}}};
    CHECK_FALSE(hooks::unknownHook(plan));
    const auto unknown = hooks::unknownHook({.rules = {{"", "own"}}});
    REQUIRE(unknown);
    CHECK(unknown->code == "hooks.unknown");
    CHECK(unknown->hint.find("fp8_e4m3") != std::string::npos);
}

// Which programs PyTorch's cache takes, and why it does not take the others. The expected answers are those
// of torch 2.15, torch/_functorch/_aot_autograd/autograd_cache.py: check_node_safe.
#include "cache/small_compiles.h"

#include "cache/cacheable.h"
#include "cache/guard_check.h"
#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"

#include <nlohmann/json.hpp>

using namespace aotscope;
using test::smallEnvironment;

namespace {

/// A program that calls one function or method of its input.
aot::RetraceRequest callOf(const std::string& op, const std::string& target,
                           const nlohmann::json& keys = nlohmann::json::object()) {
    aot::RetraceRequest request = test::requestOf(test::smallGraphText());
    ir::GraphBuilder graph(*request.program);
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).name == "relu") {
            ir::Node node = graph.node(id);
            node.op = *base::fromWord<ir::Opcode>(op);
            node.target = target;
            for (const auto& [name, value] : keys.items()) {
                node.extra.emplace_back(name, value.dump());
            }
            graph.replace(id, std::move(node));
        }
    }
    request.program = graph.finish();
    return request;
}

std::string reasonOf(const aot::RetraceRequest& request) {
    return cache::bypassReason(request, smallEnvironment());
}

} // namespace

TEST_CASE("operators, builtins and PyTorch's own functions are cacheable") {
    for (const char* target :
         {"aten.relu.default", "corpus.scaled_add.default", "torch.relu", "torch._C._nn.gelu",
          "_operator.add", "torch.nn.functional.silu", "torch.functional.einsum",
          "torch.amp.autocast_mode._enter_autocast", "torch._functorch.predispatch._add_batch_dim",
          "einops.einops.rearrange", "getattr", "math.sqrt", "higher_order.tag_activation_checkpoint",
          "higher_order.invoke_subgraph", "higher_order.flex_attention"}) {
        CHECK_MESSAGE(reasonOf(callOf("call_function", target)).empty(), target);
    }
    CHECK(reasonOf(callOf("call_method", "relu")).empty());
    CHECK(reasonOf(callOf("call_module", "fc1")).empty());
}

TEST_CASE("what a key cannot tell is named") {
    CHECK(reasonOf(callOf("call_function", "torch.nn.functional._private"))
              .find("torch.nn.functional._private") != std::string::npos);
    CHECK(reasonOf(callOf("call_function", "torch._dynamo.external_utils.call_hook")).find("call_hook") !=
          std::string::npos);
    CHECK(reasonOf(callOf("call_function", "einops.einops.reduce")).find("einops") != std::string::npos);
    CHECK(reasonOf(callOf("call_function", "__main__.my_function")).find("my_function") != std::string::npos);
    for (const char* target : {"higher_order.cond", "higher_order.scan", "higher_order.map_impl",
                               "higher_order.autograd_function_apply", "higher_order.print"}) {
        CHECK_MESSAGE(reasonOf(callOf("call_function", target)).find("not cacheable") != std::string::npos,
                      target);
    }
}

TEST_CASE("a wrapped function is cacheable with a user's cache hash alone") {
    CHECK(
        reasonOf(callOf("call_function", "__main__.pack", {{"is_wrapped", true}})).find("user_cache_hash") !=
        std::string::npos);
    CHECK(
        reasonOf(callOf("call_function", "__main__.pack", {{"is_wrapped", true}, {"user_cache_hash", "v1"}}))
            .empty());
}

TEST_CASE("hooks are looked at like the program") {
    cache::CompileEnvironment environment = smallEnvironment();
    const ir::GraphPtr good = test::parsed(test::smallGraphText());
    const ir::GraphPtr bad = callOf("call_function", "__main__.unpack", {{"is_wrapped", true}}).program;
    environment.hooks = {{good, bad}};
    const std::string reason = cache::bypassReason(test::requestOf(test::smallGraphText()), environment);
    CHECK(reason.starts_with("saved-tensors hook: "));
    environment.hooks = {{good, good}};
    CHECK(cache::bypassReason(test::requestOf(test::smallGraphText()), environment).empty());
}

TEST_CASE("a method of a value of unknown type is not cacheable") {
    aot::RetraceRequest request = callOf("call_method", "record");
    ir::GraphBuilder graph(*request.program);
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).name == "add") {
            graph.editMeta(id).value = {};
        }
    }
    // Another node tells its value, so this one is known to have none.
    ir::Node other = graph.node(graph.order()[1]);
    other.name = "other";
    other.value = ir::TensorMeta();
    const ir::NodeId added = graph.append(ir::Node(other));
    graph.moveBefore(added, *graph.output());
    request.program = graph.finish();
    CHECK(reasonOf(request).find("call_method 'record'") != std::string::npos);
}

TEST_CASE("what no entry holds is not taken from the cache") {
    aot::RetraceRequest request = test::requestOf(test::smallGraphText());
    request.stages = true;
    CHECK(reasonOf(request).find("stages") != std::string::npos);
    request = test::requestOf(test::smallGraphText());
    request.numbers = true;
    CHECK(reasonOf(request).find("numbers") != std::string::npos);
    request = test::requestOf(test::smallGraphText());
    request.export_ = aot::ExportOptions{};
    CHECK(reasonOf(request).find("export") != std::string::npos);
}

TEST_CASE("the first guard that fails is named with its values") {
    const std::vector<aot::RetraceGuard> guards = {{ir::SymExpr("s77 <= 25"), ""},
                                                   {ir::SymExpr("Ne(s77, s27)"), ""},
                                                   {ir::SymExpr("u0 >= 3"), ""},
                                                   {ir::SymExpr("Eq(Mod(s77, 8), 0)"), "view"}};
    CHECK_FALSE(cache::firstFailedGuard(guards, {{"s77", 16}, {"s27", 3}}));
    CHECK(cache::firstFailedGuard(guards, {{"s77", 32}, {"s27", 3}})->text() ==
          "guard s77 <= 25 fails: s77 = 32");
    CHECK(cache::firstFailedGuard(guards, {{"s77", 3}, {"s27", 3}})->text() ==
          "guard Ne(s77, s27) fails: s77 = 3, s27 = 3");
    CHECK(cache::firstFailedGuard(guards, {{"s77", 9}, {"s27", 3}})->expression == "Eq(Mod(s77, 8), 0)");
    CHECK(cache::firstFailedGuard(guards, {{"s77", 9}})->values == "s77 = 9, s27 has no value");
    CHECK(cache::firstFailedGuard({{ir::SymExpr("s77 <<< 2"), ""}}, {{"s77", 9}}));
}

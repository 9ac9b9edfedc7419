#include "passes/crash_facts.h"

#include "ir/bodies.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <array>

namespace aotscope::passes {

namespace {

/// Operators of libraries that pack their arguments and check little.
constexpr std::array spaces = {std::string_view("_quantized."), std::string_view("fbgemm."),
                               std::string_view("mkl."),        std::string_view("mkldnn."),
                               std::string_view("onednn."),     std::string_view("quantized.")};

} // namespace

bool canEndProcess(std::string_view target) {
    if (std::ranges::any_of(spaces, [&](std::string_view space) { return target.starts_with(space); })) {
        return true;
    }
    // By name alone: Dynamo's graphs call some of them as functions of `torch`.
    return ir::operatorNamed(ir::functionName(target)).is(ir::Trait::CanEndProcess);
}

bool canEndProcess(const ir::Graph& graph) {
    const auto holds = [](const ir::Graph& each) {
        return std::ranges::any_of(each.order(), [&](ir::NodeId id) {
            const ir::Node& node = each.node(id);
            return node.op == ir::Opcode::CallFunction && canEndProcess(node.target);
        });
    };
    return holds(graph) || ir::anyBody(graph, holds);
}

} // namespace aotscope::passes

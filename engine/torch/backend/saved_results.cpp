#include "backend/saved_results.h"

#include "ops/compiled_autograd.h"

#include <ATen/ops/prod.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace aotscope::torch {

namespace {

using Compute = std::function<at::Tensor(const at::Tensor&)>;

std::optional<Compute> wholeProduct(const ir::Arguments& /*arguments*/) {
    return Compute([](const at::Tensor& self) { return at::prod(self); });
}

std::optional<Compute> productAlong(const ir::Arguments& arguments) {
    const auto* dim = arguments[2].as<std::int64_t>();
    const auto* keepDim = arguments[3].as<bool>();
    if (dim == nullptr || keepDim == nullptr) {
        return std::nullopt;
    }
    return Compute(
        [dim = *dim, keep = *keepDim](const at::Tensor& self) { return at::prod(self, dim, keep); });
}

/// A node class of autograd. Its arguments are the gradients, which gradients are needed, then what it saved:
/// numbers and inputs in the order of the schema, then the result.
struct Rule {
    std::string_view node;
    std::size_t self;
    std::size_t result;
    std::optional<Compute> (*compute)(const ir::Arguments& arguments);
};
constexpr Rule rules[] = {{"ProdBackward0", 2, 3, wholeProduct}, {"ProdBackward1", 4, 5, productAlong}};

const ir::NodeId* inputIn(const ir::Graph& program, const ir::Argument& argument) {
    const auto* node = argument.as<ir::NodeId>();
    return node != nullptr && program.node(*node).op == ir::Opcode::Placeholder ? node : nullptr;
}

} // namespace

std::vector<SavedResult> savedResults(const ir::Graph& program) {
    std::vector<SavedResult> results;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        const auto name = ops::autogradNodeOf(node.target);
        const auto* rule = name ? std::ranges::find(rules, *name, &Rule::node) : std::end(rules);
        if (rule == std::end(rules) || node.args.size() <= rule->result) {
            continue;
        }
        const ir::NodeId* self = inputIn(program, node.args[rule->self]);
        const ir::NodeId* result = inputIn(program, node.args[rule->result]);
        auto compute = self == nullptr || result == nullptr ? std::nullopt : rule->compute(node.args);
        if (compute) {
            results.push_back({*result, *self, *std::move(compute)});
        }
    }
    return results;
}

} // namespace aotscope::torch

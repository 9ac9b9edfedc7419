#include "backend/caller_inputs.h"

#include "ops/compiled_autograd.h"
#include "run/inputs/input_needs.h"
#include "trace/traced_inputs.h"
#include "wrappers/read_number.h"

#include <ATen/ops/prod.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

namespace aotscope::torch {

namespace {

/// An input of a program of compiled autograd that autograd saved as the result of an operator, and the input
/// that it is the result of.
struct SavedResult {
    ir::NodeId result;
    ir::NodeId of;
    std::function<at::Tensor(const at::Tensor& of)> compute;
};

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

/// Those of products: their derivative is written with the result in eager mode and without it where it is
/// traced, so the two agree only on a true product. Follows torch 2.15,
/// torch/csrc/autograd/FunctionsManual.cpp: prod_backward.
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

} // namespace

std::vector<CallerInput> callerInputs(const aot::RetraceRequest& request, const DynamoProgram& program) {
    RunContext context;
    context.symbols = request.symbolHints;
    const std::vector<ValueNeeds> needs = valueNeeds(*request.program, context);
    std::vector<CallerInput> inputs;
    for (const ir::NodeId id : program.attributes()) {
        const ir::Node& node = request.program->node(id);
        inputs.push_back({node.target, attributeOf(request, node).input});
        inputs.back().needs = needs[id.index()];
    }
    const std::size_t attributes = inputs.size();
    const std::vector<ir::NodeId> placeholders = request.program->placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        CallerInput input{request.program->node(placeholders[i]).name,
                          i < request.inputs.size() ? request.inputs[i] : aot::RetraceInput{}};
        if (input.facts.duplicateOf) {
            *input.facts.duplicateOf += attributes;
        }
        input.number = numberRead(*request.program, placeholders[i], request.symbolHints, request.floatHints);
        input.needs = needs[placeholders[i].index()];
        inputs.push_back(std::move(input));
    }
    const auto place = [&](ir::NodeId input) {
        return attributes +
               static_cast<std::size_t>(std::ranges::find(placeholders, input) - placeholders.begin());
    };
    for (SavedResult& saved : savedResults(*request.program)) {
        inputs.at(place(saved.result)).resultOf = {place(saved.of), std::move(saved.compute)};
    }
    return inputs;
}

} // namespace aotscope::torch

#include "passes/op_facts.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/keywords.h"
#include "ir/op_schema.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <array>
#include <string>

namespace aotscope::passes {

namespace {

/// torch._library.utils.is_builtin
bool isBuiltinNamespace(std::string_view target) {
    static constexpr std::array<std::string_view, 3> own{"aten.", "prim.", "prims."};
    return std::ranges::any_of(own, [&](auto prefix) { return target.starts_with(prefix); });
}

bool isPythonCallable(std::string_view target) {
    return target.starts_with("_operator.") || target.starts_with("operator.") ||
           target.starts_with("torch.") || target.starts_with("math.") || target.starts_with("builtins.") ||
           target.find('.') == std::string_view::npos;
}

bool isRecomputable(const ir::Operator& op, const PartitionRules& rules) {
    return op.is(ir::Trait::View | ir::Trait::Recomputable | ir::Trait::Pointwise) ||
           (rules.leakyReluIsPointwise && op.is(ir::Trait::LaterPointwise)) ||
           (rules.onlineSoftmaxIsRecomputable && op.is(ir::Trait::OnlineSoftmax));
}

struct FlagOfTrait {
    ir::Trait trait;
    std::uint32_t flags;
};
constexpr FlagOfTrait flagsOfTraits[] = {
    {ir::Trait::View, OpView},
    {ir::Trait::ComputeIntensive, OpComputeIntensive},
    {ir::Trait::Random, OpRandom},
    {ir::Trait::NotMergeable, OpNotMergeable},
    {ir::Trait::Joins, OpCat},
    {ir::Trait::WaitsForTensor, OpWaitTensor},
    {ir::Trait::CopiesInto, OpCopyInto},
    {ir::Trait::AssertsScalar, OpAssertScalar},
    {ir::Trait::LiftsFresh, OpLiftFresh},
    {ir::Trait::ChangesShape, OpReshape},
};

std::uint32_t overloadFlags(std::string_view target, const ir::Operator& op) {
    std::uint32_t flags = OpOverload;
    for (const FlagOfTrait& row : flagsOfTraits) {
        flags |= op.is(row.trait) ? row.flags : 0U;
    }
    const auto schema = ir::trySchema(target);
    const bool isMutable = schema && std::ranges::any_of(schema->arguments, &ir::SchemaArgument::isMutated);
    flags |= isMutable ? OpMutable | OpImpure : 0U;
    flags |= ir::isSeeded(target) ? OpSeeded : 0U;
    flags |= isBuiltinNamespace(target) ? OpBuiltin : 0U;
    flags |= target.starts_with("_c10d_functional.") ? OpCollective : 0U;
    return flags;
}

std::uint32_t higherOrderFlags(std::string_view target) {
    const ir::HigherOrderOperator* known = ir::tryHigherOrder(target);
    if (known == nullptr) {
        return OpBuiltin;
    }
    std::uint32_t flags = OpBuiltin;
    flags |= known->id == ir::HigherOrder::WithEffects ? OpWithEffects : 0U;
    flags |= known->id == ir::HigherOrder::AutoFunctionalized ? OpAutoFunctionalized : 0U;
    flags |= known->id == ir::HigherOrder::TritonKernelWrapperFunctional ? OpTritonWrapper : 0U;
    flags |= known->effect != ir::HigherOrderEffect::None ? OpImpure : 0U;
    return flags;
}

/// Operators of libraries that pack their arguments and check little.
constexpr std::array spaces = {std::string_view("_quantized."), std::string_view("fbgemm."),
                               std::string_view("mkl."),        std::string_view("mkldnn."),
                               std::string_view("onednn."),     std::string_view("quantized.")};

} // namespace

std::vector<const ir::Argument*> writtenOperands(const ir::Node& node) {
    std::vector<const ir::Argument*> written;
    if (ir::isHigherOrder(node.target, ir::HigherOrder::AutoFunctionalized) && !node.args.empty()) {
        const auto* wrapped = node.args[0].as<ir::OperatorArgument>();
        const auto schema = wrapped == nullptr ? nullptr : ir::trySchema(wrapped->target);
        for (std::size_t i = 0; schema && i < schema->arguments.size(); ++i) {
            if (schema->arguments[i].isMutated) {
                written.push_back(ir::tryKeyword(node.kwargs, schema->arguments[i].name));
            }
        }
    } else if (ir::isHigherOrder(node.target, ir::HigherOrder::TritonKernelWrapperFunctional)) {
        if (const ir::Argument* cloned = ir::tryKeyword(node.kwargs, "tensors_to_clone")) {
            forEachLeaf(*cloned, [&](const ir::Argument& name) {
                written.push_back(ir::tryEntry(ir::tryKeyword(node.kwargs, "kwargs"), name));
            });
        }
    }
    std::erase(written, nullptr);
    return written;
}

std::uint32_t opFlags(std::string_view target, const PartitionRules& rules) {
    const ir::Operator op(target);
    std::uint32_t flags = 0;
    if (isPythonCallable(target)) {
        flags |= OpBuiltin;
        // The module has two names.
        const bool isAlsoNamed = target.starts_with("operator.");
        flags |= isRecomputable(isAlsoNamed ? ir::Operator("_" + std::string(target)) : op, rules)
                     ? OpRecomputable
                     : 0U;
        flags |= target == "_operator.getitem" || target == "operator.getitem" ? OpGetitem : 0U;
    } else if (ir::isHigherOrder(target)) {
        flags |= higherOrderFlags(target);
    } else {
        flags |= (isRecomputable(op, rules) ? OpRecomputable : 0U) | overloadFlags(target, op);
    }
    flags |= (flags & (OpRecomputable | OpRandom)) != 0 ? OpFusible : 0U;
    if (op.is(ir::Trait::Effect) || (rules.recordStreamHasEffect && op.is(ir::Trait::LaterEffect))) {
        flags |= OpImpure;
    }
    if (op.is(ir::Trait::NeverSaved) ||
        (rules.asyncAssertionsAreNeverSaved && op.is(ir::Trait::AsyncAssertion))) {
        flags |= OpNeverSaved;
    }
    return flags;
}

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

#include "passes/fusion.h"

#include "ir/op_schema.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

const ir::Argument* keyword(const ir::Node& node, std::string_view name) {
    for (const ir::KeywordArgument& argument : node.kwargs) {
        if (argument.name == name) {
            return &argument.value;
        }
    }
    return nullptr;
}

bool holds(const JointProgram& program, const ir::Argument* argument, Index wanted) {
    if (argument == nullptr) {
        return false;
    }
    bool found = false;
    forEachLeaf(*argument, [&](const ir::Argument& leaf) {
        const ir::NodeId* id = leaf.as<ir::NodeId>();
        found = found || (id != nullptr && program.indexOf(*id) == wanted);
    });
    return found;
}

/// Whether the operator that auto_functionalized wraps writes to `node`.
bool isMutatedBy(const JointProgram& program, Index node, Index call) {
    const ir::Node& user = program.node(call);
    const auto* wrapped = user.args.empty() ? nullptr : user.args[0].as<ir::OperatorArgument>();
    const auto schema = wrapped == nullptr ? nullptr : ir::trySchema(wrapped->target);
    return schema &&
           std::any_of(schema->arguments.begin(), schema->arguments.end(), [&](const auto& argument) {
               return argument.isMutated && holds(program, keyword(user, argument.name), node);
           });
}

/// Whether `node` is one of the tensors that the Triton kernel wrapper clones before it writes to them.
bool isClonedBy(const JointProgram& program, Index node, Index call) {
    const ir::Node& user = program.node(call);
    const ir::Argument* names = keyword(user, "tensors_to_clone");
    const ir::Argument* operands = keyword(user, "kwargs");
    const auto* dict =
        operands == nullptr ? nullptr : operands->as<std::shared_ptr<const ir::DictArgument>>();
    if (names == nullptr || dict == nullptr) {
        return false;
    }
    bool found = false;
    forEachLeaf(*names, [&](const ir::Argument& name) {
        for (const auto& [key, operand] : (*dict)->items) {
            const ir::NodeId* id = operand.as<ir::NodeId>();
            found = found || (key == name && id != nullptr && program.indexOf(*id) == node);
        }
    });
    return found;
}

} // namespace

bool isFusible(const JointProgram& program, Index node, Index user) {
    const Item& first = program[node];
    const Item& second = program[user];
    // A concatenation can be fused with its producers, but not with its users.
    if (second.is(OpCat)) {
        return true;
    }
    if ((second.is(OpAutoFunctionalized) && isMutatedBy(program, node, user)) ||
        (second.is(OpTritonWrapper) && isClonedBy(program, node, user))) {
        return true;
    }
    if (first.is(OpGetitem)) {
        const Index parent = program.argument(node, 0);
        if (parent != noIndex && program[parent].is(OpTritonWrapper)) {
            return false;
        }
    }
    return first.is(OpFusible) && second.is(OpFusible);
}

bool isMaterialized(const JointProgram& program, Index node) {
    if (program[node].opcode == ir::Opcode::Placeholder) {
        return true;
    }
    const auto users = program.users(node);
    return std::any_of(users.begin(), users.end(),
                       [&](Index user) { return !isFusible(program, node, user); });
}

} // namespace aotscope::passes

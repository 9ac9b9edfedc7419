#include "passes/fusion.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

/// Whether a functional wrapper writes to a copy of `node`.
bool isWrittenBy(const JointProgram& program, Index node, Index call) {
    bool found = false;
    for (const ir::Argument* operand : writtenOperands(program.node(call))) {
        forEachLeaf(*operand, [&](const ir::Argument& leaf) {
            const ir::NodeId* id = leaf.as<ir::NodeId>();
            found = found || (id != nullptr && program.indexOf(*id) == node);
        });
    }
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
    if (second.is(OpAutoFunctionalized | OpTritonWrapper) && isWrittenBy(program, node, user)) {
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
    return std::ranges::any_of(program.users(node),
                               [&](Index user) { return !isFusible(program, node, user); });
}

} // namespace aotscope::passes

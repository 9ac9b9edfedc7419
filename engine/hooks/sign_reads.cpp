#include "hooks/sign_reads.h"

#include "ir/operators/operator.h"

#include <algorithm>
#include <vector>

namespace aotscope::hooks {
namespace {

bool isZero(const ir::Argument& argument) {
    const auto* integer = argument.as<std::int64_t>();
    const auto* number = argument.as<double>();
    return (integer != nullptr && *integer == 0) || (number != nullptr && *number == 0);
}

bool isNode(const ir::Argument& argument, ir::NodeId id) {
    const auto* node = argument.as<ir::NodeId>();
    return node != nullptr && *node == id;
}

/// `threshold_backward(gradient, x, 0)`, `x <= 0`, `x > 0`: equal for all x with the same numbers above 0.
bool readsSign(const ir::Node& user, ir::NodeId value) {
    const ir::Arguments& args = user.args;
    const ir::Operator op(user.target);
    if (op.is(ir::Trait::IsOfThreshold)) {
        return args.size() == 3 && !isNode(args[0], value) && isNode(args[1], value) && isZero(args[2]);
    }
    return op.is(ir::Trait::ReadsSign) && args.size() == 2 && isZero(args[1]);
}

bool isAlias(const ir::Node& user) {
    return ir::Operator(user.target).is(ir::Trait::Aliases);
}

} // namespace

bool readsSignOnly(const ir::Graph& backward, std::string_view input) {
    const auto start = backward.tryFind(input);
    if (!start) {
        return false;
    }
    std::vector<ir::NodeId> values = {*start};
    while (!values.empty()) {
        const ir::NodeId value = values.back();
        values.pop_back();
        for (const ir::NodeId user : backward.users(value)) {
            const ir::Node& node = backward.node(user);
            if (isAlias(node)) {
                values.push_back(user);
            } else if (!readsSign(node, value)) {
                return false;
            }
        }
    }
    return true;
}

} // namespace aotscope::hooks

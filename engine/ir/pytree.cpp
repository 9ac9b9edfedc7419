#include "ir/pytree.h"

namespace aotscope::ir {
namespace {

void addLeaves(const Argument& argument, Arguments& leaves) {
    if (const Arguments* items = itemsOf(argument)) {
        for (const Argument& item : *items) {
            addLeaves(item, leaves);
        }
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        for (const auto& [key, item] : (*dict)->items) {
            addLeaves(item, leaves);
        }
    } else {
        leaves.push_back(argument);
    }
}

} // namespace

bool isContainer(const Argument& argument) {
    return itemsOf(argument) != nullptr || argument.as<std::shared_ptr<const DictArgument>>() != nullptr;
}

Arguments treeLeaves(const Argument& argument) {
    Arguments leaves;
    addLeaves(argument, leaves);
    return leaves;
}

} // namespace aotscope::ir

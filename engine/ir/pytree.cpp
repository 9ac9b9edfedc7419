#include "ir/pytree.h"

namespace aotscope::ir {
namespace {

void addLeaves(const Argument& argument, Arguments& leaves) {
    const auto* list = argument.as<ListArgument>();
    const auto* tuple = argument.as<TupleArgument>();
    if (list != nullptr || tuple != nullptr) {
        for (const Argument& item : list != nullptr ? list->items : tuple->items) {
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
    return argument.as<ListArgument>() != nullptr || argument.as<TupleArgument>() != nullptr ||
           argument.as<std::shared_ptr<const DictArgument>>() != nullptr;
}

Arguments treeLeaves(const Argument& argument) {
    Arguments leaves;
    addLeaves(argument, leaves);
    return leaves;
}

} // namespace aotscope::ir

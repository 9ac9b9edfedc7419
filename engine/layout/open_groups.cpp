#include "layout/group_tree.h"

namespace aotscope::layout {

namespace {

/// Opens whole levels at a time, so that equal modules look equal, whatever the user opened or closed.
void openLevels(GroupTree& tree, const LayoutOptions& options) {
    std::vector<std::size_t> level;
    const auto addGroups = [&tree](std::size_t index, std::vector<std::size_t>& to) {
        for (const GroupTree::Item& item : tree.entries[index].children) {
            if (item.group != GroupTree::none) {
                to.push_back(item.group);
            }
        }
    };
    std::size_t visible = tree.entries[0].children.size() + tree.entries[1].children.size();
    addGroups(0, level);
    addGroups(1, level);
    while (!level.empty()) {
        std::size_t more = visible;
        for (const std::size_t index : level) {
            more += tree.entries[index].children.size() - 1;
        }
        // A picture with somewhat too many boxes is better than one with very few.
        const bool sparse = visible * 4 < options.comfortableBoxes;
        if (more > (sparse ? 2 : 1) * options.comfortableBoxes) {
            return;
        }
        visible = more;
        std::vector<std::size_t> next;
        for (const std::size_t index : level) {
            tree.entries[index].open = true;
            addGroups(index, next);
        }
        level = std::move(next);
    }
}

} // namespace

void openGroups(GroupTree& tree, const LayoutOptions& options) {
    tree.entries[0].open = tree.entries[1].open = true;
    if (options.grouping == Grouping::ByModule) {
        for (GroupTree::Entry& each : tree.entries) {
            each.open = true;
        }
    } else if (options.grouping == Grouping::Automatic) {
        openLevels(tree, options);
    }
    for (std::size_t i = 2; i < tree.entries.size(); ++i) {
        GroupTree::Entry& each = tree.entries[i];
        each.open = (each.open || options.openGroups.contains(each.path)) &&
                    !options.closedGroups.contains(each.path);
    }
}

} // namespace aotscope::layout

#include "layout/group_tree.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace aotscope::layout {

namespace {

using Item = GroupTree::Item;
using Entry = GroupTree::Entry;

/// Deeper components of a path stay in the name of the last group.
constexpr std::size_t mostDepth = 24;
/// More children than this on one level are put into runs.
constexpr std::size_t mostChildren = 240;
constexpr std::size_t smallestRun = 8;
constexpr std::size_t runLength = 25;
constexpr std::size_t mostRuns = 60;

class TreeBuilder {
public:
    TreeBuilder(const ir::Graph& graph, const ir::ModulePaths& modules, const std::vector<ir::Phase>& phases,
                const LayoutOptions& options)
        : m_graph(graph), m_modules(modules), m_phases(phases), m_options(options) {
        m_tree.entries.resize(2);
        m_tree.entries[1].isBackward = true;
    }

    GroupTree build() {
        for (const ir::NodeId id : m_graph.order()) {
            place(id);
        }
        simplify(0);
        simplify(1);
        count(0);
        count(1);
        if (m_options.grouping == Grouping::Automatic && m_graph.size() > m_options.comfortableBoxes) {
            const std::size_t known = m_tree.entries.size();
            for (std::size_t i = 0; i < known; ++i) {
                makeRuns(i);
            }
        }
        open();
        return std::move(m_tree);
    }

private:
    Entry& entry(std::size_t index) { return m_tree.entries[index]; }

    void place(ir::NodeId id) {
        const bool isOutput = m_graph.node(id).op == ir::Opcode::Output;
        const bool backward =
            !isOutput && id.index() < m_phases.size() && m_phases[id.index()] == ir::Phase::Backward;
        std::size_t parent = backward ? 1 : 0;
        if (m_options.grouping != Grouping::None && !isOutput && id.index() < m_modules.ofNode.size()) {
            const ir::ModulePaths::Entry& module = m_modules.ofNode[id.index()];
            parent = groupOf(module.path, backward);
            for (std::size_t at = parent; !module.derived && at > 1; at = entry(at).parent) {
                entry(at).derived = false;
            }
        }
        entry(parent).children.push_back({GroupTree::none, id, positionOf(id)});
    }

    /// Inputs come first in every program; they belong where they are first used.
    [[nodiscard]] std::uint32_t positionOf(ir::NodeId id) const {
        const auto users = m_graph.users(id);
        const bool isInput = m_graph.node(id).op == ir::Opcode::Placeholder;
        return isInput && !users.empty() ? m_graph.position(users.front()) : m_graph.position(id);
    }

    std::size_t groupOf(const std::string& path, bool backward) {
        std::size_t at = backward ? 1 : 0;
        if (path.empty()) {
            return at;
        }
        auto& known = m_groups[at];
        if (const auto found = known.find(path); found != known.end()) {
            return found->second;
        }
        std::size_t begin = 0;
        for (std::size_t depth = 1; begin <= path.size(); ++depth) {
            std::size_t end = path.find('.', begin);
            if (end == std::string::npos || depth == mostDepth) {
                end = path.size();
            }
            const std::string prefix = path.substr(0, end);
            const auto [it, fresh] = known.try_emplace(prefix, m_tree.entries.size());
            if (fresh) {
                Entry made;
                made.path = prefix;
                made.title = prefix;
                made.parent = at;
                made.isBackward = backward;
                m_tree.entries.push_back(std::move(made));
                entry(at).children.push_back({it->second, {}, 0});
            }
            at = it->second;
            begin = end + 1;
        }
        return at;
    }

    /// Groups of one node and groups that hold nothing but another group only cost space: the first give
    /// their node to the parent, the second take on their child's name and content. Positions are set and
    /// children sorted on the way. Depth is bounded by mostDepth.
    void simplify(std::size_t index) {
        std::vector<Item> kept;
        for (Item item : std::move(entry(index).children)) {
            if (item.group == GroupTree::none) {
                kept.push_back(item);
                continue;
            }
            simplify(item.group);
            Entry& child = entry(item.group);
            if (child.children.empty()) {
                continue;
            }
            if (child.children.size() == 1 && child.children.front().group == GroupTree::none) {
                kept.push_back(child.children.front());
                child.children.clear();
                continue;
            }
            item.position = positionOf(child.children);
            kept.push_back(item);
        }
        std::ranges::stable_sort(kept, {}, &Item::position);
        if (index > 1 && kept.size() == 1 && kept.front().group != GroupTree::none) {
            const std::size_t only = kept.front().group;
            kept = std::move(entry(only).children);
            entry(only).children.clear();
            entry(index).path = std::move(entry(only).path);
            entry(index).title = entry(index).path;
            for (const Item& item : kept) {
                if (item.group != GroupTree::none) {
                    entry(item.group).parent = index;
                }
            }
        }
        entry(index).children = std::move(kept);
    }

    [[nodiscard]] std::uint32_t positionOf(const std::vector<Item>& items) const {
        std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t computing = any;
        for (const Item& item : items) {
            any = std::min(any, item.position);
            if (item.group != GroupTree::none || m_graph.node(item.node).op != ir::Opcode::Placeholder) {
                computing = std::min(computing, item.position);
            }
        }
        return computing != std::numeric_limits<std::uint32_t>::max() ? computing : any;
    }

    std::uint32_t count(std::size_t index) {
        std::uint32_t total = 0;
        for (const Item& item : entry(index).children) {
            total += item.group == GroupTree::none ? 1 : count(item.group);
        }
        entry(index).nodeCount = total;
        // Within a frame its own path need not be said again.
        Entry& self = entry(index);
        const std::string& outer = self.parent == GroupTree::none ? self.path : entry(self.parent).path;
        if (!outer.empty() && self.path.size() > outer.size() + 1 && self.path.starts_with(outer)) {
            self.title = self.path.substr(outer.size() + 1);
        }
        return total;
    }

    void makeRuns(std::size_t index) {
        if (entry(index).children.size() <= mostChildren) {
            return;
        }
        std::vector<Item> items = std::move(entry(index).children);
        // First the loose nodes between modules, so that modules stay visible as long as possible.
        std::vector<Item> merged;
        const bool hasGroups =
            std::ranges::any_of(items, [](const Item& item) { return item.group != GroupTree::none; });
        for (std::size_t begin = 0; begin < items.size();) {
            std::size_t end = begin;
            while (end < items.size() && items[end].group == GroupTree::none && !isEdgeOfGraph(items[end])) {
                ++end;
            }
            if (hasGroups && end - begin >= smallestRun) {
                merged.push_back(makeRun(index, items, begin, end));
                begin = end;
                continue;
            }
            end = std::max(end, begin + 1);
            merged.insert(merged.end(), items.begin() + std::ptrdiff_t(begin),
                          items.begin() + std::ptrdiff_t(end));
            begin = end;
        }
        if (merged.size() > mostChildren) {
            merged = chop(index, merged);
        }
        entry(index).children = std::move(merged);
    }

    [[nodiscard]] bool isEdgeOfGraph(const Item& item) const {
        return m_graph.node(item.node).op == ir::Opcode::Output;
    }

    std::vector<Item> chop(std::size_t parent, const std::vector<Item>& items) {
        const std::size_t pieces = std::clamp(items.size() / runLength, std::size_t{2}, mostRuns);
        std::vector<Item> made;
        for (std::size_t i = 0; i < pieces; ++i) {
            const std::size_t begin = items.size() * i / pieces;
            std::size_t end = items.size() * (i + 1) / pieces;
            const bool outputLast =
                end == items.size() && items.back().group == GroupTree::none && isEdgeOfGraph(items.back());
            end -= outputLast ? 1 : 0;
            made.push_back(makeRun(parent, items, begin, end));
            if (outputLast) {
                made.push_back(items.back());
            }
        }
        return made;
    }

    Item makeRun(std::size_t parent, const std::vector<Item>& items, std::size_t begin, std::size_t end) {
        std::vector<Item> part(items.begin() + std::ptrdiff_t(begin), items.begin() + std::ptrdiff_t(end));
        const std::uint32_t first = part.front().position;
        const std::uint32_t last = part.back().position;
        const std::string range = std::to_string(first) + "-" + std::to_string(last);
        Entry made;
        made.path = entry(parent).path + "#" + range;
        made.title = runTitle(part, first, last);
        made.parent = parent;
        made.isBackward = entry(parent).isBackward;
        for (const Item& item : part) {
            made.nodeCount += item.group == GroupTree::none ? 1 : entry(item.group).nodeCount;
        }
        const std::size_t index = m_tree.entries.size();
        const std::uint32_t position = positionOf(part);
        for (const Item& item : part) {
            if (item.group != GroupTree::none) {
                entry(item.group).parent = index;
            }
        }
        made.children = std::move(part);
        m_tree.entries.push_back(std::move(made));
        if (entry(index).children.size() > mostChildren) {
            entry(index).children = chop(index, std::vector<Item>(entry(index).children));
        }
        return {index, {}, position};
    }

    [[nodiscard]] std::string runTitle(const std::vector<Item>& part, std::uint32_t first,
                                       std::uint32_t last) {
        const Item& front = part.front();
        const Item& back = part.back();
        if (front.group != GroupTree::none && back.group != GroupTree::none) {
            return entry(front.group).title + " – " + entry(back.group).title;
        }
        return "nodes " + std::to_string(first) + "–" + std::to_string(last);
    }

    void open() {
        entry(0).open = entry(1).open = true;
        if (m_options.grouping == Grouping::ByModule) {
            for (Entry& each : m_tree.entries) {
                each.open = true;
            }
        } else if (m_options.grouping == Grouping::Automatic) {
            openLevels();
        }
        for (std::size_t i = 2; i < m_tree.entries.size(); ++i) {
            Entry& each = entry(i);
            each.open = (each.open || m_options.openGroups.contains(each.path)) &&
                        !m_options.closedGroups.contains(each.path);
        }
    }

    /// Whole levels at a time, so that equal modules look equal. What a person opened or closed does not
    /// change what is decided here.
    void openLevels() {
        std::vector<std::size_t> level;
        const auto addGroups = [this](std::size_t index, std::vector<std::size_t>& to) {
            for (const Item& item : entry(index).children) {
                if (item.group != GroupTree::none) {
                    to.push_back(item.group);
                }
            }
        };
        std::size_t visible = entry(0).children.size() + entry(1).children.size();
        addGroups(0, level);
        addGroups(1, level);
        while (!level.empty()) {
            std::size_t more = visible;
            for (const std::size_t index : level) {
                more += entry(index).children.size() - 1;
            }
            // A picture of very few boxes says less than one that is somewhat full.
            const bool sparse = visible * 4 < m_options.comfortableBoxes;
            if (more > (sparse ? 2 : 1) * m_options.comfortableBoxes) {
                return;
            }
            visible = more;
            std::vector<std::size_t> next;
            for (const std::size_t index : level) {
                entry(index).open = true;
                addGroups(index, next);
            }
            level = std::move(next);
        }
    }

    const ir::Graph& m_graph;
    const ir::ModulePaths& m_modules;
    const std::vector<ir::Phase>& m_phases;
    const LayoutOptions& m_options;
    GroupTree m_tree;
    std::unordered_map<std::string, std::size_t> m_groups[2]; // NOLINT: one map per half
};

} // namespace

GroupTree buildGroupTree(const ir::Graph& graph, const ir::ModulePaths& modules,
                         const std::vector<ir::Phase>& phases, const LayoutOptions& options) {
    return TreeBuilder(graph, modules, phases, options).build();
}

std::vector<ir::NodeId> nodesBelow(const GroupTree& tree, std::size_t entry) {
    std::vector<ir::NodeId> nodes;
    std::vector<const GroupTree::Entry*> open{&tree.entries[entry]};
    nodes.reserve(open.front()->nodeCount);
    std::vector<std::size_t> at{0};
    while (!open.empty()) {
        if (at.back() == open.back()->children.size()) {
            open.pop_back();
            at.pop_back();
            continue;
        }
        const GroupTree::Item& item = open.back()->children[at.back()++];
        if (item.group == GroupTree::none) {
            nodes.push_back(item.node);
        } else {
            open.push_back(&tree.entries[item.group]);
            at.push_back(0);
        }
    }
    return nodes;
}

} // namespace aotscope::layout

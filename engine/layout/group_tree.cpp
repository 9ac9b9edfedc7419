#include "layout/group_tree.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace aotscope::layout {

namespace {

using Item = GroupTree::Item;
using Entry = GroupTree::Entry;

/// Deeper components of a path become part of the last group's name.
constexpr std::size_t mostDepth = 24;
/// More children than this on one level are grouped into runs.
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
        m_first.resize(2, unknownPosition);
        m_entryOf.resize(graph.idBound(), GroupTree::none);
    }

    GroupTree build() {
        for (const ir::NodeId id : m_graph.order()) {
            placeWithInputs(id);
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
        openGroups(m_tree, m_options);
        return std::move(m_tree);
    }

private:
    Entry& entry(std::size_t index) { return m_tree.entries[index]; }

    /// Places an input together with its first user, so that both are in the same part of a split module.
    void placeWithInputs(ir::NodeId id) {
        const bool isInput = m_graph.node(id).op == ir::Opcode::Placeholder;
        if (isInput && !m_graph.users(id).empty()) {
            return;
        }
        place(id);
        for (const ir::NodeId input : m_graph.inputs(id)) {
            if (m_graph.node(input).op == ir::Opcode::Placeholder &&
                m_entryOf[input.index()] == GroupTree::none) {
                place(input);
            }
        }
    }

    void place(ir::NodeId id) {
        const bool isOutput = m_graph.node(id).op == ir::Opcode::Output;
        std::size_t parent = !isOutput && isBackward(m_phases, id) ? 1 : 0;
        if (m_options.grouping != Grouping::None && !isOutput && id.index() < m_modules.ofNode.size()) {
            const ir::ModulePaths::Entry& module = m_modules.ofNode[id.index()];
            parent = groupOf(module.path, id, parent);
            for (std::size_t at = parent; !module.derived && at > 1; at = entry(at).parent) {
                entry(at).derived = false;
            }
        }
        m_entryOf[id.index()] = parent;
        entry(parent).children.push_back({GroupTree::none, id, drawnPosition(m_graph, id)});
    }

    std::size_t groupOf(std::string_view path, ir::NodeId id, std::size_t at) {
        std::size_t begin = 0;
        for (std::size_t depth = 1; !path.empty() && begin <= path.size(); ++depth) {
            std::size_t end = path.find('.', begin);
            if (end == std::string_view::npos || depth == mostDepth) {
                end = path.size();
            }
            at = partOf(at, path.substr(begin, end - begin), id);
            begin = end + 1;
        }
        return at;
    }

    /// The group for a node below `parent`. If the module's results come back to it through other modules, a
    /// new part begins ("attn (2)"); otherwise closed groups would form a cycle.
    std::size_t partOf(std::size_t parent, std::string_view component, ir::NodeId id) {
        const bool computes = m_graph.node(id).op != ir::Opcode::Placeholder;
        auto& parts = m_parts[std::to_string(parent) + ":" + std::string(component)];
        if (parts.count == 0 || (computes && comesBack(parts.last, id))) {
            ++parts.count;
            const std::string number = parts.count == 1 ? "" : " (" + std::to_string(parts.count) + ")";
            Entry made;
            made.path = entry(parent).path + (parent > 1 ? "." : "") + std::string(component) + number;
            made.title = made.path;
            made.parent = parent;
            made.isBackward = entry(parent).isBackward;
            parts.last = m_tree.entries.size();
            m_tree.entries.push_back(std::move(made));
            m_first.resize(m_tree.entries.size(), unknownPosition);
            entry(parent).children.push_back({parts.last, {}, 0});
        }
        if (computes) {
            m_first[parts.last] = std::min(m_first[parts.last], m_graph.position(id));
        }
        return parts.last;
    }

    [[nodiscard]] bool isBelow(ir::NodeId id, std::size_t group) {
        std::size_t at = m_entryOf[id.index()];
        while (at != GroupTree::none && at != group) {
            at = entry(at).parent;
        }
        return at == group;
    }

    /// Whether an input of `id` from outside of the group was computed from the group's results. Searches
    /// back to the group's first node and gives up after some steps.
    bool comesBack(std::size_t group, ir::NodeId id) {
        constexpr std::size_t mostSteps = 200;
        const std::uint32_t first = m_first[group];
        std::vector<ir::NodeId> open;
        std::vector<ir::NodeId> seen;
        const auto visit = [&](ir::NodeId from) {
            for (const ir::NodeId input : m_graph.inputs(from)) {
                const bool later = m_graph.position(input) > first &&
                                   m_graph.position(input) < m_graph.position(from) &&
                                   m_graph.node(input).op != ir::Opcode::Placeholder;
                if (later && std::ranges::find(seen, input) == seen.end()) {
                    seen.push_back(input);
                    open.push_back(input);
                }
            }
        };
        if (first == unknownPosition) {
            return false;
        }
        visit(id);
        std::erase_if(open, [&](ir::NodeId input) { return isBelow(input, group); });
        while (!open.empty() && seen.size() < mostSteps) {
            const ir::NodeId at = open.back();
            open.pop_back();
            for (const ir::NodeId input : m_graph.inputs(at)) {
                if (m_graph.position(input) >= first && m_graph.position(input) < m_graph.position(at) &&
                    m_graph.node(input).op != ir::Opcode::Placeholder && isBelow(input, group)) {
                    return true;
                }
            }
            visit(at);
        }
        return false;
    }

    /// Removes groups that only take space: a group of one node gives the node to its parent; a group with a
    /// single group in it takes over that group's name and children. Also sets positions and sorts children.
    /// Recursion depth is bounded by mostDepth.
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
        // An input has the same position as its first user and comes before it.
        std::ranges::stable_sort(kept, {}, [this](const Item& item) {
            const bool isInput =
                item.group == GroupTree::none && m_graph.node(item.node).op == ir::Opcode::Placeholder;
            return std::pair(item.position, !isInput);
        });
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
        // The title does not repeat the path of the frame around it.
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
        // Groups the loose nodes between modules first, so that modules stay visible as long as possible.
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
        made.isNumbered = part.front().group == GroupTree::none || part.back().group == GroupTree::none;
        made.title = made.isNumbered ? numberedTitle(first, last) : betweenTitle(part);
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

    [[nodiscard]] std::string betweenTitle(const std::vector<Item>& part) {
        return entry(part.front().group).title + " – " + entry(part.back().group).title;
    }

    const ir::Graph& m_graph;
    const ir::ModulePaths& m_modules;
    const std::vector<ir::Phase>& m_phases;
    const LayoutOptions& m_options;
    GroupTree m_tree;
    struct Parts {
        std::size_t last = GroupTree::none;
        std::size_t count = 0;
    };
    static constexpr std::uint32_t unknownPosition = std::numeric_limits<std::uint32_t>::max();
    /// By parent and component of a path.
    std::unordered_map<std::string, Parts> m_parts;
    /// By entry: position of its first node that is not an input.
    std::vector<std::uint32_t> m_first;
    /// By node id index.
    std::vector<std::size_t> m_entryOf;
};

} // namespace

GroupTree buildGroupTree(const ir::Graph& graph, const ir::ModulePaths& modules,
                         const std::vector<ir::Phase>& phases, const LayoutOptions& options) {
    return TreeBuilder(graph, modules, phases, options).build();
}

std::uint32_t drawnPosition(const ir::Graph& graph, ir::NodeId id) {
    const auto users = graph.users(id);
    const bool isInput = graph.node(id).op == ir::Opcode::Placeholder;
    return graph.position(isInput && !users.empty() ? users.front() : id);
}

std::string numberedTitle(std::uint32_t first, std::uint32_t last) {
    return "nodes " + std::to_string(first) + "–" + std::to_string(last);
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

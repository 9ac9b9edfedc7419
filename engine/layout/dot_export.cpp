#include "layout/export.h"
#include "layout/group_tree.h"
#include "layout/label.h"
#include "layout/picture_colors.h"
#include "layout/visible_graph.h"

#include "ir/phase.h"

#include "base/formatted.h"
#include "base/xml_text.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aotscope::layout {

namespace {

constexpr std::size_t longestLabel = 200;

/// Text for a quoted DOT string: escapes quotes and backslashes; control characters and invalid UTF-8 become
/// "?", because DOT cannot express them.
std::string escaped(std::string_view text) {
    const std::string shown = base::cleanText(cutText(text, longestLabel));
    std::string out;
    for (const char c : shown) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

class DotDocument {
public:
    DotDocument(const ir::Graph& graph, const ir::ModulePaths& modules, const SplitFacts* split,
                base::Progress progress)
        : m_graph(graph), m_phases(ir::nodePhases(graph)), m_split(split), m_progress(std::move(progress)) {
        LayoutOptions options;
        options.grouping = Grouping::ByModule;
        const bool joint = ir::isJointGraph(graph);
        m_tree = buildGroupTree(graph, modules, joint ? m_phases : std::vector<ir::Phase>(), options);
        m_categories =
            nodeCategories({.graph = &graph, .phases = m_phases, .isJoint = joint, .split = m_split});
        if (!joint) {
            m_phases.clear();
        }
    }

    std::string write() {
        const PictureColors& colors = lightPicture();
        m_text = "digraph graph_module {\n  graph [fontname=\"Helvetica\", nslimit=4, nslimit1=4, mclimit=1, "
                 "bgcolor=\"" +
                 hexColor(colors.background) +
                 "\"];\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"" + hexColor(colors.box) +
                 "\", fontcolor=\"" + hexColor(colors.text) +
                 "\", penwidth=1.5, fontname=\"Helvetica\", fontsize=11];\n  edge [color=\"" +
                 hexColor(colors.edge()) + "\", arrowsize=0.6];\n";
        writeChildren(0, "  ");
        writeChildren(1, "  ");
        writeBands();
        for (const ir::NodeId id : m_graph.order()) {
            for (const ir::NodeId user : m_graph.users(id)) {
                if (!m_banded.contains(keyOf(id, user))) {
                    writeEdge(id, user);
                }
            }
            if (!goOn()) {
                break;
            }
        }
        return m_text + "}\n";
    }

private:
    /// Recursion depth is bounded by the depth of the tree.
    void writeChildren(std::size_t index, const std::string& indent) {
        for (const GroupTree::Item& item : m_tree.entries[index].children) {
            if (item.group == GroupTree::none) {
                writeNode(item.node, indent);
                if (!goOn()) {
                    return;
                }
                continue;
            }
            const GroupTree::Entry& entry = m_tree.entries[item.group];
            m_text += indent + "subgraph cluster_" + std::to_string(item.group) + " {\n" + indent +
                      "  label=\"" + escaped(entry.title) + (entry.isBackward ? " (backward)" : "") +
                      "\"; color=\"" + hexColor(lightPicture().line) + "\";\n";
            writeChildren(item.group, indent + "  ");
            m_text += indent + "}\n";
        }
    }

    /// Reports progress; every node counts twice, for itself and for its edges.
    [[nodiscard]] bool goOn() {
        m_progress.report("nodes and edges", ++m_done, 2 * m_graph.order().size());
        return !m_progress.stopRequested();
    }

    void writeNode(ir::NodeId id, const std::string& indent) {
        const ir::Node& node = m_graph.node(id);
        const bool again = isAgain(id);
        std::string label = (again ? "↻ " : "") + escaped(node.name);
        label += "\\n" + escaped(shortTarget(node));
        const std::string value = shortValue(node.value);
        if (!value.empty()) {
            label += "\\n" + escaped(value);
        }
        m_text += indent + "n" + std::to_string(id.index()) + " [label=\"" + label + "\"" +
                  (again ? ", style=\"rounded,filled,dashed\"" : "") + ", color=\"" +
                  hexColor(lightPicture().of(again ? Category::Recomputed : m_categories[id.index()])) +
                  "\"];\n";
    }

    /// Backward edges are reversed for dot's ranking, which folds a joint graph at the loss; the arrow still
    /// points in the direction of the data.
    void writeEdge(ir::NodeId from, ir::NodeId to) {
        const std::string a = "n" + std::to_string(from.index());
        const std::string b = "n" + std::to_string(to.index());
        const bool isOutput = m_graph.node(to).op == ir::Opcode::Output;
        if (isBackward(m_phases, from) && isOutput) {
            m_text += "  " + a + " -> " + b + " [constraint=false];\n";
        } else if (isBackward(m_phases, from)) {
            m_text += "  " + b + " -> " + a + " [dir=back];\n";
        } else if (isBackward(m_phases, to) && !isOutput) {
            m_text += "  " + a + " -> " + b + " [constraint=false, " + acrossStyle(from) + "];\n";
        } else {
            m_text += "  " + a + " -> " + b + ";\n";
        }
    }

    /// What is saved, from the value to each backward node that needs it: as wide as its bytes.
    void writeBands() {
        if (m_split == nullptr) {
            return;
        }
        const std::vector<std::vector<ir::NodeId>> users = backwardUsers(m_graph, *m_split);
        for (std::size_t i = 0; i < users.size(); ++i) {
            const SavedValue& value = m_split->saved[i];
            for (const ir::NodeId user : users[i]) {
                m_banded.insert(keyOf(value.node, user));
                m_text += "  n" + std::to_string(value.node.index()) + " -> n" +
                          std::to_string(user.index()) + " [constraint=false, color=\"" +
                          hexColor(lightPicture().band()) +
                          "\", penwidth=" + base::formatted("%.1f", bandWidth(value.bytes)) + ", label=\"" +
                          std::to_string(value.bytes) + " B" +
                          (value.stored ? " → " + std::to_string(*value.stored) + " B" : std::string()) +
                          "\", fontsize=9];\n";
            }
        }
    }

    /// The style of an edge from forward to backward that carries nothing saved.
    [[nodiscard]] std::string acrossStyle(ir::NodeId from) const {
        return isAgain(from)
                   ? "color=\"" + hexColor(lightPicture().of(Category::Recomputed)) + "\", style=dashed"
                   : "color=\"" + hexColor(lightPicture().edge()) + "\"";
    }

    [[nodiscard]] bool isAgain(ir::NodeId id) const {
        return m_split != nullptr && m_split->fates[id.index()] == ir::NodeFate::Recomputed;
    }

    const ir::Graph& m_graph;
    std::vector<ir::Phase> m_phases;
    std::vector<Category> m_categories;
    const SplitFacts* m_split;
    /// Edges that a band replaces.
    std::unordered_set<std::uint64_t> m_banded;
    base::Progress m_progress;
    std::uint64_t m_done = 0;
    GroupTree m_tree;
    std::string m_text;
};

} // namespace

std::string toDot(const ir::Graph& graph, const ir::ModulePaths& modules, const SplitFacts* split,
                  base::Progress progress) {
    return DotDocument(graph, modules, split, std::move(progress)).write();
}

} // namespace aotscope::layout

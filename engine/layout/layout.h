#pragma once

#include "ir/graph.h"
#include "ir/module_path.h"

#include "base/ids.h"
#include "base/progress.h"
#include "base/result.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

/// Lays out a graph: which nodes and groups are visible, where they are, how edges run. A joint graph is
/// folded at the loss: the forward runs downwards on the left, the backward upwards on the right, each
/// backward node near its forward node; the edges across are saved tensors.
namespace aotscope::layout {

using GroupId = base::Id<struct GroupTag>;
using BoxId = base::Id<struct BoxTag>;

/// `None`: every node, no frames. `ByModule`: every node in the frames of its modules, unless they are
/// closed. `Automatic`: by module, and by runs of program order ("nodes 0–199") if a level has too many
/// boxes; opened level by level as far as `comfortableBoxes` allows.
enum class Grouping : std::uint8_t { None, ByModule, Automatic };

/// The size of boxes in points, for layout and painting. Two lines: the name, then op and value.
struct BoxMetrics {
    static constexpr double nameCharacter = 7.5;
    static constexpr double textCharacter = 6.8;
    /// Left and right together.
    static constexpr double padding = 26;
    static constexpr double minimumWidth = 110;
    static constexpr double maximumWidth = 270;
    static constexpr double height = 40;
    /// Height of the title at the top of an open group's frame, and margin around the boxes in it.
    static constexpr double titleHeight = 20;
    static constexpr double frameMargin = 10;
};

struct LayoutOptions {
    Grouping grouping = Grouping::Automatic;
    /// Paths of the groups that are open. `Automatic` also opens outer levels while the number of visible
    /// boxes stays near `comfortableBoxes`.
    std::set<std::string> openGroups;
    /// Paths of the groups that are closed; overrides everything else.
    std::set<std::string> closedGroups;
    std::size_t comfortableBoxes = 250;
    /// With more visible boxes than this, the program-order layout is used instead of dot.
    std::size_t mostBoxesForDot = 1'000;
    /// Seconds after which dot is killed and the program-order layout is used instead.
    double dotSeconds = 10;
    bool foldJoint = true;
    /// Path of dot; empty: "dot" on PATH.
    std::string dotProgram;

    friend bool operator==(const LayoutOptions&, const LayoutOptions&) = default;
};

/// A rectangle, in points; x grows right, y grows down.
struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};
struct Point {
    double x = 0;
    double y = 0;
};

/// A visible node, or a closed group in place of its nodes.
struct Box {
    Rect rect;
    /// Invalid for a closed group.
    ir::NodeId node;
    /// The closed group it is, or the innermost open group it lies in; invalid: none.
    GroupId group;
    bool isGroup = false;
    bool isBackward = false;
    /// Number of nodes in a closed group; 1 for a node.
    std::uint32_t nodeCount = 1;
};

/// What a group is called and how it shows.
struct GroupFacts {
    std::string path;
    std::string title;
    bool open = false;
    bool derived = true;
    bool isBackward = false;
    /// A run whose title gives the program positions of its nodes (numberedTitle).
    bool isNumbered = false;
};

/// A module group; an open one has a frame around its boxes, a closed one is a Box. Forward and backward half
/// of a module are two groups with the same path. A module whose results come back to it through other
/// modules is split into parts, "attn" and "attn (2)", so that closed groups form no cycle. Groups inside a
/// closed group are not listed. The path of a run is "parent#first-last".
struct Group : GroupFacts {
    GroupId parent;
    /// Frame when open.
    Rect frame;
    std::vector<ir::NodeId> nodes;
};

enum class EdgeKind : std::uint8_t { Data, Saved };

/// An edge between boxes; several graph edges between the same boxes are merged into one.
struct Edge {
    BoxId from;
    BoxId to;
    EdgeKind kind = EdgeKind::Data;
    /// Number of merged graph edges.
    std::uint32_t count = 1;
    /// Bytes of the distinct tensors that flow along it; 0: unknown.
    std::int64_t bytes = 0;
    /// Cubic Bézier control points (1 + 3n), from `from` to `to`.
    std::vector<Point> path;
};

struct Layout {
    std::vector<Box> boxes;
    std::vector<Group> groups;
    std::vector<Edge> edges;
    Rect bounds;
    /// By node id index: the box of the node, or of the closed group it is in; invalid: not shown.
    std::vector<BoxId> boxOfNode;
    bool folded = false;
    /// "dot", or "program order" with the reason in `note`.
    std::string engine;
    std::string note;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// The text of a box: `name` in bold, then `op` and `value` ("addmm", "f32[8, 64]"), each cut to fit. A
/// closed group shows its title and its number of nodes.
struct BoxText {
    std::string name;
    std::string op;
    std::string value;
};
[[nodiscard]] BoxText boxText(const ir::Graph& graph, const Layout& layout, const Box& box);

/// Lays out a graph. dot runs in a child process and is killed on cancel or after `dotSeconds`. If it
/// is missing or fails, the program-order layout is used and `note` gives the reason. Errors:
/// session.canceled only.
[[nodiscard]] base::Result<LayoutPtr> computeLayout(const ir::Graph& graph, const ir::ModulePaths& modules,
                                                    const LayoutOptions& options,
                                                    base::Progress progress = {});

} // namespace aotscope::layout

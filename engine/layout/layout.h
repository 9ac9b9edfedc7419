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

/// From a graph to a picture: which nodes and groups are visible, where they lie, how edges run. A joint
/// graph is folded at the loss: forward downwards on the left, backward beside it upwards on the right, each
/// backward node near its forward node, saved tensors as the edges across.
namespace aotscope::layout {

using GroupId = base::Id<struct GroupTag>;
using BoxId = base::Id<struct BoxTag>;

/// `None`: every node, no frames. `ByModule`: every node in the frames of its modules, unless closed.
/// `Automatic`: by module, and by runs of program order ("nodes 0–199") where modules leave more boxes on one
/// level than a person can take in; opened level by level as far as `comfortableBoxes` allows.
enum class Grouping : std::uint8_t { None, ByModule, Automatic };

/// How large boxes are made for their text; whoever paints a box has this much room inside it. Two lines:
/// the name, then op and value.
struct BoxMetrics {
    static constexpr double nameCharacter = 7.5;
    static constexpr double textCharacter = 6.8;
    /// Left and right together.
    static constexpr double padding = 26;
    static constexpr double minimumWidth = 110;
    static constexpr double maximumWidth = 270;
    static constexpr double height = 40;
    /// Room for a title at the top of an open group's frame, and around the boxes in it.
    static constexpr double titleHeight = 20;
    static constexpr double frameMargin = 10;
};

struct LayoutOptions {
    Grouping grouping = Grouping::Automatic;
    /// Paths of the groups that are open; with `Automatic` the engine opens as many of the outermost as
    /// keep the number of visible boxes near `comfortableBoxes`.
    std::set<std::string> openGroups;
    /// Paths of the groups that are closed; wins over everything else.
    std::set<std::string> closedGroups;
    std::size_t comfortableBoxes = 250;
    /// Above this many visible boxes the layout is made in program order by this program instead of by dot.
    std::size_t mostBoxesForDot = 1'000;
    /// Seconds after which dot is killed and the program-order layout is used instead.
    double dotSeconds = 10;
    bool foldJoint = true;
    /// "dot" found on PATH when empty.
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

/// A visible node, or a closed group standing for its nodes.
struct Box {
    Rect rect;
    /// Invalid for a closed group.
    ir::NodeId node;
    /// The closed group it is, or the innermost open group it lies in; invalid: none.
    GroupId group;
    bool isGroup = false;
    bool isBackward = false;
    /// Nodes a closed group stands for (1 for a node).
    std::uint32_t nodeCount = 1;
};

/// A module group; open ones have a frame around their boxes, closed ones are a Box. Forward and backward
/// halves of a module are two groups of one path. A module whose results come back to it by way of others is
/// split into parts, "attn" and "attn (2)", so that data never flows in a circle between closed groups. Only
/// groups that are visible are listed, those inside a closed one are not. `path` of a run is
/// "parent#first-last".
struct Group {
    std::string path;
    std::string title;
    GroupId parent;
    bool open = false;
    bool derived = true;
    bool isBackward = false;
    /// A run whose title says which nodes it holds, by their place in the program.
    bool isNumbered = false;
    /// Frame when open.
    Rect frame;
    std::vector<ir::NodeId> nodes;
};

enum class EdgeKind : std::uint8_t { Data, Saved };

/// An edge between boxes, merged when it stands for several.
struct Edge {
    BoxId from;
    BoxId to;
    EdgeKind kind = EdgeKind::Data;
    /// Number of graph edges it stands for.
    std::uint32_t count = 1;
    /// Bytes of the distinct tensors that flow along; 0 unknown.
    std::int64_t bytes = 0;
    /// Cubic Bézier control points (1 + 3n), from `from` to `to`.
    std::vector<Point> path;
};

struct Layout {
    std::vector<Box> boxes;
    std::vector<Group> groups;
    std::vector<Edge> edges;
    Rect bounds;
    /// By node id index: the box that shows the node (a group's when closed); invalid: not shown.
    std::vector<BoxId> boxOfNode;
    bool folded = false;
    /// "dot", or "program order" with the reason in `note`.
    std::string engine;
    std::string note;
};
using LayoutPtr = std::shared_ptr<const Layout>;

/// What a box says: `name` in bold, then `op` and `value` ("addmm", "f32[8, 64]"), each cut to what fits a
/// box; a closed group says its title and how many nodes it holds.
struct BoxText {
    std::string name;
    std::string op;
    std::string value;
};
[[nodiscard]] BoxText boxText(const ir::Graph& graph, const Layout& layout, const Box& box);

/// Lays out a frozen graph. dot runs in a child process, is fed through pipes and killed on cancel or after
/// `dotSeconds`; where it is missing or fails the program-order layout is used and `note` says so.
/// Errors: session.canceled only.
[[nodiscard]] base::Result<LayoutPtr> computeLayout(const ir::Graph& graph, const ir::ModulePaths& modules,
                                                    const LayoutOptions& options,
                                                    base::Progress progress = {});

} // namespace aotscope::layout

#pragma once

#include "common/view_context.h"
#include "session/breakpoint.h"
#include "session/snapshots.h"

#include <QWidget>

#include <optional>
#include <vector>

class QToolButton;

namespace aotscope::views {

class CodeView;
class ElidedLabel;
class EmptyPage;

/// The Text dock: the graph as source text, in step with the picture both ways. Shows the text printed from
/// the graph, or the text as it stands in the log, which is also what is left when it could not be parsed.
class TextPanel : public QWidget {
    Q_OBJECT

public:
    explicit TextPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] CodeView* view() const { return m_view; }
    void showLogged(bool logged);
    void openSearch();
    /// Pauses re-traces at the current line, or no more; nothing on a line that stands for no place.
    void toggleBreakpoint();

Q_SIGNALS:
    /// A person asks why the selected node is saved or not.
    void whyRequested();
    /// A re-trace was to pause where none comes by.
    void noPlaceToPause();

private:
    void showGraph();
    void showNode();
    void chooseLine(int line);
    void hoverLine(int line);
    [[nodiscard]] ir::NodeId nodeOfLine(int line) const;
    [[nodiscard]] int lineOfNode(ir::NodeId node) const;
    /// What is shown, found beside the window's thread where it is much.
    struct Content {
        base::TextLinesPtr lines;
        bool isLogged = false;
        /// Of the logged text; the printed one has its own.
        std::vector<int> lineOfNode;
        std::vector<ir::NodeId> nodeOfLine;
        /// Lines that name a line of the source.
        std::vector<int> sourceLines;
    };
    [[nodiscard]] static Content contentOf(const session::GraphSnapshotPtr& graph, bool logged);
    static void mapLoggedLines(const ir::Graph& graph, Content& content);
    void showContent(const Content& content);
    void toggleBreakpointAt(int line);
    [[nodiscard]] std::optional<session::Breakpoint> breakpointAt(int line) const;
    void showBreakpoints();
    [[nodiscard]] bool showsProgram() const;

    ViewContext m_context;
    CodeView* m_view;
    class FindBar* m_find;
    EmptyPage* m_pages;
    ElidedLabel* m_title;
    QToolButton* m_logged;
    session::GraphSnapshotPtr m_shown;
    /// Without lines while it is found.
    Content m_content;
};

} // namespace aotscope::views

#pragma once

#include "common/view_context.h"
#include "contract/breakpoint.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <optional>
#include <vector>

class QToolButton;

namespace aotscope::views {

class CodeView;
class ElidedLabel;
class EmptyPage;

/// The Text dock: the graph as text, synchronized with the picture. Shows the text printed from the graph or
/// the logged text; only the latter if it could not be parsed.
class TextPanel : public QWidget {
    Q_OBJECT

public:
    explicit TextPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] CodeView* view() const { return m_view; }
    void showLogged(bool logged);
    /// Sets or removes a breakpoint for re-traces at the current line; emits noPlaceToPause if traces cannot
    /// pause there.
    void toggleBreakpoint();

Q_SIGNALS:
    /// A person wants to know why the selected node is saved or not.
    void whyRequested();
    /// A person tried to set a breakpoint on a line that traces cannot pause at.
    void noPlaceToPause();

private:
    void showGraph();
    void showNode();
    void chooseLine(int line);
    void hoverLine(int line);
    [[nodiscard]] ir::NodeId nodeOfLine(int line) const;
    [[nodiscard]] int lineOfNode(ir::NodeId node) const;
    /// The shown text with its lines, prepared on another thread if it is long.
    struct Content {
        base::TextLinesPtr lines;
        bool isLogged = false;
        /// For the logged text; the printed text has its own.
        std::vector<int> lineOfNode;
        std::vector<ir::NodeId> nodeOfLine;
        /// Lines that name a source line.
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
    /// Without lines while they are being found.
    Content m_content;
};

} // namespace aotscope::views

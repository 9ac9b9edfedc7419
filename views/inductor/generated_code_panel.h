#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "files/generated_code.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QTabBar;
class QToolButton;
class QTreeView;

namespace aotscope::views {

class CodeView;
class ElidedLabel;
class EmptyPage;
class GeneratedKernelModel;

/// The Generated code dock: the code that Inductor generated in the selected compile, split into kernels. A
/// kernel selects its nodes in the other panels, a node marks its kernels here. The code is shown and never
/// executed.
class GeneratedCodePanel : public QWidget {
    Q_OBJECT

public:
    explicit GeneratedCodePanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] GeneratedKernelModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* list() const { return m_list; }
    [[nodiscard]] CodeView* code() const { return m_code; }
    [[nodiscard]] QTabBar* parts() const { return m_parts; }
    /// Shows only the current kernel with its comments.
    [[nodiscard]] QToolButton* fold() const { return m_fold; }
    [[nodiscard]] QLabel* details() const { return m_details; }
    [[nodiscard]] const session::GeneratedCodeSnapshotPtr& shown() const { return m_shown; }
    /// Null: nothing is shown.
    [[nodiscard]] const session::GeneratedCodeSnapshot::Part* part() const;

private:
    void build();
    void follow();
    void followRequest();
    void show(session::GeneratedCodeSnapshotPtr snapshot);
    void showEmpty(const QString& title, const QString& howTo);
    void showPart();
    void showText();
    void showDetails();
    void choosePartOf(const session::ArtifactReference& graph);
    void chooseKernel(std::uint32_t kernel);
    void chooseLine(int line);
    void followNode(QObject* source);
    void chooseSource(const std::string& place);
    void followLink(const QString& link);
    void markLines(const std::vector<std::uint32_t>& launches, const std::string& node);
    void selectNodes(const std::vector<ir::NodeId>& nodes);
    /// The graph in which nodes are selected: the current one if it is of this code, else the best there is.
    [[nodiscard]] session::ArtifactReference graphToSelectIn() const;
    [[nodiscard]] std::string nameIn(const session::ArtifactReference& graph, ir::NodeId node) const;
    /// The launches that compute a node of the selected graph.
    [[nodiscard]] static std::vector<std::uint32_t> launchesOf(const inductor::GeneratedCode& code,
                                                               const session::Selection& selected);
    /// The part to show for a node of a graph that is of no part (the joint graph); nothing: the present one.
    [[nodiscard]] std::optional<int> otherPartOf(const session::Selection& selected) const;
    [[nodiscard]] bool isOfShown(const session::ArtifactReference& graph) const;

    ViewContext m_context;
    EmptyPage* m_pages = nullptr;
    ElidedLabel* m_title;
    QTabBar* m_parts;
    QToolButton* m_fold;
    GeneratedKernelModel* m_model;
    QTreeView* m_list;
    QLabel* m_details;
    CodeView* m_code;
    session::GeneratedCodeSnapshotPtr m_shown;
    Request<session::GeneratedCodeSnapshotPtr> m_request;
    std::optional<std::uint32_t> m_kernel;
    /// The first line of the whole code that is shown, from 0; the code is folded to a kernel if it is not 0.
    int m_firstLine = 0;
    base::TextLinesPtr m_foldedLines;
    std::shared_ptr<const std::string> m_foldedText;
    bool m_choosing = false;
};

} // namespace aotscope::views

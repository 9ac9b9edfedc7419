#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/kernel_build.h"
#include "kernels/device_figures.h"
#include "kernels/rerun_history.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;
class QTabWidget;

namespace aotscope::views {

class CodeView;
class KernelLaunchView;
class KernelSource;
class KernelVariants;
class RerunForm;
class RerunPlot;
class RerunValuesModel;

/// What is known of the chosen kernel: its reruns, with their values, and the form that starts one.
class KernelPage : public QWidget {
    Q_OBJECT

public:
    KernelPage(const ViewContext& context, RerunHistory* history, KernelVariants* variants,
               QWidget* parent = nullptr);

    /// Nodes of the current graph, in program order; empty: none are chosen. `kernel`: the fused kernel that
    /// computes exactly these.
    void showNodes(const std::vector<ir::NodeId>& nodes,
                   const std::optional<kernels::FusedKernel>& kernel = std::nullopt);
    /// Marks what the kernel's source has of that node; invalid: of none.
    void markNode(ir::NodeId node);
    /// Asks the engine to run them again as the form says.
    void rerun();
    /// Later reruns are compared with the selected one; if that is the baseline already, with the run alone.
    void toggleBaseline();

    /// Tag of its request. The page shows a failure itself.
    [[nodiscard]] static QString tag() { return QStringLiteral("rerun"); }
    [[nodiscard]] static QString buildTag() { return QStringLiteral("build kernel"); }
    [[nodiscard]] RequestBase* request() { return &m_request; }
    [[nodiscard]] RequestBase* buildRequest() { return &m_buildRequest; }
    [[nodiscard]] const RerunSubject& subject() const { return m_subject; }
    [[nodiscard]] RerunForm* form() const { return m_form; }
    [[nodiscard]] RerunPlot* plot() const { return m_plot; }
    [[nodiscard]] RerunValuesModel* values() const { return m_values; }
    [[nodiscard]] QPushButton* baselineButton() const { return m_baseline; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] KernelSource* source() const { return m_source; }
    [[nodiscard]] CodeView* ptx() const { return m_ptx; }
    [[nodiscard]] CodeView* sass() const { return m_sass; }
    [[nodiscard]] KernelLaunchView* launch() const { return m_launch; }
    /// The GPU that kernels are compiled for.
    [[nodiscard]] QComboBox* gpus() const { return m_gpu; }
    /// What is said of the selected rerun, or of the one that is under way.
    [[nodiscard]] QString said() const;

private:
    void followRequest();
    void followHistory();
    void take();
    void showSelected();
    void updateForm();
    void addCodeTabs();
    void build();
    [[nodiscard]] const kernels::DeviceFigures& gpu() const;
    void followBuild();
    void showLinesOf(int line);
    void say(const QString& words, bool isWrong = false);

    ViewContext m_context;
    RerunHistory* m_history;
    QLabel* m_title;
    RerunForm* m_form;
    QLabel* m_said;
    QLabel* m_notes;
    RerunPlot* m_plot;
    QPushButton* m_baseline;
    RerunValuesModel* m_values;
    QTableView* m_valueTable;
    KernelSource* m_source;
    QComboBox* m_gpu;
    CodeView* m_ptx;
    CodeView* m_sass;
    KernelLaunchView* m_launch;
    QTabWidget* m_tabs;
    Request<session::RerunSnapshotPtr> m_request;
    Request<session::KernelBuildSnapshotPtr> m_buildRequest;
    session::KernelBuildSnapshotPtr m_build;
    RerunSubject m_subject;
};

} // namespace aotscope::views

#pragma once

#include "common/view_context.h"
#include "files/logged_config.h"

#include <QDialog>

#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace aotscope::views {

/// The compile settings: every option of torch._functorch.config for the selected compile, with the value
/// that its file tells, the release's default, whether it is followed here and what it can change. A value
/// that is typed goes before every file's until it is taken back (CompileSettings), so that all panels
/// compile under it.
class CompileSettingsDialog : public QDialog {
    Q_OBJECT

public:
    explicit CompileSettingsDialog(const ViewContext& context, QWidget* parent = nullptr);

    /// Shows the one of `window`, which is not blocked by it.
    static void showFor(const ViewContext& context, QWidget* window);

    enum Column { Option, Value, From, Default, Followed, CanChange, ColumnCount };
    [[nodiscard]] QTreeWidget* view() const { return m_view; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    /// Why a typed value was not taken.
    [[nodiscard]] QLabel* problem() const { return m_problem; }
    /// Takes back the choice for the current row's option, or all choices.
    [[nodiscard]] QPushButton* releaseButton() const { return m_release; }
    [[nodiscard]] QPushButton* releaseAllButton() const { return m_releaseAll; }

private:
    void followGraph();
    void refresh();
    [[nodiscard]] aot::TorchVersion rulesOf() const;
    [[nodiscard]] aot::FunctorchConfig toldConfig() const;
    void fillRow(QTreeWidgetItem* row, const aot::FunctorchConfig& config, const aot::ConfigOption& option);
    void take(QTreeWidgetItem* row, int column);
    void applyFilter();
    void updateButtons();

    ViewContext m_context;
    QTreeWidget* m_view;
    QLineEdit* m_filter;
    QLabel* m_whose;
    QLabel* m_problem;
    QPushButton* m_release;
    QPushButton* m_releaseAll;
    /// Options of the compile whose graph was shown last and whose file has them.
    session::CompileOptionsPtr m_options;
    std::uint32_t m_log = 0;
    QString m_compile;
    bool m_filling = false;
};

} // namespace aotscope::views

#include "window/compile_settings_dialog.h"

#include "common/compile_settings.h"
#include "common/current_graph.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "style/ink.h"

#include "aot/versions/versions.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace aotscope::views {
namespace {

QString releaseText(aot::TorchVersion made) {
    return text(aot::torchVersionText(aot::rulesVersion(made)));
}

} // namespace

CompileSettingsDialog::CompileSettingsDialog(const ViewContext& context, QWidget* parent)
    : QDialog(parent),
      m_context(context),
      m_view(new QTreeWidget),
      m_filter(new QLineEdit),
      m_whose(plainLabel()),
      m_problem(plainLabel()),
      m_release(new QPushButton(tr("As the file says"))),
      m_releaseAll(new QPushButton(tr("All as the file says"))) {
    setWindowTitle(tr("Compile settings"));
    setObjectName(QStringLiteral("compileSettings"));
    resize(960, 640);
    m_filter->setObjectName(filterFieldName());
    m_filter->setPlaceholderText(tr("Filter options"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_view->setAccessibleName(tr("Options of torch._functorch.config"));
    m_view->setHeaderLabels(
        {tr("option"), tr("value"), tr("from"), tr("default"), tr("here"), tr("can change")});
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    static constexpr int widths[ColumnCount] = {330, 120, 76, 116, 104, 160};
    for (int column = 0; column < ColumnCount; ++column) {
        m_view->header()->resizeSection(column, widths[column]);
    }
    setWords(m_whose, Words::Dim);
    m_whose->setWordWrap(true);
    setWords(m_problem, Words::Warning);
    m_problem->setWordWrap(true);
    m_problem->hide();
    m_release->setToolTip(tr("Take back your value of the selected option"));
    m_releaseAll->setToolTip(tr("Take back all your values"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->addButton(m_release, QDialogButtonBox::ActionRole);
    buttons->addButton(m_releaseAll, QDialogButtonBox::ActionRole);
    // Enter opens the editor of a row, or stays in the filter: it must press no button.
    for (QAbstractButton* button : buttons->buttons()) {
        qobject_cast<QPushButton*>(button)->setAutoDefault(false);
    }
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_whose);
    column->addWidget(m_filter);
    column->addWidget(m_view, 1);
    column->addWidget(m_problem);
    column->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_filter, &QLineEdit::textChanged, this, &CompileSettingsDialog::applyFilter);
    // Only the value can be edited.
    const auto edit = [this](QTreeWidgetItem* row) {
        if (row != nullptr && (row->flags() & Qt::ItemIsEditable)) {
            m_view->editItem(row, Value);
        }
    };
    connect(m_view, &QTreeWidget::itemDoubleClicked, this, edit);
    connect(m_view, &QTreeWidget::itemActivated, this, edit);
    connect(m_view, &QTreeWidget::itemChanged, this, &CompileSettingsDialog::take);
    connect(m_view, &QTreeWidget::currentItemChanged, this, &CompileSettingsDialog::updateButtons);
    connect(m_release, &QPushButton::clicked, this, [this] {
        m_problem->hide();
        m_context.settings->releaseOption(m_view->currentItem()->text(Option).toStdString());
    });
    connect(m_releaseAll, &QPushButton::clicked, this, [this] {
        m_problem->hide();
        m_context.settings->releaseOptions();
    });
    // Not while an editor of the view is about to close: rows are filled again.
    connect(context.settings, &CompileSettings::changed, this, &CompileSettingsDialog::refresh,
            Qt::QueuedConnection);
    connect(context.graph, &CurrentGraph::graphChanged, this, &CompileSettingsDialog::followGraph);
    connect(context.theme, &ThemeSource::changed, this, &CompileSettingsDialog::refresh);
    followGraph();
}

void CompileSettingsDialog::showFor(const ViewContext& context, QWidget* window) {
    auto* dialog = window->findChild<CompileSettingsDialog*>();
    if (dialog == nullptr) {
        dialog = new CompileSettingsDialog(context, window);
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

/// Nested graphs and graphs that come from here have no options: they belong to the compile shown before.
void CompileSettingsDialog::followGraph() {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    if (graph && (graph->options || graph->reference.log != m_log)) {
        m_options = graph->options;
        m_log = graph->reference.log;
        m_compile = text(session::idText(graph->reference.compile, graph->reference.rank));
    }
    refresh();
}

/// The release whose rules all compiles follow.
aot::TorchVersion CompileSettingsDialog::rulesOf() const {
    return m_context.settings->torch().value_or(m_options ? m_options->release : aot::unnamedVersion());
}

/// The options of the file. Options at the default of the file's release take the default of the chosen one.
aot::FunctorchConfig CompileSettingsDialog::toldConfig() const {
    return m_options ? m_options->under(rulesOf()) : aot::defaultConfig(rulesOf());
}

void CompileSettingsDialog::refresh() {
    const QString current = m_view->currentItem() ? m_view->currentItem()->text(Option) : QString();
    const aot::TorchVersion rules = rulesOf();
    const QString release = releaseText(rules);
    if (m_options && m_options->isLogged) {
        m_whose->setText(
            tr("Compile %1: the options that its log tells. A value that you type here goes before "
               "every file's, in all panels of this window.")
                .arg(m_compile));
    } else {
        m_whose->setText(tr("The shown graph's file does not tell its options: these are the defaults of "
                            "torch %1. A value that you type here goes before them, in all panels.")
                             .arg(release));
    }
    m_filling = true;
    m_view->clear();
    m_view->headerItem()->setText(Default, tr("default of %1").arg(release));
    const aot::FunctorchConfig told = toldConfig();
    const auto chosen = aot::withSettings(told, m_context.settings->options());
    const aot::FunctorchConfig& config = chosen ? *chosen : told;
    for (const aot::ConfigOption* option : aot::shownOptions(config, rules)) {
        auto* row = new QTreeWidgetItem(m_view);
        fillRow(row, config, *option);
        if (row->text(Option) == current) {
            m_view->setCurrentItem(row);
        }
    }
    for (const auto& [name, value] : config.unknown) {
        auto* row = new QTreeWidgetItem(
            m_view, {text(name), text(value), tr("file"), tr("unknown"), tr("not followed"), tr("unknown")});
        row->setForeground(Followed, m_context.theme->theme().warning);
    }
    m_filling = false;
    applyFilter();
    updateButtons();
}

void CompileSettingsDialog::fillRow(QTreeWidgetItem* row, const aot::FunctorchConfig& config,
                                    const aot::ConfigOption& option) {
    const Theme& theme = m_context.theme->theme();
    const aot::TorchVersion rules = rulesOf();
    const bool isChosen = config.chosen.contains(std::string(option.name));
    const bool isDefault = aot::isDefault(config, option, rules);
    const bool changesNothing = option.touches == aot::touches::nothing;
    const bool isFollowed = aot::isFollowed(config, option, rules);
    row->setText(Option, text(std::string(option.name)));
    row->setText(Value, text(aot::optionText(config, option)));
    row->setText(From, isChosen ? tr("you") : isDefault ? tr("default") : tr("file"));
    row->setText(Default, text(aot::optionText(aot::defaultConfig(rules), option)));
    row->setText(Followed, changesNothing ? QString() : isFollowed ? tr("followed") : tr("not followed"));
    row->setText(CanChange, text(aot::touchesText(option.touches)));
    row->setFlags(row->flags() | Qt::ItemIsEditable);
    if (!isDefault || isChosen) {
        QFont bold = m_view->font();
        bold.setBold(true);
        row->setFont(Option, bold);
        row->setFont(Value, bold);
    }
    if (isChosen) {
        row->setForeground(From, theme.accent);
    }
    if (!isFollowed) {
        row->setForeground(Followed, theme.warning);
    }
    if (changesNothing) {
        row->setForeground(CanChange, theme.dimText);
    }
}

void CompileSettingsDialog::take(QTreeWidgetItem* row, int column) {
    if (m_filling || column != Value) {
        return;
    }
    const aot::ConfigSetting setting{row->text(Option).toStdString(), row->text(Value).toStdString()};
    aot::FunctorchConfig tried = toldConfig();
    const auto set = aot::setOption(tried, setting.name, setting.text);
    m_problem->setVisible(!set.ok());
    if (!set.ok()) {
        m_problem->setText(text(set.error().text()));
        // The value that holds comes back, once the editor is closed.
        QMetaObject::invokeMethod(this, &CompileSettingsDialog::refresh, Qt::QueuedConnection);
        return;
    }
    m_context.settings->chooseOption(setting);
}

void CompileSettingsDialog::applyFilter() {
    for (int i = 0; i < m_view->topLevelItemCount(); ++i) {
        QTreeWidgetItem* row = m_view->topLevelItem(i);
        row->setHidden(!row->text(Option).contains(m_filter->text().trimmed(), Qt::CaseInsensitive));
    }
}

void CompileSettingsDialog::updateButtons() {
    const std::vector<aot::ConfigSetting>& chosen = m_context.settings->options();
    const std::string current =
        m_view->currentItem() ? m_view->currentItem()->text(Option).toStdString() : std::string();
    m_release->setEnabled(std::ranges::find(chosen, current, &aot::ConfigSetting::name) != chosen.end());
    m_releaseAll->setEnabled(!chosen.empty());
}

} // namespace aotscope::views

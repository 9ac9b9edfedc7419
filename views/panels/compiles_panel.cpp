#include "panels/compiles_panel.h"

#include "common/chosen_row.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/graph_totals.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "panels/compile_model.h"
#include "panels/compile_tree.h"
#include "style/ink.h"

#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {
/// Width of the tree's arrow and indentation before the id.
constexpr int idRoom = 42;
} // namespace

CompilesPanel::CompilesPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_model(new CompileModel(context.totals, context.theme, this)),
      m_view(new CompileTree(context.theme)),
      m_filter(new QLineEdit),
      m_count(plainLabel()) {
    m_view->setObjectName(QStringLiteral("compiles"));
    m_view->setAccessibleName(tr("Compiles"));
    m_view->setModel(m_model);
    m_view->setUniformRowHeights(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setIndentation(10);
    m_view->setSortingEnabled(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = m_view->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(40);
    // Wide enough for usual contents; the column with the function takes the rest.
    static constexpr const char* usual[CompileModel::ColumnCount] = {
        "00/0_0", "", "✓ recompiled", "00 000", "000.0 M", "000 ms", "guards 0", "cache 00"};
    for (int column = 0; column < CompileModel::ColumnCount; ++column) {
        const bool isWord = column == CompileModel::Status || column == CompileModel::Cache;
        const QFontMetrics metrics(isWord ? font() : codeFont());
        const int before = column == CompileModel::Id ? idRoom : 16;
        header->resizeSection(column, metrics.horizontalAdvance(QString::fromUtf8(usual[column])) + before);
    }
    m_usualStatus = header->sectionSize(CompileModel::Status);
    m_guardsWidth = header->sectionSize(CompileModel::Guards);
    m_view->viewport()->installEventFilter(this);
    connect(header, &QHeaderView::sectionResized, this, [this](int column) {
        m_isStatusChosen = m_isStatusChosen || (column == CompileModel::Status && !m_isFitting);
    });
    m_filter->setObjectName(filterFieldName());
    m_filter->setPlaceholderText(tr("Filter: words in any column"));
    m_filter->setAccessibleName(tr("Filter compiles"));
    m_filter->setClearButtonEnabled(true);
    setWords(m_count, Words::Dim);

    auto* bar = controlRow();
    bar->addWidget(m_filter, 1);
    bar->addWidget(m_count);
    m_pages = layOutPanel(this, bar, {m_view});
    setKeyboardPlace(this, m_view);

    whenChosen(m_view, this, [this](const QModelIndex& row) { rowActivated(row); });
    connect(m_view, &QWidget::customContextMenuRequested, this, &CompilesPanel::contextMenu);
    connect(m_view, &QTreeView::expanded, this,
            [this](const QModelIndex& index) { rememberOpened(index, true); });
    connect(m_view, &QTreeView::collapsed, this,
            [this](const QModelIndex& index) { rememberOpened(index, false); });
    connect(m_filter, &QLineEdit::textChanged, m_model, &CompileModel::setFilter);
    connect(m_model, &QAbstractItemModel::modelReset, this, &CompilesPanel::restoreView);
    connect(m_model, &CompileModel::arranged, this, &CompilesPanel::followRows);
    connect(context.totals, &GraphTotalsCollector::found, m_model, &CompileModel::totalsFound);
    connect(context.logs, &LogList::changed, this, &CompilesPanel::followLog);
    connect(context.logs, &LogList::closed, this, [this](quint32 log) {
        std::erase_if(m_opened, [log](const auto& compile) { return compile.log == log; });
        m_model->removeLog(log);
        updateEmpty();
    });
    connect(context.selection, &SelectionHub::selectionChanged, this, &CompilesPanel::followSelection);
    connect(context.theme, &ThemeSource::changed, m_view->viewport(), qOverload<>(&QWidget::update));
    updateEmpty();
}

bool CompilesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_view->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
    }
    return QWidget::eventFilter(watched, event);
}

/// The column with the function takes the width that the others leave. In a narrow panel first the guards are
/// hidden (the tooltip has them too), then the words of the status.
void CompilesPanel::fitColumns() {
    constexpr int leastWhat = 110;
    constexpr int mostWhat = 280;
    constexpr int leastStatus = 64;
    QHeaderView* header = m_view->header();
    const int room = m_view->viewport()->width();
    const auto width = [&](int column) { return header->sectionSize(column); };
    const int numbers = width(CompileModel::Id) + width(CompileModel::Nodes) + width(CompileModel::Saved) +
                        width(CompileModel::Time) + width(CompileModel::Cache);
    const int what = std::clamp(m_usualWhat, leastWhat, mostWhat);
    const bool isSortedByGuards = header->sortIndicatorSection() == CompileModel::Guards;
    m_view->setColumnHidden(CompileModel::Guards,
                            !isSortedByGuards && numbers + m_usualStatus + what + m_guardsWidth > room);
    m_isFitting = true;
    if (!m_isStatusChosen) {
        header->resizeSection(CompileModel::Status, std::clamp(room - numbers - leastWhat, leastStatus,
                                                               std::max(leastStatus, m_usualStatus)));
    }
    const int others = header->length() - width(CompileModel::What);
    header->resizeSection(CompileModel::What, std::max(leastWhat, room - others));
    m_isFitting = false;
}

void CompilesPanel::rememberOpened(const QModelIndex& index, bool opened) {
    if (m_model->levelOf(index) != CompileModel::Level::Compile) {
        return;
    }
    const session::ArtifactReference compile =
        session::referenceTo(*m_model->logAt(index), *m_model->compileAt(index));
    if (opened) {
        m_opened.insert(compile);
    } else {
        m_opened.erase(compile);
    }
}

void CompilesPanel::followLog(const session::LogSnapshotPtr& log) {
    const bool isNew = !m_model->indexOf({log->log, {}, {}}, false).isValid() && m_model->rowCount() == 0;
    const int before = m_model->rowCount();
    m_model->setLog(log);
    if (isNew || m_model->rowCount() != before) {
        m_view->expand(m_model->index(m_model->rowCount() - 1, 0));
    }
    updateEmpty();
}

void CompilesPanel::restoreView() {
    for (int row = 0; row < m_model->rowCount(); ++row) {
        m_view->expand(m_model->index(row, 0));
    }
    // A copy, because opening a row emits a signal that changes the set.
    for (const session::ArtifactReference& compile : std::set(m_opened)) {
        m_view->expand(m_model->indexOf(compile, false));
    }
    if (m_context.selection->current()) {
        followSelection(*m_context.selection->current(), nullptr);
    }
    updateEmpty();
}

/// The rows of a large log come after the log.
void CompilesPanel::followRows() {
    if (m_isAwaited && m_context.selection->current()) {
        followSelection(*m_context.selection->current(), nullptr);
    }
    updateEmpty();
}

/// Ids of compiled autograd and of restarted attempts are longer than others. Returns true if a column's
/// width changed or should change.
bool CompilesPanel::measureWords() {
    constexpr std::size_t looked = 500;
    constexpr int padding = 16;
    const QFontMetrics codeMetrics(codeFont());
    const QFontMetrics metrics(font());
    int ids = m_view->header()->sectionSize(CompileModel::Id);
    int what = 0;
    const int idsBefore = ids;
    for (const auto& [id, log] : m_context.logs->logs()) {
        const auto compiles = log->compiles();
        for (const load::Compile& compile : compiles.first(std::min(looked, compiles.size()))) {
            const QString said = text(session::idText(compile.id, compile.rank));
            ids = std::max(ids, codeMetrics.horizontalAdvance(said) + idRoom);
            what = std::max(what, metrics.horizontalAdvance(whatWasCompiled(compile)) + padding);
        }
    }
    m_view->header()->resizeSection(CompileModel::Id, ids);
    return std::exchange(m_usualWhat, what) != what || ids != idsBefore;
}

/// Shows the cache column only if a log says something about a cache, and makes the status column as wide as
/// its words.
void CompilesPanel::showUsedColumns() {
    const QFontMetrics metrics(font());
    int status = metrics.horizontalAdvance(tr("status"));
    std::uint32_t measured = 0;
    for (const auto& [id, log] : m_context.logs->logs()) {
        for (const load::Compile& compile : log->compiles()) {
            const std::uint32_t word =
                2 * static_cast<std::uint32_t>(compile.status) + (compile.recompileReasons.empty() ? 0U : 1U);
            if (!compile.id.empty() && (measured & (1U << word)) == 0) {
                measured |= 1U << word;
                status = std::max(status, metrics.horizontalAdvance(compileStatusText(compile)));
            }
        }
    }
    constexpr int padding = 16;
    const int statusBefore = std::exchange(m_usualStatus, status + padding);
    const auto tells = [](const auto& entry) {
        return std::ranges::any_of(entry.second->compiles(), [](const load::Compile& compile) {
            return compile.cache != load::CacheState::Unknown;
        });
    };
    const bool shown = std::ranges::any_of(m_context.logs->logs(), tells);
    const bool cacheChanged = shown == m_view->isColumnHidden(CompileModel::Cache);
    m_view->setColumnHidden(CompileModel::Cache, !shown);
    if (measureWords() || statusBefore != m_usualStatus || cacheChanged) {
        fitColumns();
    }
}

void CompilesPanel::updateEmpty() {
    showUsedColumns();
    std::size_t compiles = 0;
    for (const auto& [id, log] : m_context.logs->logs()) {
        compiles += countCompiles(*log);
    }
    const std::size_t shown = m_model->shownCompiles();
    m_count->setText(shown == compiles ? formatCount(compiles, "compile", "compiles")
                                       : tr("%1 of %2").arg(formatCount(shown), formatCount(compiles)));
    if (m_context.logs->logs().empty()) {
        m_pages->showMessage(tr("No log is open"),
                             tr("Compiles of a trace log appear here.\nOpen one with Ctrl+O, "
                                "or drop a file on the window."));
    } else {
        m_pages->showContent();
    }
}

std::optional<session::ArtifactReference> CompilesPanel::referenceAt(const QModelIndex& index) const {
    const session::LogSnapshotPtr log = m_model->logAt(index);
    const load::Compile* compile = m_model->compileAt(index);
    if (!log || !compile) {
        return std::nullopt;
    }
    if (std::optional<session::ArtifactReference> artifact = m_model->artifactAt(index)) {
        return artifact;
    }
    const std::optional<session::Selection>& current = m_context.selection->current();
    return m_context.logs->bestArtifact(log->log, *m_model->compileIndexAt(index),
                                        current ? current->artifact.artifact : std::string());
}

void CompilesPanel::rowActivated(const QModelIndex& index) {
    if (m_following) {
        return;
    }
    if (const std::optional<session::ArtifactReference> reference = referenceAt(index)) {
        m_context.selection->select({*reference, {}}, this);
    }
}

void CompilesPanel::followSelection(const session::Selection& selection, QObject* source) {
    if (source == this) {
        m_isAwaited = false;
        return;
    }
    const QModelIndex compile = m_model->indexOf(selection.artifact, false);
    m_isAwaited = !compile.isValid();
    if (m_isAwaited) {
        return;
    }
    const QModelIndex row =
        m_view->isExpanded(compile) ? m_model->indexOf(selection.artifact, true) : compile;
    const QModelIndex target = row.isValid() ? row : compile;
    if (target.siblingAtColumn(0) == m_view->currentIndex().siblingAtColumn(0)) {
        return;
    }
    m_following = true;
    m_view->setCurrentIndex(target);
    m_following = false;
    m_view->scrollTo(target);
}

void CompilesPanel::contextMenu(QPoint position) {
    const QModelIndex index = m_view->indexAt(position);
    const session::LogSnapshotPtr log = m_model->logAt(index);
    if (!log) {
        return;
    }
    QMenu menu(this);
    if (const std::optional<session::ArtifactReference> reference = referenceAt(index)) {
        const std::optional<load::Artifact> artifact = m_context.logs->tryArtifact(*reference);
        if (artifact && artifact->isGraph) {
            if (m_compareLeft && *m_compareLeft != *reference) {
                menu.addAction(
                    tr("Compare with %1").arg(m_context.logs->textOf(*m_compareLeft)), this,
                    [this, right = *reference] { Q_EMIT compareRequested(*m_compareLeft, right); });
            }
            const std::optional<session::Selection>& current = m_context.selection->current();
            if (current && current->artifact != *reference &&
                m_context.logs->tryArtifact(current->artifact).value_or(load::Artifact()).isGraph) {
                menu.addAction(tr("Compare with the shown %1").arg(m_context.logs->textOf(current->artifact)),
                               this, [this, left = current->artifact, right = *reference] {
                                   Q_EMIT compareRequested(left, right);
                               });
            }
            menu.addAction(tr("Choose for comparison"), this,
                           [this, reference = *reference] { m_compareLeft = reference; });
            menu.addSeparator();
        }
        menu.addAction(tr("Copy id"), this,
                       [id = m_context.logs->idOf(*reference)] { QApplication::clipboard()->setText(id); });
    }
    menu.addAction(tr("Close this log"), this, [this, id = log->log] { Q_EMIT closeRequested(id); });
    menu.exec(m_view->viewport()->mapToGlobal(position));
}

} // namespace aotscope::views

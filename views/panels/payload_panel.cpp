#include "panels/payload_panel.h"

#include "common/background.h"
#include "common/clipboard.h"
#include "common/code_view.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/find_bar.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/selection_hub.h"
#include "files/payload_snapshot.h"
#include "panels/json_model.h"
#include "style/ink.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPersistentModelIndex>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QTreeView>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

CodeLanguage languageOf(const session::PayloadSnapshot& payload) {
    const std::string& name = payload.reference.artifact;
    const auto mentions = [&](std::string_view word) {
        return name.find(word) != std::string::npos || payload.kind.find(word) != std::string::npos;
    };
    if (mentions("wrapper_code") || mentions("kernel_code") || mentions("header_code")) {
        return CodeLanguage::Cpp;
    }
    if (mentions("code") || mentions("graph") || mentions("runnable") || mentions("guards") ||
        mentions("dump_file") || mentions("exported_program") || !payload.sections.empty()) {
        return CodeLanguage::Python;
    }
    return CodeLanguage::Plain;
}

} // namespace

PayloadPanel::PayloadPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_title(plainLabel()),
      m_tabs(new QTabBar),
      m_views(new QStackedWidget),
      m_text(new CodeView(context.theme)),
      m_sections(new QListWidget),
      m_tree(new QTreeView),
      m_json(new JsonModel(this)),
      m_stack(new QListWidget),
      m_request(context.engine, QStringLiteral("payload")) {
    setWords(m_title, Words::Dim);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setMinimumWidth(1);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Parts of the record"));
    m_text->setAccessibleName(tr("Payload text"));
    m_tree->setModel(m_json);
    m_tree->setAccessibleName(tr("Payload as a tree"));
    m_tree->setUniformRowHeights(true);
    m_tree->header()->resizeSection(0, 280);
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_stack->setAccessibleName(tr("Stack of the record"));
    m_stack->setUniformItemSizes(true);
    m_stack->setObjectName(QStringLiteral("payloadStack"));
    m_sections->setObjectName(QStringLiteral("payloadSections"));
    m_sections->setAccessibleName(tr("Sections of the text"));
    m_sections->setUniformItemSizes(true);
    m_sections->setFont(codeFont());
    m_sections->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_sections->hide();

    auto* textPage = new QWidget;
    auto* textLayout = flushColumn(textPage);
    textLayout->addWidget(new FindBar(m_text));
    textLayout->addWidget(m_text, 1);
    auto* parts = new QWidget;
    auto* beside = new QHBoxLayout(parts);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(1);
    beside->addWidget(m_sections);
    beside->addWidget(textPage, 1);
    m_views->addWidget(parts);
    m_views->addWidget(m_tree);
    m_views->addWidget(m_stack);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 8, 0);
    bar->setSpacing(16);
    bar->addWidget(m_tabs);
    bar->addWidget(m_title, 1);
    m_pages = layOutPanel(this, bar, {m_views});
    setKeyboardPlace(this, m_tabs);

    connect(m_tabs, &QTabBar::currentChanged, this, &PayloadPanel::showTab);
    connect(m_sections, &QListWidget::currentRowChanged, this, &PayloadPanel::goToSection);
    // Also back to the section that is current already.
    connect(m_sections, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { goToSection(m_sections->row(item)); });
    connect(m_text, &CodeView::lineChosen, this, &PayloadPanel::markSectionOf);
    connect(m_tree, &QWidget::customContextMenuRequested, this, [this](QPoint position) {
        const QModelIndex index = m_tree->indexAt(position);
        if (index.isValid()) {
            QMenu menu(this);
            // The payload may be replaced while the menu is open.
            const QPersistentModelIndex kept(index);
            menu.addAction(tr("Copy value"), this,
                           [this, kept] { copyToClipboard(this, m_json->json(), m_json->valueAt(kept)); });
            menu.exec(m_tree->viewport()->mapToGlobal(position));
        }
    });
    connect(context.selection, &SelectionHub::selectionChanged, this, &PayloadPanel::follow);
    connect(context.logs, &LogList::closed, this, [this](quint32 log) {
        if (m_shownLog == log) {
            m_shownLog.reset();
            follow();
        }
    });
    connect(&m_request, &RequestBase::answered, this, [this] { show(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::changed, this, &PayloadPanel::followRequest);
    follow();
}

/// Drops the shown payload in the background, because freeing hundreds of megabytes takes time.
void PayloadPanel::release() {
    m_json->setJson(nullptr);
    m_text->setText(QString(), CodeLanguage::Plain);
    m_sections->hide();
    if (m_payload) {
        startInBackground([old = std::exchange(m_payload, nullptr)] {});
    }
}

void PayloadPanel::showEmpty(const QString& title, const QString& howTo) {
    release();
    m_request.forget();
    m_shownLog.reset();
    m_wantedGraph = nullptr;
    m_pages->showMessage(title, howTo);
}

void PayloadPanel::follow() {
    const std::optional<session::Selection>& current = m_context.selection->current();
    if (!current) {
        showEmpty(tr("No record is selected"),
                  tr("The content of a log record appears here: code, guards, metrics, any artifact.\nOpen a "
                     "compile in the Compiles panel and pick one of its artifacts."));
        return;
    }
    const session::LogSnapshotPtr log = m_context.logs->tryLog(current->artifact.log);
    if (log && !log->traceLog()) {
        for (const session::GraphSnapshotPtr& graph : log->graphs()) {
            if (graph->reference.artifact == current->artifact.artifact) {
                showGraphText(graph);
                return;
            }
        }
    }
    const std::optional<load::Artifact> artifact = m_context.logs->tryArtifact(current->artifact);
    if (!artifact) {
        showEmpty(current->artifact.compile.empty()
                      ? tr("No artifact is selected")
                      : tr("%1 has no artifact selected").arg(referenceText(current->artifact)),
                  tr("Open the compile in the Compiles panel and pick one."));
        return;
    }
    if (!artifact->record.valid()) {
        showEmpty(tr("%1 was made here: the log has no record of it").arg(referenceText(current->artifact)),
                  tr("Its picture is in the Graph panel and its code in the Text panel."));
        return;
    }
    const auto* asked = m_request.askedFor<session::LoadPayload>();
    const bool same = asked && asked->log == current->artifact.log && asked->record == artifact->record;
    if (!same || m_request.gaveUp()) {
        showRecord(current->artifact.log, artifact->record);
    }
}

void PayloadPanel::showRecord(quint32 log, load::RecordId record) {
    m_shownLog = log;
    m_wantedGraph = nullptr;
    m_request.ask(session::LoadPayload{log, record});
}

/// The previous payload stays while another record is read.
void PayloadPanel::followRequest() {
    if (m_request.gaveUp()) {
        release();
    }
    const bool isAsked = m_request.isUnderWay() || m_request.gaveUp();
    if (const auto* asked = m_request.askedFor<session::LoadPayload>(); asked && isAsked && !m_payload) {
        const session::LogSnapshotPtr log = m_context.logs->tryLog(asked->log);
        const QString what = log && log->traceLog()
                                 ? tr("line %1").arg(formatCount(log->traceLog()->lineOf(asked->record)))
                                 : tr("the record");
        m_pages->showRequest(&m_request, {.running = tr("Reading %1 …").arg(what),
                                          .canceled = tr("Reading %1 was canceled").arg(what),
                                          .failed = tr("The content of %1 cannot be read").arg(what)});
    }
}

void PayloadPanel::addTab(const QString& title, Tab tab) {
    m_tabs->setTabData(m_tabs->addTab(title), static_cast<int>(tab));
}

void PayloadPanel::showGraphText(const session::GraphSnapshotPtr& graph) {
    if (m_wantedGraph == graph) {
        return;
    }
    m_request.forget();
    m_shownLog = graph->reference.log;
    m_wantedGraph = graph;
    runInBackground<session::PayloadSnapshotPtr>(
        this,
        [graph] {
            base::Progress untold;
            return session::payloadOfGraph(*graph, untold).value();
        },
        [this, graph](const session::PayloadSnapshotPtr& payload) {
            if (m_wantedGraph == graph) {
                show(payload);
            }
        });
}

void PayloadPanel::show(const session::PayloadSnapshotPtr& payload) {
    release();
    m_payload = payload;
    const QString name =
        payload->reference.artifact.empty() ? text(payload->kind) : referenceText(payload->reference);
    QString title =
        name + QStringLiteral("  ·  ") + formatBytes(static_cast<std::int64_t>(payload->payload.size()));
    if (payload->record.valid()) {
        title += QStringLiteral("  ·  ") + payloadStateText(payload->state);
        if (const session::LogSnapshotPtr log = m_context.logs->tryLog(payload->reference.log);
            log && log->traceLog()) {
            title += QStringLiteral("  ·  ") +
                     tr("line %1").arg(formatCount(log->traceLog()->lineOf(payload->record)));
        }
    }
    m_title->setText(title);
    setWords(m_title, payload->state == load::PayloadState::Bad ? Words::Bad : Words::Dim);

    const QSignalBlocker blocker(m_tabs);
    while (m_tabs->count() > 0) {
        m_tabs->removeTab(0);
    }
    if (payload->json) {
        addTab(tr("Tree"), Payload);
    }
    if (!payload->payload.empty()) {
        addTab(tr("Text"), PayloadText);
    }
    if (!payload->envelope.empty()) {
        addTab(tr("Envelope"), Envelope);
    }
    if (!payload->stack.empty()) {
        addTab(tr("Stack"), Stack);
    }
    if (m_tabs->count() == 0) {
        showEmpty(tr("%1 is empty").arg(name), {});
        return;
    }
    m_tabs->setCurrentIndex(0);
    // A hidden tab bar does not notify its layout of new tabs.
    m_tabs->updateGeometry();
    m_pages->showContent();
    showTab();
}

void PayloadPanel::showTab() {
    if (!m_payload || m_tabs->currentIndex() < 0) {
        return;
    }
    switch (static_cast<Tab>(m_tabs->tabData(m_tabs->currentIndex()).toInt())) {
    case Payload:
        m_json->setJson({m_payload, m_payload->json.get()});
        m_views->setCurrentWidget(m_tree);
        break;
    case PayloadText:
        m_text->setText({m_payload, m_payload->lines.get()},
                        m_payload->json ? CodeLanguage::Json : languageOf(*m_payload));
        fillSections();
        m_views->setCurrentIndex(0);
        break;
    case Envelope:
        m_json->setJson({m_payload, m_payload->envelopeJson.get()});
        m_views->setCurrentWidget(m_tree);
        break;
    case Stack:
        fillStack();
        m_views->setCurrentWidget(m_stack);
        break;
    }
}

void PayloadPanel::fillSections() {
    const QSignalBlocker blocker(m_sections);
    m_sections->clear();
    for (const session::PayloadSection& section : m_payload->sections) {
        auto* item = new QListWidgetItem(text(section.name));
        item->setToolTip(plainToolTip(tr("%1, line %2").arg(text(section.name), formatCount(section.line))));
        m_sections->addItem(item);
    }
    // As wide as its names, which are few and short; hostile ones are elided.
    constexpr int narrowest = 120;
    constexpr int widest = 320;
    const int beside = 2 * m_sections->frameWidth() + m_sections->verticalScrollBar()->sizeHint().width() + 8;
    m_sections->setFixedWidth(std::clamp(m_sections->sizeHintForColumn(0) + beside, narrowest, widest));
    m_sections->setVisible(!m_payload->sections.empty());
    markSectionOf(0);
}

void PayloadPanel::goToSection(int row) {
    if (!m_payload || row < 0 || std::size_t(row) >= m_payload->sections.size()) {
        return;
    }
    const int line = int(m_payload->sections[std::size_t(row)].line) - 1;
    m_text->setCurrentLine(line);
    m_text->verticalScrollBar()->setValue(line);
}

/// Shows which section the line is in, without going to its beginning.
void PayloadPanel::markSectionOf(int line) {
    if (!m_payload || m_payload->sections.empty()) {
        return;
    }
    const auto& sections = m_payload->sections;
    const auto after =
        std::ranges::upper_bound(sections, std::size_t(line) + 1, {}, &session::PayloadSection::line);
    const QSignalBlocker blocker(m_sections);
    m_sections->setCurrentRow(int(after - sections.begin()) - 1);
}

void PayloadPanel::fillStack() {
    m_stack->clear();
    for (const load::StackFrame& frame : m_payload->stack) {
        auto* item = new QListWidgetItem(QStringLiteral("%1:%2  %3  %4")
                                             .arg(fileNameOf(frame.file))
                                             .arg(frame.line)
                                             .arg(text(frame.function), text(frame.code)));
        item->setToolTip(plainToolTip(QStringLiteral("%1:%2").arg(text(frame.file)).arg(frame.line)));
        item->setFont(codeFont());
        m_stack->addItem(item);
    }
    m_stack->scrollToBottom();
}

} // namespace aotscope::views

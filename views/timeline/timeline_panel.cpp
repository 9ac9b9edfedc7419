#include "timeline/timeline_panel.h"

#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "common/panel_layout.h"
#include "common/retry_button.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "style/ink.h"
#include "timeline/timeline_canvas.h"
#include "timeline/timeline_details.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>

#include <algorithm>

namespace aotscope::views {

using timeline::EventId;

TimelinePanel::TimelinePanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_canvas(new TimelineCanvas(*context.theme)),
      m_shown(choiceBox(tr("Shown"), tr("Which profiled run or open trace is shown"))),
      m_profile(new QPushButton(tr("Profile this graph"))),
      m_search(new QLineEdit),
      m_found(new ElidedLabel),
      m_summary(new ElidedLabel),
      m_details(new QTextBrowser),
      m_run(context.engine, QStringLiteral("profile-run")),
      m_step(context.engine, QStringLiteral("profile-step")),
      m_match(context.engine, QStringLiteral("profile-match")) {
    auto* layout = flushColumn(this);
    auto* content = new QWidget;
    auto* parts = flushColumn(content);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(m_canvas);
    m_details->setOpenLinks(false);
    m_details->setAccessibleName(tr("Everything known about the selected event"));
    m_details->setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::LinksAccessibleByKeyboard);
    m_details->document()->setDocumentMargin(10);
    m_details->setMinimumWidth(120);
    split->addWidget(m_details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({1000, 360});
    layout->addWidget(makeBar());
    parts->addWidget(split, 1);
    m_pages = new EmptyPage(content);
    layout->addWidget(m_pages, 1);
    setKeyboardPlace(this, m_canvas);
    connectParts();
    connectRuns();
    for (const auto& [number, log] : context.logs->logs()) {
        takeLog(log);
    }
    refreshChoice();
    followRunnable();
    showPage();
}

QWidget* TimelinePanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = controlRow(bar);
    auto* fit = new QPushButton(tr("Fit"));
    fit->setToolTip(tr("Show the whole time (Home in the picture; F: the selected event)"));
    connect(fit, &QPushButton::clicked, this, [this] {
        if (m_scene) {
            m_canvas->showAll();
        }
    });
    m_search->setPlaceholderText(tr("Search names"));
    m_search->setObjectName(filterFieldName());
    m_search->setAccessibleName(tr("Search the names of events"));
    m_search->setToolTip(
        tr("Events with this in their name stay bright (/ in the picture); Enter goes to the next, "
           "Shift+Enter to the previous one"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(220);
    m_found->setObjectName(QStringLiteral("timelineFound"));
    m_found->setMinimumWidth(0);
    setWords(m_found, Words::Dim);
    setWords(m_summary, Words::Dim);
    m_summary->setObjectName(QStringLiteral("timelineSummary"));
    m_shown->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_shown->setMinimumContentsLength(24);
    for (QWidget* widget : {static_cast<QWidget*>(m_profile), static_cast<QWidget*>(m_shown),
                            static_cast<QWidget*>(fit), static_cast<QWidget*>(m_search)}) {
        layout->addWidget(widget);
    }
    layout->addWidget(m_found);
    layout->addWidget(m_summary, 1);
    layout->addWidget(new RetryButton(&m_run));
    layout->addWidget(new RetryButton(&m_step));
    layout->addWidget(new RetryButton(&m_match));
    return bar;
}

void TimelinePanel::connectParts() {
    connect(m_shown, &QComboBox::activated, this, [this](int entry) { showEntry(std::size_t(entry)); });
    m_canvas->setDescribe([this](EventId event) { return m_scene ? eventLine(*m_scene, event) : QString(); });
    connect(m_canvas, &TimelineCanvas::picked, this, &TimelinePanel::pick);
    connect(m_canvas, &TimelineCanvas::hovered, this, &TimelinePanel::hover);
    connect(m_canvas, &TimelineCanvas::searchAsked, this, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    connect(m_search, &QLineEdit::textChanged, this, &TimelinePanel::search);
    connect(m_search, &QLineEdit::returnPressed, this,
            [this] { stepSearch(QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); });
    connect(m_details, &QTextBrowser::anchorClicked, this, &TimelinePanel::followLink);
    connect(m_context.selection, &SelectionHub::selectionChanged, this, &TimelinePanel::followSelection);
    connect(m_context.selection, &SelectionHub::hoverChanged, this, &TimelinePanel::followHover);
    connect(m_context.theme, &ThemeSource::changed, this, &TimelinePanel::refreshDetails);
}

session::ProfilePtr TimelinePanel::profile() const {
    return m_scene ? m_scene->profile() : nullptr;
}

QString TimelinePanel::summary() const {
    return m_summary->text();
}

QString TimelinePanel::searchResult() const {
    return m_found->text();
}

void TimelinePanel::showEntry(std::size_t entry) {
    m_current = entry;
    m_shown->setCurrentIndex(int(entry));
    if (m_entries[entry].profile) {
        makeScene(m_entries[entry].profile);
    }
    if (m_entries[entry].trace) {
        matchTrace();
    }
    showPage();
}

void TimelinePanel::makeScene(const session::ProfilePtr& profile) {
    if (m_scene && m_scene->profile() == profile) {
        return;
    }
    m_scene = std::make_shared<TimelineScene>(profile);
    m_searching.forget();
    m_hits.clear();
    m_canvas->setScene(m_scene);
    search(m_search->text());
    if (const auto& selected = m_context.selection->current()) {
        followSelection(*selected, nullptr);
    }
    refreshDetails();
    refreshSummary();
}

void TimelinePanel::showPage() {
    RequestBase* request = runRequest();
    if (m_scene) {
        m_pages->showContent();
    } else if (request->isUnderWay() || request->gaveUp()) {
        m_pages->showRequest(request,
                             {tr("Running under LibTorch's profiler …"), tr("The profiled run was canceled"),
                              tr("The graph cannot be profiled")});
    } else if (m_match.isUnderWay() || m_match.gaveUp()) {
        m_pages->showRequest(&m_match,
                             {tr("Finding the nodes in the trace …"), tr("The search for nodes was canceled"),
                              tr("The trace cannot be matched")});
    } else {
        m_pages->showMessage(tr("No run to show"),
                             tr("What ran when, for which node, appears here: profile the selected step or "
                                "graph, or open a trace that torch.profiler wrote (.json, .json.gz)."));
    }
    refreshSummary();
    refreshButton();
}

void TimelinePanel::refreshChoice() {
    m_shown->clear();
    for (const Entry& entry : m_entries) {
        m_shown->addItem(entry.title);
    }
    m_shown->setCurrentIndex(m_current ? int(*m_current) : -1);
    m_shown->setVisible(!m_entries.empty());
}

void TimelinePanel::refreshSummary() {
    for (RequestBase* request : {runRequest(), static_cast<RequestBase*>(&m_match)}) {
        if (request->error()) {
            m_summary->setText(tr("⚠ %1").arg(text(request->error()->message)));
            m_summary->setToolTip(text(request->error()->text()));
            return;
        }
    }
    m_summary->setToolTip({});
    if (!m_scene) {
        m_summary->clear();
        return;
    }
    const session::Profile& profile = *m_scene->profile();
    const timeline::Timeline& timeline = m_scene->timeline();
    QStringList words{formatCount(timeline.eventCount(), "event", "events"),
                      formatNanoseconds(timeline.end() - timeline.begin())};
    if (!profile.matched.matches.graphs.empty()) {
        words.append(tr("%1 found").arg(formatCount(profile.matched.matches.nodes.size(), "node", "nodes")));
    }
    if (profile.plainNanoseconds > 0) {
        words.append(profilerCost(profile));
    }
    if (timeline.problemCount() > 0) {
        words.append(tr("⚠ %1 in the file").arg(formatCount(timeline.problemCount(), "problem", "problems")));
    }
    m_summary->setText(words.join(QStringLiteral(" · ")));
}

void TimelinePanel::refreshDetails() {
    const Theme& theme = m_context.theme->theme();
    m_details->document()->setDefaultStyleSheet(
        QStringLiteral("a { color: %1; text-decoration: none; }").arg(theme.accent.name()));
    const auto& selected = m_canvas->look().selected;
    m_details->setHtml(!m_scene   ? QString()
                       : selected ? eventHtml(*m_scene, *selected, theme)
                                  : overviewHtml(*m_scene, theme));
}

void TimelinePanel::followLink(const QUrl& link) {
    const QString target = link.path(QUrl::FullyDecoded);
    const qsizetype slash = target.indexOf(QLatin1Char('/'));
    if (!m_scene || slash < 0) {
        return;
    }
    const std::uint32_t first = target.left(slash).toUInt();
    if (link.scheme() == QLatin1String("node")) {
        selectNode(first, target.mid(slash + 1).toStdString());
        return;
    }
    const EventId event{first, target.mid(slash + 1).toUInt()};
    if (event.row < m_scene->timeline().rows().size() &&
        event.index < m_scene->timeline().row(event).size()) {
        m_canvas->setSelected(event);
        m_canvas->reveal(event);
        pick(event);
    }
}

void TimelinePanel::selectNode(std::uint32_t graph, const std::string& name) {
    const session::Profile& profile = *m_scene->profile();
    if (graph < profile.graphs.size()) {
        m_context.selection->select({profile.graphs[graph]->reference, name});
    }
}

std::optional<session::Selection> TimelinePanel::selectionOf(EventId event) const {
    const auto owners = m_scene->matchesOf(event);
    if (owners.empty()) {
        return std::nullopt;
    }
    const session::Profile& profile = *m_scene->profile();
    const timeline::NodeMatch& match = profile.matched.matches.nodes[owners.front()];
    const session::GraphSnapshotPtr& graph = profile.graphs[match.graph];
    return session::Selection{graph->reference, graph->graph->node(match.node).name};
}

void TimelinePanel::pick(const std::optional<EventId>& event) {
    refreshDetails();
    const auto selection = event && m_scene ? selectionOf(*event) : std::nullopt;
    if (selection) {
        m_following = true;
        m_context.selection->select(*selection, this);
        m_following = false;
    }
}

void TimelinePanel::hover(const std::optional<EventId>& event) {
    m_context.selection->hover(event && m_scene ? selectionOf(*event) : std::nullopt, this);
}

std::optional<EventId> TimelinePanel::eventOf(const session::Selection& selection) const {
    if (!m_scene || selection.node.empty()) {
        return std::nullopt;
    }
    // Names are shared by the graphs of a compile: a node of the joint graph is found in the half that has
    // it.
    const auto& graphs = m_scene->profile()->graphs;
    const auto ofCompile = [&](const session::GraphSnapshotPtr& graph) {
        return graph->reference.log == selection.artifact.log &&
               graph->reference.compile == selection.artifact.compile &&
               graph->reference.rank == selection.artifact.rank;
    };
    for (const bool exactly : {true, false}) {
        for (std::uint32_t number = 0; number < graphs.size(); ++number) {
            const bool fits =
                exactly ? graphs[number]->reference == selection.artifact : ofCompile(graphs[number]);
            const auto events = fits ? m_scene->eventsOf(number, selection.node) : std::vector<EventId>();
            if (!events.empty()) {
                return events.front();
            }
        }
    }
    return std::nullopt;
}

void TimelinePanel::followSelection(const session::Selection& selection, QObject* source) {
    if (source == this || m_following) {
        return;
    }
    // A run of what is selected now is shown again.
    const auto known = std::ranges::find_if(m_entries, [&](const Entry& entry) {
        return !entry.trace && std::ranges::find(entry.graphs, selection.artifact) != entry.graphs.end();
    });
    const bool showsRun = m_current && !m_entries[*m_current].trace;
    if (known != m_entries.end() && showsRun && known->profile != profile()) {
        showEntry(std::size_t(known - m_entries.begin()));
        return;
    }
    const auto event = eventOf(selection);
    if (event != m_canvas->look().selected) {
        m_canvas->setSelected(event);
        if (event) {
            m_canvas->reveal(*event);
        }
        refreshDetails();
    }
}

void TimelinePanel::followHover(const std::optional<session::Selection>& selection, QObject* source) {
    if (source != this) {
        m_canvas->setHovered(selection ? eventOf(*selection) : std::nullopt);
    }
}

void TimelinePanel::search(const QString& words) {
    m_hits.clear();
    m_searching.forget();
    if (!m_scene || words.isEmpty()) {
        m_canvas->setFound({});
        m_found->clear();
        return;
    }
    const std::vector<bool> names = m_scene->namesWith(words);
    m_canvas->setFound(names);
    m_found->setText(tr("searching …"));
    m_searching.ask<std::vector<EventId>>(
        m_scene->timeline().eventCount(), [scene = m_scene, names] { return scene->eventsWith(names); },
        [this](const std::vector<EventId>& hits) {
            m_hits = hits;
            m_found->setText(hits.empty() ? tr("none") : formatCount(hits.size(), "event", "events"));
        });
}

void TimelinePanel::stepSearch(int step) {
    if (m_hits.empty()) {
        return;
    }
    const auto& selected = m_canvas->look().selected;
    const auto known = selected ? std::ranges::find(m_hits, *selected) : m_hits.end();
    const auto count = std::ptrdiff_t(m_hits.size());
    const std::ptrdiff_t at = known != m_hits.end() ? (known - m_hits.begin() + step + count) % count
                              : step > 0            ? 0
                                                    : count - 1;
    const EventId event = m_hits[std::size_t(at)];
    m_canvas->setSelected(event);
    m_canvas->reveal(event);
    m_found->setText(tr("%1 of %2").arg(formatCount(std::uint64_t(at) + 1), formatCount(m_hits.size())));
    pick(event);
}

} // namespace aotscope::views

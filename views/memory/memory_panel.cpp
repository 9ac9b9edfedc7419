#include "memory/memory_panel.h"

#include "common/background.h"
#include "common/chosen_row.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/format.h"
#include "common/give_keyboard.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/retry_button.h"
#include "common/selection_hub.h"
#include "common/theme.h"
#include "memory/live_set_model.h"
#include "memory/memory_canvas.h"
#include "partition/current_partition.h"
#include "style/ink.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTreeView>

#include <algorithm>

namespace aotscope::views {

namespace {

/// What the table shows: what is alive, or the difference from another order.
constexpr int aliveHere = -1;

} // namespace

MemoryPanel::MemoryPanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_canvas(new MemoryCanvas(*context.theme)),
      m_model(new LiveSetModel(context.theme, this)),
      m_table(new QTreeView),
      m_order(
          choiceBox(tr("Order"), tr("Execution order drawn as bands; the other orders are drawn as lines"))),
      m_rounding(
          choiceBox(tr("Rounding"),
                    tr("Exact sizes, or rounded up to the 512-byte blocks of the CUDA caching allocator"))),
      m_donated(choiceBox(
          tr("Donated buffers"),
          tr("Memory of saved values that only the backward holds: freed after their last use (as when "
             "graphs run node by node), or reused for results of the same size (as Inductor compiles it)"))),
      m_tableOf(choiceBox(
          tr("Table"),
          tr("Values alive at the marker or in the selected range (Shift+drag in the picture), or the "
             "difference between two orders at their peaks"))),
      m_inputs(new QCheckBox(tr("inputs"))),
      m_dim(new QCheckBox(tr("Fade other nodes"))),
      m_byTime(new QCheckBox(tr("by time"))),
      m_measure(new QPushButton(tr("Measure"))),
      m_summary(new ElidedLabel),
      m_tableTitle(new ElidedLabel),
      m_legend(new QLabel),
      m_request(context.engine, QStringLiteral("memory-run")) {
    auto* layout = flushColumn(this);
    auto* content = new QWidget;
    auto* parts = flushColumn(content);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    auto* picture = new QWidget;
    auto* pictureLayout = flushColumn(picture);
    pictureLayout->addWidget(m_canvas, 1);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_legend->setWordWrap(true);
    m_legend->setContentsMargins(8, 2, 8, 4);
    m_legend->setObjectName(QStringLiteral("memoryLegend"));
    pictureLayout->addWidget(m_legend);
    split->addWidget(picture);
    split->addWidget(makeSide());
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({900, 560});
    parts->addWidget(makeBar());
    parts->addWidget(split, 1);
    m_pages = new EmptyPage(content);
    layout->addWidget(m_pages);
    setKeyboardPlace(this, m_canvas);
    connectParts();
    connectRuns();
    followPartition();
}

QWidget* MemoryPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = controlRow(bar);
    m_rounding->addItem(tr("exact"), int(memory::Rounding::Exact));
    m_rounding->addItem(tr("512-byte blocks"), int(memory::Rounding::Blocks512));
    m_rounding->addItem(tr("CUDA's blocks"), int(memory::Rounding::CachingAllocator));
    m_donated->addItem(tr("freed"), int(session::DonatedBuffers::Freed));
    m_donated->addItem(tr("reused"), int(session::DonatedBuffers::Reused));
    m_inputs->setChecked(true);
    m_inputs->setToolTip(tr("Show parameters, buffers and other inputs, which are alive throughout"));
    m_dim->setToolTip(tr("Fade the nodes of the graph that are not alive at the ▲; dragging the ▲ turns it "
                         "on (Esc turns it off)"));
    auto* peak = new QPushButton(tr("▲ Peak"));
    peak->setToolTip(tr("Put the ▲ on the peak (P in the picture)"));
    auto* fit = new QPushButton(tr("Fit"));
    fit->setToolTip(tr("Show the whole step (F in the picture)"));
    connect(peak, &QPushButton::clicked, m_canvas, &MemoryCanvas::markPeak);
    connect(fit, &QPushButton::clicked, m_canvas, &MemoryCanvas::showAll);
    setWords(m_summary, Words::Dim);
    m_summary->setObjectName(QStringLiteral("memorySummary"));
    auto* donated = plainLabel(tr("Donated buffers:"));
    setWords(donated, Words::Dim);
    donated->setBuddy(m_donated);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_order), static_cast<QWidget*>(m_rounding), static_cast<QWidget*>(donated),
          static_cast<QWidget*>(m_donated), static_cast<QWidget*>(m_inputs), static_cast<QWidget*>(m_dim),
          static_cast<QWidget*>(peak), static_cast<QWidget*>(fit), static_cast<QWidget*>(m_measure),
          static_cast<QWidget*>(m_byTime)}) {
        layout->addWidget(widget);
    }
    layout->addWidget(m_summary, 1);
    layout->addWidget(new RetryButton(m_context.partition->request()));
    return bar;
}

QWidget* MemoryPanel::makeSide() {
    auto* side = new QWidget;
    auto* layout = flushColumn(side);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 0, 8, 4);
    bar->setSpacing(8);
    setWords(m_tableTitle, Words::Dim);
    bar->addWidget(m_tableOf);
    bar->addWidget(m_tableTitle, 1);
    layout->addLayout(bar);
    m_table->setModel(m_model);
    m_table->setObjectName(QStringLiteral("memoryTable"));
    m_table->setAccessibleName(tr("Values that are alive"));
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(LiveSetModel::Bytes, Qt::DescendingOrder);
    static constexpr int widths[LiveSetModel::ColumnCount] = {150, 84, 84, 92, 104, 120, 120, 180};
    for (int column = 0; column < LiveSetModel::ColumnCount; ++column) {
        m_table->header()->resizeSection(column, widths[column]);
    }
    layout->addWidget(m_table, 1);
    return side;
}

void MemoryPanel::connectParts() {
    connect(m_order, &QComboBox::activated, this, [this] {
        m_wantedKind = MemoryOrder::Kind(m_order->currentData().toInt());
        makeReady();
    });
    connect(m_tableOf, &QComboBox::activated, this, &MemoryPanel::refreshTable);
    connect(m_rounding, &QComboBox::activated, this, [this] {
        session::PartitionChoices choices = m_context.partition->choices();
        choices.rounding = memory::Rounding(m_rounding->currentData().toInt());
        m_context.partition->setChoices(choices);
    });
    connect(m_donated, &QComboBox::activated, this, [this] {
        session::PartitionChoices choices = m_context.partition->choices();
        choices.donated = session::DonatedBuffers(m_donated->currentData().toInt());
        m_context.partition->setChoices(choices);
    });
    connect(m_inputs, &QCheckBox::toggled, this, [this](bool shown) {
        m_canvas->setInputs(shown ? memory::BandStack::Inputs::Shown : memory::BandStack::Inputs::Hidden);
    });
    connect(m_dim, &QCheckBox::toggled, this, &MemoryPanel::refreshSpotlight);
    m_canvas->setDescribe(
        [this](const memory::Band& band, std::uint32_t position) { return describe(band, position); });
    connect(m_canvas, &MemoryCanvas::markerMoved, this, [this] {
        m_tableOf->setCurrentIndex(m_tableOf->findData(aliveHere));
        m_canvas->setSpan(std::nullopt);
        m_dim->setChecked(true);
        refreshTable();
        refreshSpotlight();
    });
    connect(m_canvas, &MemoryCanvas::spanChanged, this, [this] {
        m_tableOf->setCurrentIndex(m_tableOf->findData(aliveHere));
        refreshTable();
        refreshSpotlight();
    });
    connect(m_canvas, &MemoryCanvas::picked, this, [this](const std::optional<quint32>& range) {
        if (range) {
            select(m_scene->profile().ranges[*range]);
        } else {
            m_dim->setChecked(false);
        }
    });
    connect(m_canvas, &MemoryCanvas::hovered, this, &MemoryPanel::hover);
    whenChosen(m_table, this, [this](const QModelIndex& row) {
        const memory::LiveRange* range = m_model->rangeAt(row.row());
        if (!m_following && range != nullptr) {
            select(*range);
        }
    });
    connect(m_context.partition, &CurrentPartition::jointChanged, this, &MemoryPanel::followPartition);
    connect(m_context.partition, &CurrentPartition::partitionChanged, this, &MemoryPanel::followPartition);
    connect(m_context.selection, &SelectionHub::selectionChanged, this, &MemoryPanel::followSelection);
    connect(m_context.theme, &ThemeSource::changed, this, &MemoryPanel::refreshLegend);
}

void MemoryPanel::followPartition() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (!split) {
        showNothing();
        return;
    }
    if (split != m_wantedPartition) {
        m_wantedPartition = split;
        makeReady();
    } else if (shown() != nullptr) {
        refreshSummary();
    }
}

/// Prepares a large partition on another thread; until then the old picture stays.
void MemoryPanel::makeReady() {
    constexpr std::size_t few = 5'000;
    std::vector<MemoryOrder> orders = memoryOrders(m_wantedPartition);
    const auto wanted = std::ranges::find(orders, m_wantedKind, &MemoryOrder::kind);
    const MemoryOrder::Kind kind = wanted == orders.end() ? orders.front().kind : m_wantedKind;
    const ProfilePtr profile = wanted == orders.end() ? orders.front().profile : wanted->profile;
    const auto make = [profile]() -> MemoryScenePtr { return std::make_shared<MemoryScene>(profile); };
    const auto take = [this, split = m_wantedPartition, asked = m_wantedKind,
                       kind](const MemoryScenePtr& scene) {
        if (split == m_wantedPartition && asked == m_wantedKind) {
            showOrder(split, kind, scene);
        }
    };
    if (profile->ranges.size() <= few) {
        take(make());
    } else {
        runInBackground<MemoryScenePtr>(this, make, take);
    }
}

void MemoryPanel::showNothing() {
    m_split = nullptr;
    m_wantedPartition = nullptr;
    m_orders.clear();
    m_scene = nullptr;
    m_model->clear();
    m_canvas->setCurves({});
    m_canvas->setScene(nullptr, false);
    m_dim->setChecked(false);
    refreshSpotlight();
    m_summary->clear();
    if (m_context.partition->joint()) {
        m_pages->showRequest(m_context.partition->request(), m_context.partition->requestWords());
        return;
    }
    m_pages->showMessage(tr("No step to show"),
                         tr("What is alive over forward and backward appears here, with the peak and what "
                            "causes it.\nSelect a compile with a joint graph in the Compiles panel."));
}

void MemoryPanel::fillOrders() {
    m_orders = memoryOrders(m_split);
    m_order->clear();
    for (const MemoryOrder& order : m_orders) {
        m_order->addItem(order.label(), int(order.kind));
    }
    m_order->setCurrentIndex(m_order->findData(int(m_shownKind)));
}

const MemoryOrder* MemoryPanel::tryOrder(int kind) const {
    for (const MemoryOrder& order : m_orders) {
        if (int(order.kind) == kind) {
            return &order;
        }
    }
    return nullptr;
}

const MemoryOrder* MemoryPanel::shown() const {
    return m_scene ? tryOrder(int(m_shownKind)) : nullptr;
}

/// The view is kept for the same joint graph with other choices or in another order.
void MemoryPanel::showOrder(const session::PartitionSnapshotPtr& split, MemoryOrder::Kind kind,
                            const MemoryScenePtr& scene) {
    const bool same = m_split && m_split->joint->reference == split->joint->reference;
    if (m_split != split && !m_request.isUnderWay()) {
        m_request.forget(); // The run belongs to the previous partition.
    }
    m_split = split;
    m_shownKind = kind;
    m_rounding->setCurrentIndex(m_rounding->findData(int(split->choices.rounding)));
    m_donated->setCurrentIndex(m_donated->findData(int(split->choices.donated)));
    fillOrders();
    const QVariant table = m_tableOf->currentData();
    m_tableOf->clear();
    m_tableOf->addItem(tr("alive"), aliveHere);
    std::vector<MemoryCurve> curves;
    for (const MemoryOrder& other : m_orders) {
        if (other.kind != kind) {
            curves.push_back({other.label(), other.profile});
            m_tableOf->addItem(tr("against %1").arg(other.label()), int(other.kind));
        }
    }
    m_tableOf->setCurrentIndex(std::max(0, table.isValid() ? m_tableOf->findData(table) : 0));
    // The rows point into the old scene.
    m_model->clear();
    m_scene = scene;
    m_canvas->setScene(m_scene, same);
    m_canvas->setCurves(std::move(curves));
    showMeasured();
    refreshTable();
    refreshSummary();
    refreshSpotlight();
    m_pages->showContent();
}

void MemoryPanel::refreshTable() {
    const MemoryOrder* order = shown();
    if (order == nullptr || !m_scene) {
        return;
    }
    const LiveSetModel::Words words{
        [order = *order](std::uint32_t at) { return order.nodeAt(at); },
        [joint = m_split->joint](const memory::LiveRange& range) { return moduleOf(*joint, range); }};
    const MemoryOrder* other = tryOrder(m_tableOf->currentData().toInt());
    const auto& span = m_canvas->look().span;
    const std::uint32_t marker = m_canvas->marker();
    m_following = true;
    if ((other != nullptr) != m_model->comparing()) {
        m_model->clear();
        m_table->sortByColumn(other != nullptr ? LiveSetModel::Difference : LiveSetModel::Bytes,
                              Qt::DescendingOrder);
    }
    if (other != nullptr) {
        m_model->showDifference(m_scene, other->profile, words);
        const std::int64_t sum = m_model->total();
        m_tableTitle->setText(
            tr("%1%2 at the peak")
                .arg(sum < 0 ? QStringLiteral("−") : QStringLiteral("+"), formatBytes(std::abs(sum))));
    } else {
        m_model->showAlive(m_scene, span ? span->first : marker, span ? span->second : marker, words);
        const QString where =
            span ? order->nodeAt(span->first) + QStringLiteral(" – ") + order->nodeAt(span->second)
                 : order->nodeAt(marker);
        m_tableTitle->setText(QStringLiteral("%1  ·  %2  ·  %3")
                                  .arg(where,
                                       formatCount(std::uint64_t(m_model->rowCount()), "value", "values"),
                                       formatBytes(m_model->total())));
    }
    m_table->setColumnHidden(LiveSetModel::Other, other == nullptr);
    m_table->setColumnHidden(LiveSetModel::Difference, other == nullptr);
    m_tableTitle->setToolTip(plainToolTip(m_tableTitle->text()));
    m_following = false;
    refreshLegend();
    followSelection();
}

} // namespace aotscope::views

#include "kernels/kernel_page.h"

#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "common/run_device.h"
#include "kernels/code_lines.h"
#include "kernels/kernel_launch.h"
#include "kernels/kernel_source.h"
#include "kernels/rerun_form.h"
#include "kernels/rerun_plot.h"
#include "kernels/rerun_values_model.h"
#include "kernels/rerun_words.h"
#include "style/ink.h"

#include <QHeaderView>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>

namespace aotscope::views {

KernelPage::KernelPage(const ViewContext& context, RerunHistory* history, KernelVariants* variants,
                       QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_history(history),
      m_title(new ElidedLabel),
      m_form(new RerunForm),
      m_said(plainLabel()),
      m_notes(plainLabel()),
      m_plot(new RerunPlot),
      m_baseline(new QPushButton(tr("Keep as baseline"))),
      m_values(new RerunValuesModel(context.theme, this)),
      m_valueTable(new QTableView),
      m_source(new KernelSource(context.theme, variants)),
      m_gpu(choiceBox(tr("GPU to compile for"),
                      tr("Kernels are compiled for this GPU, which need not be here"))),
      m_ptx(new CodeView(context.theme)),
      m_sass(new CodeView(context.theme)),
      m_launch(new KernelLaunchView),
      m_tabs(new QTabWidget),
      m_request(context.engine, tag()),
      m_buildRequest(context.engine, buildTag()) {
    setWords(m_title, Words::Title);
    m_title->setContentsMargins(8, 6, 8, 0);
    m_said->setObjectName(QStringLiteral("rerunSaid"));
    m_said->setWordWrap(true);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_said->setContentsMargins(8, 0, 8, 4);
    m_notes->setObjectName(QStringLiteral("rerunNotes"));
    setWords(m_notes, Words::Warning);
    m_notes->setWordWrap(true);
    m_notes->setContentsMargins(8, 0, 8, 4);
    m_baseline->setCheckable(true);
    m_baseline->setToolTip(tr("Compare later reruns with the selected one, in time and values"));
    m_valueTable->setModel(m_values);
    m_valueTable->setObjectName(QStringLiteral("rerunValues"));
    m_valueTable->setAccessibleName(tr("Inputs and results of the rerun"));
    m_valueTable->verticalHeader()->hide();
    m_valueTable->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_valueTable->setWordWrap(false);
    m_valueTable->setSelectionBehavior(QAbstractItemView::SelectRows);
    static constexpr int widths[RerunValuesModel::ColumnCount] = {88, 150, 180, 80, 80, 80, 80, 220, 220};
    for (int column = 0; column < RerunValuesModel::ColumnCount; ++column) {
        m_valueTable->setColumnWidth(column, widths[column]);
    }

    auto* reruns = new QWidget;
    auto* rerunsColumn = flushColumn(reruns);
    auto* bar = controlRow();
    bar->addWidget(m_baseline);
    bar->addStretch();
    rerunsColumn->addLayout(bar);
    rerunsColumn->addWidget(m_plot, 1);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(reruns, tr("History"));
    m_tabs->addTab(m_valueTable, tr("Inputs and results"));
    addCodeTabs();
    auto* column = flushColumn(this);
    column->addWidget(m_title);
    column->addWidget(m_form);
    column->addWidget(m_said);
    column->addWidget(m_notes);
    column->addWidget(m_tabs, 1);

    connect(m_form, &RerunForm::rerunWanted, this, &KernelPage::rerun);
    connect(m_form, &RerunForm::cancelWanted, this, [this] { m_request.cancel(); });
    connect(m_baseline, &QPushButton::clicked, this, &KernelPage::toggleBaseline);
    connect(m_plot, &RerunPlot::chosen, this, &KernelPage::showSelected);
    connect(m_history, &RerunHistory::changed, this, &KernelPage::followHistory);
    connect(&m_request, &RequestBase::answered, this, &KernelPage::take);
    connect(&m_request, &RequestBase::changed, this, &KernelPage::followRequest);
    connect(&m_request, &RequestBase::progressed, this, &KernelPage::followRequest);
    connect(m_source, &KernelSource::sourceChanged, this, &KernelPage::build);
    connect(m_source, &KernelSource::lineChanged, this, &KernelPage::showLinesOf);
    connect(m_gpu, &QComboBox::currentIndexChanged, this, &KernelPage::build);
    connect(&m_buildRequest, &RequestBase::changed, this, &KernelPage::followBuild);
    showNodes({});
    build();
}

void KernelPage::addCodeTabs() {
    m_ptx->setObjectName(QStringLiteral("kernelPtx"));
    m_ptx->setAccessibleName(tr("PTX of the kernel"));
    m_sass->setObjectName(QStringLiteral("kernelSass"));
    m_sass->setAccessibleName(tr("Machine code of the kernel"));
    for (const kernels::DeviceFigures& device : kernels::shippedDevices()) {
        m_gpu->addItem(text(device.name));
    }
    m_gpu->setCurrentIndex(std::max(0, m_gpu->findText(QStringLiteral("H100"), Qt::MatchContains)));
    m_tabs->addTab(m_source, tr("Source"));
    m_tabs->addTab(m_ptx, QStringLiteral("PTX"));
    m_tabs->addTab(m_sass, QStringLiteral("SASS"));
    m_tabs->addTab(m_launch, tr("Launch"));
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 8, 0);
    row->addWidget(m_gpu);
    m_tabs->setCornerWidget(corner);
}

const kernels::DeviceFigures& KernelPage::gpu() const {
    const std::vector<kernels::DeviceFigures>& all = kernels::shippedDevices();
    return all[static_cast<std::size_t>(std::max(0, m_gpu->currentIndex()))];
}

/// Compiles the text that stands there, for the chosen GPU.
void KernelPage::build() {
    m_build = nullptr;
    if (!m_source->kernel()) {
        m_buildRequest.forget();
        m_source->setHint(
            m_subject.nodes.empty()
                ? tr("Choose “by fused kernel” above the list, and a kernel, to see its source.")
                : tr("These nodes run as ATen's own kernels, which have no source here. Choose "
                     "“by fused kernel” above the list to see kernels with their source."));
    } else {
        m_buildRequest.ask(session::BuildKernel{
            {m_source->kernel()->name, m_source->source(), gpu().architecture, m_source->kernel()->launch}});
    }
    followBuild();
}

void KernelPage::followBuild() {
    if (m_source->kernel()) {
        if (m_buildRequest.isUnderWay()) {
            m_source->setMessages({}, tr("Compiling for %1 …").arg(text(gpu().architecture)));
        } else if (m_buildRequest.state() == RequestBase::State::Failed) {
            m_source->setTrouble(text(m_buildRequest.error()->text()));
        } else if (m_buildRequest.state() == RequestBase::State::Ready && m_buildRequest.answer()) {
            m_build = m_buildRequest.answer();
            m_source->setMessages(m_build->messages,
                                  tr("Compiled for %1 by %2 in %3")
                                      .arg(text(m_build->request.architecture), text(m_build->compiler),
                                           kernelTime(1e9 * m_build->seconds)));
        }
    }
    const bool isCompiled = m_build && !m_build->isRefused();
    const QString none = m_source->kernel() ? tr("// not compiled") : tr("// no fused kernel is selected");
    m_ptx->setText(isCompiled ? text(m_build->ptx) : none, CodeLanguage::Cpp);
    m_sass->setText(!isCompiled             ? none
                    : m_build->sass.empty() ? QStringLiteral("// ") + text(m_build->noSass)
                                            : text(m_build->sass),
                    CodeLanguage::Cpp);
    m_launch->show(m_source->kernel(), isCompiled ? m_build : nullptr, gpu());
}

/// Marks what a line of the source became.
void KernelPage::showLinesOf(int line) {
    if (!m_build || m_build->isRefused() || line < 1) {
        return;
    }
    const std::string file = kernels::kernelFileName(m_build->request.name);
    const auto mark = [line](CodeView& view, const kernels::CodeLines& lines) {
        std::vector<int> related;
        for (const std::size_t code : lines.codeLinesOf(static_cast<std::size_t>(line))) {
            related.push_back(static_cast<int>(code) - 1);
        }
        if (!related.empty()) {
            view.scrollToLine(related.front());
        }
        view.setRelatedLines(std::move(related));
    };
    mark(*m_ptx, kernels::ptxLines(m_build->ptx, file));
    mark(*m_sass, kernels::sassLines(m_build->sass, file));
}

QString KernelPage::said() const {
    return m_said->text();
}

void KernelPage::say(const QString& words, bool isWrong) {
    m_said->setText(words);
    m_said->setVisible(!words.isEmpty());
    setWords(m_said, isWrong ? Words::Bad : Words::Plain);
}

void KernelPage::showNodes(const std::vector<ir::NodeId>& nodes,
                           const std::optional<kernels::FusedKernel>& kernel) {
    RerunSubject subject;
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    QStringList names;
    if (graph && graph->graph) {
        subject.graph = graph->reference;
        for (const ir::NodeId node : nodes) {
            subject.nodes.push_back(graph->graph->node(node).name);
            names.append(text(subject.nodes.back()));
        }
        m_form->setSymbols(graph->graph->symbols());
    }
    const bool isOther = subject != m_subject;
    m_subject = std::move(subject);
    m_title->setText(kernel ? text(kernel->name) + QStringLiteral("  ·  ") + names.join(QStringLiteral(", "))
                     : names.size() == 1 ? names.front() + QStringLiteral("  ·  ") +
                                               text(graph->graph->node(nodes.front()).target)
                     : names.isEmpty()
                         ? tr("No kernel is selected")
                         : tr("%1 nodes: %2").arg(names.size()).arg(names.join(QStringLiteral(", "))));
    m_source->showKernel(kernel);
    updateForm();
    if (isOther) {
        m_plot->setSelected(std::nullopt);
        followHistory();
    }
    if (!kernel) {
        build();
    }
}

void KernelPage::markNode(ir::NodeId node) {
    m_source->markNode(node);
}

void KernelPage::updateForm() {
    m_form->setState(!m_subject.nodes.empty(), m_request.isUnderWay());
}

void KernelPage::rerun() {
    QString failure;
    const auto settings = m_form->settings(failure);
    if (!settings) {
        say(failure, true);
        return;
    }
    if (m_subject.nodes.empty() || m_request.isUnderWay()) {
        return;
    }
    session::RerunNodes command;
    command.graph = m_subject.graph;
    command.nodes = m_subject.nodes;
    if (const session::RunSnapshotPtr& run = m_context.graph->run()) {
        command.run.seed = run->seed;
        command.run.symbols = run->symbols;
    }
    command.run.device = chosenDevice(m_context);
    for (const auto& [symbol, value] : settings->changes.symbols) {
        command.run.symbols.erase(symbol);
    }
    command.settings = *settings;
    if (m_source->kernel()) {
        command.kernel = session::RerunKernel{m_source->isChanged() ? m_source->source() : std::string()};
    }
    command.keepOutputs = true;
    if (const session::RerunResultPtr baseline = m_history->baselineResult(m_subject)) {
        command.baseline = *baseline;
    }
    m_request.ask(std::move(command));
}

void KernelPage::take() {
    const session::RerunSnapshotPtr rerun = m_request.answer();
    const RerunSubject subject{rerun->graph->reference, rerun->result->nodes};
    if (const auto& made = rerun->result->build) {
        m_source->setMessages(made->messages, m_source->said());
        if (made->isRefused()) {
            say(tr("The compiler refused the text: %1")
                    .arg(text(kernels::compileError(made->messages).message)),
                true);
            return;
        }
    }
    m_history->add(rerun);
    if (subject == m_subject) {
        m_plot->setSelected(m_history->of(m_subject).size() - 1);
        showSelected();
    }
}

void KernelPage::toggleBaseline() {
    const auto selected = m_plot->selected();
    const bool isBaseline = m_history->baseline(m_subject) == selected;
    m_history->setBaseline(m_subject, isBaseline ? std::nullopt : selected);
}

void KernelPage::followHistory() {
    const std::vector<session::RerunSnapshotPtr>& reruns = m_history->of(m_subject);
    m_plot->setReruns(reruns, m_history->baseline(m_subject));
    if (!m_plot->selected() && !reruns.empty()) {
        m_plot->setSelected(reruns.size() - 1);
    }
    showSelected();
}

void KernelPage::showSelected() {
    const auto selected = m_plot->selected();
    m_baseline->setEnabled(selected.has_value());
    m_baseline->setChecked(selected && m_history->baseline(m_subject) == selected);
    const session::RerunSnapshotPtr rerun =
        selected ? m_history->of(m_subject)[*selected] : session::RerunSnapshotPtr();
    m_values->setResult(rerun ? rerun->result : nullptr);
    QStringList notes;
    for (const std::string& note : rerun ? rerun->result->notes : std::vector<std::string>()) {
        notes.append(QStringLiteral("⚠ ") + text(note));
    }
    m_notes->setText(notes.mid(0, 3).join(QLatin1Char('\n')));
    m_notes->setToolTip(plainToolTip(notes.join(QLatin1Char('\n'))));
    m_notes->setVisible(!notes.isEmpty());
    if (!rerun) {
        say(m_subject.nodes.empty() ? QString()
            : m_source->kernel()
                ? tr("Rerun runs this kernel alone, with the inputs that its nodes have in the run.")
            : m_subject.nodes.size() > 1
                ? tr("Rerun runs these nodes together, with the inputs that they have in the run.")
                : tr("Rerun runs the node alone, with the inputs that it has in the run."));
        return;
    }
    const auto times = session::rerunTimes(rerun->result->samples);
    QStringList parts;
    if (times) {
        parts.append(timesText(*times));
    }
    const auto before = rerun->baseline ? session::rerunTimes(rerun->baseline->samples, 1) : std::nullopt;
    if (times && before && before->median > 0) {
        parts.append(tr("%1 × the baseline's median").arg(times->median / before->median, 0, 'f', 2));
    }
    for (const QString& part : {worstDifferenceText(*rerun), costText(*rerun->result),
                                placeText(*rerun->result), settingsText(rerun->settings)}) {
        if (!part.isEmpty()) {
            parts.append(part);
        }
    }
    say(parts.join(QStringLiteral("  ·  ")));
}

void KernelPage::followRequest() {
    updateForm();
    switch (m_request.state()) {
    case RequestBase::State::Waiting:
    case RequestBase::State::Running: {
        const base::ProgressState& progress = m_request.progress();
        const QString stage = progress.stage.empty() ? tr("Running") : text(progress.stage);
        say(m_request.waitsFor() ? waitText(*m_request.waitsFor())
            : progress.total > 0 ? tr("%1 … %2 of %3").arg(stage).arg(progress.done).arg(progress.total)
                                 : stage + QStringLiteral(" …"));
        break;
    }
    case RequestBase::State::Canceled:
        say(tr("Canceled."));
        break;
    case RequestBase::State::Failed:
        say(text(m_request.error()->text()), true);
        break;
    case RequestBase::State::Idle:
    case RequestBase::State::Ready:
        break;
    }
}

} // namespace aotscope::views

#include "inductor/generated_code_panel.h"

#include "common/code_view.h"
#include "common/current_graph.h"
#include "common/elided_label.h"
#include "common/empty_page.h"
#include "common/engine_client.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "inductor/generated_kernel_model.h"
#include "inductor/kernel_words.h"

#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>
#include <QUrl>

#include <algorithm>

namespace aotscope::views {

namespace {

QString partTitle(const inductor::GeneratedCode& code, std::size_t place) {
    return code.half.empty() ? QObject::tr("Code %1").arg(place + 1) : artifactTitle(code.half);
}

} // namespace

GeneratedCodePanel::GeneratedCodePanel(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_title(new ElidedLabel),
      m_parts(new QTabBar),
      m_fold(new QToolButton),
      m_model(new GeneratedKernelModel(context.theme, this)),
      m_list(new QTreeView),
      m_details(new QLabel),
      m_code(new CodeView(context.theme)),
      m_request(context.engine, QStringLiteral("generated code")) {
    build();
    connect(context.selection, &SelectionHub::selectionChanged, this, &GeneratedCodePanel::follow);
    connect(context.graph, &CurrentGraph::nodeChanged, this, &GeneratedCodePanel::followNode);
    connect(context.logs, &LogList::closed, this, [this](quint32 log) {
        if (m_shown && m_shown->compile.log == log) {
            follow();
        }
    });
    connect(&m_request, &RequestBase::answered, this, [this] { show(m_request.takeAnswer()); });
    connect(&m_request, &RequestBase::changed, this, &GeneratedCodePanel::followRequest);
    connect(m_parts, &QTabBar::currentChanged, this, &GeneratedCodePanel::showPart);
    connect(m_fold, &QToolButton::toggled, this, &GeneratedCodePanel::showText);
    connect(m_code, &CodeView::lineChosen, this, &GeneratedCodePanel::chooseLine);
    connect(m_details, &QLabel::linkActivated, this, &GeneratedCodePanel::followLink);
    connect(context.theme, &ThemeSource::changed, this, &GeneratedCodePanel::showDetails);
    follow();
}

const session::GeneratedCodeSnapshot::Part* GeneratedCodePanel::part() const {
    const auto place = static_cast<std::size_t>(std::max(m_parts->currentIndex(), 0));
    return m_shown && place < m_shown->parts.size() ? m_shown->parts[place].get() : nullptr;
}

void GeneratedCodePanel::showEmpty(const QString& title, const QString& howTo) {
    m_request.forget();
    m_model->setCode(nullptr);
    m_shown = nullptr;
    m_kernel.reset();
    m_code->setText(QString(), CodeLanguage::Plain);
    m_pages->showMessage(title, howTo);
}

void GeneratedCodePanel::follow() {
    const std::optional<session::Selection>& current = m_context.selection->current();
    const session::LogSnapshotPtr log = current ? m_context.logs->tryLog(current->artifact.log) : nullptr;
    const auto index = current ? m_context.logs->tryIndex(current->artifact) : std::nullopt;
    if (!log || !index) {
        showEmpty(
            tr("No compile is selected"),
            tr("The code that Inductor generated appears here, split into kernels.\nPick a compile in the "
               "Compiles panel."));
        return;
    }
    session::ArtifactReference compile = current->artifact;
    compile.artifact.clear();
    compile.subgraph.clear();
    if (!session::hasGeneratedCode(*log, *index)) {
        showEmpty(
            tr("%1 has no generated code").arg(referenceText(compile)),
            tr("A log has it when torch.compile ran with the backend “inductor” while TORCH_TRACE was "
               "set.\nSet INDUCTOR_PROVENANCE=1 as well, and PyTorch logs which nodes each kernel computes; "
               "without it they are found by comments and data flow."));
        return;
    }
    const auto* asked = m_request.askedFor<session::LoadGeneratedCode>();
    if (m_shown && m_shown->compile == compile) {
        choosePartOf(current->artifact);
    } else if (!asked || asked->compile != compile || m_request.gaveUp()) {
        m_request.ask(session::LoadGeneratedCode{compile});
    }
}

void GeneratedCodePanel::followRequest() {
    if (const auto* asked = m_request.askedFor<session::LoadGeneratedCode>();
        asked && (m_request.gaveUp() || (m_request.isUnderWay() && !m_shown))) {
        const QString what = referenceText(asked->compile);
        m_pages->showRequest(&m_request,
                             {.running = tr("Reading the generated code of %1 …").arg(what),
                              .canceled = tr("Reading the generated code of %1 was canceled").arg(what),
                              .failed = tr("The generated code of %1 cannot be read").arg(what)});
    }
}

void GeneratedCodePanel::show(session::GeneratedCodeSnapshotPtr snapshot) {
    m_model->setCode(nullptr);
    m_shown = std::move(snapshot);
    const QSignalBlocker blocker(m_parts);
    while (m_parts->count() > 0) {
        m_parts->removeTab(0);
    }
    for (std::size_t place = 0; place < m_shown->parts.size(); ++place) {
        m_parts->addTab(partTitle(m_shown->parts[place]->generated, place));
    }
    m_pages->showContent();
    if (const auto& current = m_context.selection->current()) {
        choosePartOf(current->artifact);
    }
    showPart();
}

/// The half that the selected graph is of.
void GeneratedCodePanel::choosePartOf(const session::ArtifactReference& graph) {
    for (std::size_t place = 0; m_shown && place < m_shown->parts.size(); ++place) {
        const inductor::GeneratedCode& code = m_shown->parts[place]->generated;
        if (graph.artifact == code.name || graph.artifact == code.graphName ||
            graph.artifact == code.aotName) {
            m_parts->setCurrentIndex(static_cast<int>(place));
            return;
        }
    }
}

void GeneratedCodePanel::showPart() {
    m_kernel.reset();
    const session::GeneratedCodeSnapshot::Part* shown = part();
    if (shown == nullptr) {
        return;
    }
    const inductor::GeneratedCode& code = shown->generated;
    m_model->setCode(&code);
    m_title->setText(tr("%1 · %2 launches of %3 kernels · %4 · shown, never executed")
                         .arg(text(code.name), formatCount(code.code.launches.size()),
                              formatCount(code.code.kernels.size()),
                              !code.graph       ? tr("without a graph")
                              : code.hasMapping ? tr("linked by PyTorch's mapping")
                                                : tr("linked by comments and data flow")));
    const QSignalBlocker blocker(m_fold);
    m_fold->setChecked(false);
    showText();
    showDetails();
    followNode(nullptr);
}

/// The whole code, or only the current kernel's part of it.
void GeneratedCodePanel::showText() {
    const session::GeneratedCodeSnapshot::Part* shown = part();
    if (shown == nullptr) {
        return;
    }
    const bool cpp = shown->generated.code.cppWrapper;
    const inductor::OutputCode& code = shown->generated.code;
    m_fold->setEnabled(m_kernel && code.kernels[*m_kernel].definition);
    m_firstLine = 0;
    m_foldedLines = nullptr;
    if (m_fold->isChecked() && m_fold->isEnabled()) {
        const inductor::Kernel& kernel = code.kernels[*m_kernel];
        const inductor::TextRange& first = kernel.comments.range.value_or(*kernel.definition);
        m_foldedText = std::make_shared<const std::string>(
            shown->text.substr(first.begin, kernel.definition->end - first.begin));
        base::Progress untold;
        m_foldedLines = base::TextLines::of(*m_foldedText, untold).value();
        m_firstLine = static_cast<int>(first.firstLine) - 1;
    }
    m_code->setText(m_foldedLines ? m_foldedLines : shown->lines,
                    cpp ? CodeLanguage::Cpp : CodeLanguage::Python);
    m_code->setLanguages([this, cpp](int line) {
        const session::GeneratedCodeSnapshot::Part* now = part();
        const auto number = static_cast<std::size_t>(line) + static_cast<std::size_t>(m_firstLine) + 1;
        const bool inCpp = now != nullptr &&
                           std::any_of(now->generated.code.kernels.begin(), now->generated.code.kernels.end(),
                                       [number](const inductor::Kernel& kernel) {
                                           return kernel.kind == inductor::KernelKind::Cpp && kernel.source &&
                                                  number >= kernel.source->firstLine &&
                                                  number <= kernel.source->lastLine;
                                       });
        return inCpp || cpp ? CodeLanguage::Cpp : CodeLanguage::Python;
    });
    if (m_kernel) {
        markLines(code.kernels[*m_kernel].launches, {});
    }
}

void GeneratedCodePanel::showDetails() {
    const session::GeneratedCodeSnapshot::Part* shown = part();
    if (shown == nullptr) {
        return;
    }
    const Theme& theme = m_context.theme->theme();
    const QString unlinked = unlinkedWords(shown->generated, theme);
    const QString about = m_kernel ? kernelWords(shown->generated, *m_kernel, theme) : QString();
    // A label's links have the colour of the whole program's palette, not that of the theme.
    const QString style = QStringLiteral("<style>a { color: %1; text-decoration: none; }</style>");
    m_details->setText(style.arg(theme.accent.name()) + about +
                       (unlinked.isEmpty()
                            ? QString()
                            : QStringLiteral("<p><b>%1</b></p>").arg(tr("Not linked")) + unlinked));
}

/// Marks the launches, the definitions and the lines of comments that name the node, and scrolls to the
/// first.
void GeneratedCodePanel::markLines(const std::vector<std::uint32_t>& launches, const std::string& node) {
    const inductor::OutputCode& code = part()->generated.code;
    std::vector<int> lines;
    int first = -1;
    const auto mark = [&](std::size_t line, bool scroll) {
        const int shown = static_cast<int>(line) - 1 - m_firstLine;
        if (shown >= 0 && shown < m_code->lineCount()) {
            lines.push_back(shown);
            first = first < 0 && scroll ? shown : first;
        }
    };
    for (const std::uint32_t launch : launches) {
        const inductor::Kernel& kernel = code.kernels[code.launches[launch].kernel];
        for (const inductor::FragmentNode& named : kernel.comments.nodes) {
            if (named.name == node) {
                mark(named.line, true);
            }
        }
        if (kernel.definition) {
            mark(kernel.definition->firstLine, true);
        }
        mark(code.launches[launch].range.firstLine, true);
    }
    m_code->setRelatedLines(std::move(lines));
    if (first >= 0) {
        m_code->setCurrentLine(first);
    }
}

} // namespace aotscope::views

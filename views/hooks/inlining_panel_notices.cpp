// What the Inlining dock says about hooks that could not be applied, are missing, or take no row.
#include "common/current_graph.h"
#include "common/format.h"
#include "common/selection_hub.h"
#include "explore/compiled_autograd_hooks.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_editor.h"
#include "hooks/inlining_panel.h"
#include "hooks/notice_strip.h"
#include "hooks/program_hooks.h"
#include "load/graph_kind.h"
#include "partition/current_partition.h"

#include <QTabWidget>

#include <algorithm>

namespace aotscope::views {

void InliningPanel::showNotice() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    const bool isBroken = split && split->hooks && !split->hooks->broken.empty();
    const bool isMissing = split && !m_context.partition->choices().hooks && m_programHooks->areMissing();
    if (isBroken) {
        showBroken(split->hooks->broken);
    } else if (isMissing) {
        showMissing();
    } else {
        m_notice->clear();
    }
    showRecomputed();
    showRunTimeHooks();
}

/// A hook that could not be applied, with the way to its line.
void InliningPanel::showBroken(const std::vector<hooks::BrokenHook>& all) {
    const hooks::BrokenHook& broken = all.front();
    QString words =
        tr("✗ Without the hook %1 for %2: %3")
            .arg(text(broken.hook),
                 broken.tensors.size() == 1 ? text(broken.tensors.front())
                                            : formatCount(broken.tensors.size(), "tensor", "tensors"),
                 text(broken.error.message));
    if (all.size() > 1) {
        words += tr("  (and %1 more)").arg(formatCount(all.size() - 1, "error", "errors"));
    }
    m_notice->say(words, Words::Bad, text(broken.error.hint));
    m_notice->offer(broken.error.place.line > 0 ? tr("Line %1").arg(broken.error.place.line) : QString(),
                    tr("Show the error in the hook's text"));
}

/// The program's own hooks are not in a logged joint graph.
void InliningPanel::showMissing() {
    const QString& failure = m_programHooks->failure();
    const bool isTracing = m_programHooks->request().isUnderWay();
    const QString words = !failure.isEmpty() ? failure
                          : isTracing
                              ? tr("Tracing the compile with its hooks …")
                              : tr("PyTorch inlined hooks of the program's own into the logged halves. The "
                                   "logged joint graph is without them: trace it again to see them here.");
    m_notice->say(words, failure.isEmpty() ? Words::Plain : Words::Warning);
    m_notice->offer(isTracing ? QString() : tr("Trace with its hooks"),
                    tr("Compile the graph again, without Python, with the hooks of the program"));
}

void InliningPanel::pressNotice() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    if (split && split->hooks && !split->hooks->broken.empty()) {
        const hooks::BrokenHook& broken = split->hooks->broken.front();
        m_tabs->setCurrentWidget(m_editor);
        m_editor->showHook(broken.hook, static_cast<int>(broken.error.place.line));
    } else {
        m_programHooks->trace();
    }
}

namespace {

const session::CompiledAutogradHooks* firstWithHooks(const session::PartitionSnapshotPtr& split) {
    if (!split) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(
        split->runTimeHooks, [](const session::CompiledAutogradHooks& each) { return !each.hooks.empty(); });
    return found == split->runTimeHooks.end() ? nullptr : &*found;
}

} // namespace

/// Hooks that no graph here contains: compiled autograd calls them when the backward runs.
void InliningPanel::showRunTimeHooks() {
    const session::PartitionSnapshotPtr& split = m_context.partition->snapshot();
    const session::CompiledAutogradHooks* const first = firstWithHooks(split);
    if (first == nullptr) {
        m_runTime->clear();
        return;
    }
    QStringList details;
    for (const session::CompiledAutogradHooks& each : split->runTimeHooks) {
        details.append(
            QStringLiteral("%1: %2").arg(text(each.id), text(session::runTimeHooksText(each.hooks))));
    }
    m_runTime->say(tr("Not inlined (called at run time by compiled autograd): %1")
                       .arg(text(session::runTimeHooksText(first->hooks))),
                   Words::Plain, details.join(QLatin1Char('\n')));
}

void InliningPanel::goToRunTimeHook() {
    if (const session::CompiledAutogradHooks* const first = firstWithHooks(m_context.partition->snapshot())) {
        m_context.selection->select({first->graph, first->hooks.front().node}, this);
    }
}

/// The same for a graph of compiled autograd that is looked at; empty: it is another graph.
QString InliningPanel::runTimeHooksOfGraph() const {
    const session::GraphSnapshotPtr& graph = m_context.graph->graph();
    const bool isCompiledAutograd =
        graph && graph->graph &&
        load::tryGraphKind(graph->reference.artifact) == load::GraphKind::CompiledAutograd;
    return isCompiledAutograd
               ? tr("Not inlined (called at run time by compiled autograd): %1")
                     .arg(text(session::runTimeHooksText(session::runTimeHooks(*graph->graph))))
               : QString();
}

/// Recomputed tensors have no row; this notice has the button that saves them again.
void InliningPanel::showRecomputed() {
    const auto& plan = m_context.partition->choices().hooks;
    const bool any = plan && std::ranges::any_of(plan->rules, [](const hooks::HookRule& rule) {
                         return rule.hook == hooks::recomputeHook;
                     });
    if (!any) {
        m_recomputed->clear();
        return;
    }
    QStringList names;
    for (const std::string& name : recomputedByName(*plan)) {
        names.append(text(name));
    }
    m_recomputed->say(names.isEmpty()
                          ? tr("A rule recomputes every tensor that can be recomputed.")
                          : tr("Recomputed instead of saved: %1").arg(names.join(QStringLiteral(", "))),
                      Words::Dim);
}

} // namespace aotscope::views

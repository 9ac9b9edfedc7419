#include "session/partition_explorer.h"

#include "explore/inlined_hooks.h"
#include "explore/measured_hooks.h"
#include "explore/partition_by_choices.h"

namespace aotscope::session {

base::Result<PartitionExplorer::Entry> PartitionExplorer::inputOf(const ArtifactReference& joint,
                                                                  const PartitionTools& tools) {
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_entries.find(joint);
        if (known != m_entries.end() && known->second.input->log == tools.log(joint.log) &&
            known->second.input->trace == tools.trace(joint)) {
            return known->second;
        }
    }
    AOTSCOPE_TRY(input, readJointInput(joint, tools));
    Entry entry{std::move(input), nullptr, nullptr};
    keep(joint, entry, tools);
    return entry;
}

base::Result<PartitionExplorer::Entry> PartitionExplorer::entryOf(const ArtifactReference& joint,
                                                                  const PartitionChoices& choices,
                                                                  const PartitionTools& tools) {
    auto entry = inputOf(joint, tools);
    if (!entry || choices.runtime != RuntimeSource::Profile || entry->runtimes) {
        return entry;
    }
    AOTSCOPE_TRY(ran, tools.run(entry->input->joint));
    entry->runtimes = runtimeProfile(*ran);
    keep(joint, *entry, tools);
    return entry;
}

void PartitionExplorer::keep(const ArtifactReference& joint, Entry entry, const PartitionTools& tools) {
    const std::lock_guard lock(m_mutex);
    if (tools.log(joint.log) == entry.input->log) {
        m_entries.insert_or_assign(joint, std::move(entry));
    }
}

base::Result<PartitionSnapshotPtr>
PartitionExplorer::splitOf(const Entry& entry, const PartitionChoices& choices, const PartitionTools& tools) {
    return entry.last && entry.last->choices == choices
               ? entry.last
               : partitionByChoices(*entry.input, choices, entry.runtimes, entry.last, tools.traceHook,
                                    tools.progress);
}

base::Result<PartitionSnapshotPtr> PartitionExplorer::partition(const PartitionJoint& command,
                                                                const PartitionTools& tools) {
    AOTSCOPE_TRY(entry, entryOf(command.joint, command.choices, tools));
    auto split = splitOf(entry, command.choices, tools);
    if (!split || *split == entry.last) {
        return split;
    }
    const PartitionSnapshot& made = **split;
    const auto half = [&](const ArtifactReference& reference, const ir::GraphPtr& graph) {
        return MadeGraphs::Half{reference, graph, halfSources(*made.joint, *graph)};
    };
    const JointInputPtr input = entry.input;
    std::vector<MadeGraphs::Half> graphs = {half(made.forward, made.function.forward()),
                                            half(made.backward, made.function.backward())};
    if (made.hooks) {
        graphs.push_back(half(made.hooks->forwardBefore, made.partition->forward));
        graphs.push_back(half(made.hooks->backwardBefore, made.partition->backward));
        for (const passes::InlinedHook& hook : made.function.partition->hooks) {
            graphs.push_back({hookReference(command.joint, hook.saved, true), hook.pack, {}});
            graphs.push_back({hookReference(command.joint, hook.saved, false), hook.unpack, {}});
        }
    }
    m_graphs.insert(std::move(graphs), [&] { return tools.log(command.joint.log) == input->log; });
    keep(command.joint, {input, *split, entry.runtimes}, tools);
    return split;
}

base::Result<BudgetSweepSnapshotPtr> PartitionExplorer::sweep(const SweepBudgets& command,
                                                              const PartitionTools& tools) {
    const auto entry = entryOf(command.joint, command.choices, tools);
    return entry
               ? sweepBudgets(*entry->input, command.choices, entry->runtimes, command.steps, tools.progress)
               : base::Result<BudgetSweepSnapshotPtr>(entry.error());
}

base::Result<NodeAlternativeSnapshotPtr> PartitionExplorer::alternative(const FindAlternative& command,
                                                                        const PartitionTools& tools) {
    AOTSCOPE_TRY(entry, entryOf(command.joint, command.choices, tools));
    AOTSCOPE_TRY(made, splitOf(entry, command.choices, tools));
    const PartitionSnapshotPtr& now = made;
    auto snapshot = std::make_shared<NodeAlternativeSnapshot>();
    snapshot->joint = command.joint;
    snapshot->choices = command.choices;
    snapshot->node = command.node;
    auto found = passes::cheapestAlternative(now->joint->graph, now->options, *now->partition, command.node);
    AOTSCOPE_CHECK(tools.progress.checkStop());
    if (found) {
        snapshot->alternative = std::move(found).value();
    } else {
        snapshot->error = std::move(found).error();
    }
    return NodeAlternativeSnapshotPtr(std::move(snapshot));
}

base::Result<SplitMarksSnapshotPtr> PartitionExplorer::mark(const MarkSplit& command,
                                                            const LayoutSnapshotPtr& picture,
                                                            const PartitionTools& tools) {
    AOTSCOPE_TRY(entry, entryOf(command.joint, command.choices, tools));
    const auto split = splitOf(entry, command.choices, tools);
    if (split) {
        return markSplit(picture, *split);
    }
    if (!base::isCanceled(split.error())) {
        if (auto logged = tryMarkLogged(picture, *entry.input, command.choices)) {
            return logged;
        }
    }
    return split.error();
}

base::Result<HookErrorsSnapshotPtr> PartitionExplorer::measure(const MeasureHooks& command,
                                                               const PartitionTools& tools,
                                                               const HookErrorsSink& onPart) {
    AOTSCOPE_TRY(entry, entryOf(command.joint, command.choices, tools));
    AOTSCOPE_TRY(split, splitOf(entry, command.choices, tools));
    return measuredHooks(split, command.options, command.eachAlone, tools, onPart);
}

base::Result<HookSuggestionSnapshotPtr> PartitionExplorer::suggest(const SuggestHooks& command,
                                                                   const PartitionTools& tools) {
    AOTSCOPE_TRY(entry, entryOf(command.joint, command.choices, tools));
    return suggestHooks(command, tools,
                        [&](const PartitionChoices& choices) { return splitOf(entry, choices, tools); });
}

void PartitionExplorer::eraseLog(std::uint32_t log) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_entries, [log](const auto& entry) { return entry.first.log == log; });
}

} // namespace aotscope::session

#include "kernels/rerun_history.h"

namespace aotscope::views {

void RerunHistory::add(const session::RerunSnapshotPtr& rerun) {
    Reruns& reruns = m_reruns[{rerun->graph->reference, rerun->result->nodes}];
    reruns.all.push_back(rerun);
    if (reruns.all.size() > mostReruns) {
        const std::size_t oldest = reruns.baseline == std::size_t{0} ? 1 : 0;
        reruns.all.erase(reruns.all.begin() + static_cast<std::ptrdiff_t>(oldest));
        if (reruns.baseline && *reruns.baseline > oldest) {
            --*reruns.baseline;
        }
    }
    Q_EMIT changed();
}

const std::vector<session::RerunSnapshotPtr>& RerunHistory::of(const RerunSubject& subject) const {
    static const std::vector<session::RerunSnapshotPtr> none;
    const auto found = m_reruns.find(subject);
    return found == m_reruns.end() ? none : found->second.all;
}

void RerunHistory::setBaseline(const RerunSubject& subject, std::optional<std::size_t> rerun) {
    const auto found = m_reruns.find(subject);
    if (found != m_reruns.end() && (!rerun || *rerun < found->second.all.size())) {
        found->second.baseline = rerun;
        Q_EMIT changed();
    }
}

std::optional<std::size_t> RerunHistory::baseline(const RerunSubject& subject) const {
    const auto found = m_reruns.find(subject);
    return found == m_reruns.end() ? std::nullopt : found->second.baseline;
}

session::RerunResultPtr RerunHistory::baselineResult(const RerunSubject& subject) const {
    const auto chosen = baseline(subject);
    return chosen ? of(subject)[*chosen]->result : nullptr;
}

void RerunHistory::forget(std::uint32_t log) {
    std::erase_if(m_reruns, [log](const auto& entry) { return entry.first.graph.log == log; });
    Q_EMIT changed();
}

std::map<std::string, double> RerunHistory::mediansOf(const session::ArtifactReference& graph) const {
    std::map<std::string, double> medians;
    for (const auto& [subject, reruns] : m_reruns) {
        if (subject.graph != graph || subject.nodes.size() != 1) {
            continue;
        }
        for (const session::RerunSnapshotPtr& rerun : reruns.all) {
            const auto times = session::rerunTimes(rerun->result->samples, 1);
            if (times && rerun->settings.changes.isNone() && !rerun->kernel) {
                medians[subject.nodes.front()] = times->median;
            }
        }
    }
    return medians;
}

} // namespace aotscope::views

#include "hooks/program_hooks.h"

#include "common/compile_settings.h"
#include "common/format.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "contract/retrace_target.h"
#include "files/logged_partitions.h"
#include "files/retrace_targets.h"
#include "load/record_kind.h"
#include "partition/current_partition.h"

#include <algorithm>

namespace aotscope::views {

ProgramHooks::ProgramHooks(const ViewContext& context, QObject* parent)
    : QObject(parent), m_context(context), m_request(context.engine, tag()) {
    connect(&m_request, &RequestBase::answered, this, &ProgramHooks::take);
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (m_request.error()) {
            m_failure = text(m_request.error()->message);
        }
        Q_EMIT changed();
    });
    connect(context.partition, &CurrentPartition::jointChanged, this, [this] {
        m_request.forget();
        m_failure.clear();
        Q_EMIT changed();
    });
}

std::optional<session::RetraceTarget> ProgramHooks::target() const {
    const auto& joint = m_context.partition->joint();
    const session::LogSnapshotPtr log = joint ? m_context.logs->tryLog(joint->log) : nullptr;
    if (!log || session::isMadeHere(*joint)) {
        return std::nullopt;
    }
    const std::vector<session::RetraceTarget> targets = session::retraceTargets(*log, *joint);
    const auto found = std::ranges::find_if(
        targets, [](const session::RetraceTarget& each) { return each.program && each.logged; });
    return found == targets.end() ? std::nullopt : std::optional(*found);
}

bool ProgramHooks::areMissing() const {
    const auto& joint = m_context.partition->joint();
    if (!joint || session::isMadeHere(*joint)) {
        return false;
    }
    session::ArtifactReference hooks = *joint;
    hooks.artifact = load::hooksArtifact;
    hooks.subgraph.clear();
    return m_context.logs->tryArtifact(hooks).has_value() && target().has_value();
}

void ProgramHooks::trace() {
    if (const auto wanted = target(); wanted && !m_request.isUnderWay()) {
        m_failure.clear();
        session::Retrace command{m_context.partition->joint()->log, {*wanted}, {}};
        command.options.torch = m_context.settings->torch();
        command.options.config = m_context.settings->options();
        m_request.ask(std::move(command));
    }
}

void ProgramHooks::take() {
    const session::RetraceSnapshotPtr traced = m_request.takeAnswer();
    if (traced->made && traced->made->joint) {
        m_context.selection->select({traced->made->reference, {}}, this);
    } else {
        m_failure = tr("The compile could not be traced again; the Re-trace panel says why.");
    }
}

} // namespace aotscope::views

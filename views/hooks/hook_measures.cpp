#include "hooks/hook_measures.h"

#include "common/log_list.h"
#include "common/run_device.h"
#include "partition/current_partition.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

/// Each holds a partition.
constexpr std::size_t keptAnswers = 8;

} // namespace

HookMeasures::HookMeasures(const ViewContext& context, QObject* parent)
    : QObject(parent), m_context(context), m_partition(context.partition), m_request(context.engine, tag()) {
    connect(&m_request, &RequestBase::answered, this, [this] {
        take();
        Q_EMIT changed();
    });
    connect(&m_request, &RequestBase::changed, this, [this] {
        if (m_request.state() == RequestBase::State::Ready) {
            followPartition();
        }
        Q_EMIT changed();
    });
    connect(&m_request, &RequestBase::progressed, this, &HookMeasures::progressed);
    connect(m_partition, &CurrentPartition::jointChanged, this, &HookMeasures::followJoint);
    connect(m_partition, &CurrentPartition::choicesChanged, this, &HookMeasures::followChoices);
    connect(m_partition, &CurrentPartition::partitionChanged, this, &HookMeasures::followPartition);
    connect(context.logs, &LogList::changed, this,
            [this](const session::LogSnapshotPtr& log) { forget(log->log); });
    connect(context.logs, &LogList::closed, this, &HookMeasures::forget);
    followJoint();
}

void HookMeasures::measure() {
    if (canMeasure()) {
        ask();
    }
}

void HookMeasures::cancel() {
    m_isWanted = false;
    m_isStopped = true;
    m_request.cancel();
}

void HookMeasures::setActive(bool active) {
    m_active = active;
    followPartition();
}

bool HookMeasures::isCurrent(const session::HookErrorsSnapshotPtr& measured) const {
    return measured && m_partition->joint() && measured->split->joint->reference == *m_partition->joint() &&
           measured->split->choices == m_partition->choices();
}

bool HookMeasures::canMeasure() const {
    const session::PartitionSnapshotPtr& split = m_partition->snapshot();
    return split && m_partition->isCurrent() && split->hooks &&
           std::ranges::any_of(split->hooks->tensors,
                               [](const session::HookedTensor& tensor) { return !tensor.hook.empty(); });
}

void HookMeasures::ask() {
    m_isStopped = false;
    session::RunOptions options;
    options.device = chosenDevice(m_context);
    m_request.ask(session::MeasureHooks{.joint = *m_partition->joint(),
                                        .choices = m_partition->choices(),
                                        .options = options,
                                        .eachAlone = true,
                                        .inParts = true});
}

void HookMeasures::take() {
    m_latest = m_request.takeAnswer();
    m_isWanted = false;
    const session::HookErrorsPart part = m_latest->errors.part;
    if (part != session::HookErrorsPart::Values) {
        m_withGradients = m_latest;
    }
    if (part == session::HookErrorsPart::Alone) {
        m_whole = m_latest;
        m_answers.push_back(m_latest);
        if (m_answers.size() > keptAnswers) {
            m_answers.pop_front();
        }
    }
}

void HookMeasures::showWhole(session::HookErrorsSnapshotPtr measured) {
    m_latest = m_withGradients = m_whole = std::move(measured);
}

void HookMeasures::followJoint() {
    m_request.forget();
    m_isWanted = false;
    showWhole(nullptr);
    for (const session::HookErrorsSnapshotPtr& answer : m_answers) {
        if (m_partition->joint() && answer->split->joint->reference == *m_partition->joint()) {
            showWhole(answer);
        }
    }
    Q_EMIT changed();
}

/// What is measured of earlier choices is of no use, and new hooks can only be traced when it has ended.
void HookMeasures::followChoices() {
    m_isStopped = false;
    const auto* asked = m_request.askedFor<session::MeasureHooks>();
    if (m_request.isUnderWay() && asked != nullptr && asked->choices != m_partition->choices()) {
        m_isWanted = true;
        m_request.forget();
    }
}

/// Measures what a person has changed, if it was measured before.
void HookMeasures::followPartition() {
    const auto* asked = m_request.askedFor<session::MeasureHooks>();
    const bool isAsked = asked != nullptr && m_partition->joint() && asked->joint == *m_partition->joint() &&
                         asked->choices == m_partition->choices();
    if ((!m_latest && !m_isWanted) || !m_active || m_isStopped ||
        (isAsked && (m_request.isUnderWay() || m_request.gaveUp()))) {
        return;
    }
    if (!canMeasure()) {
        if (m_partition->isCurrent()) {
            m_request.forget();
        }
        return;
    }
    if (isCurrent(m_whole)) {
        if (!isCurrent(m_latest) || !isCurrent(m_withGradients)) {
            showWhole(m_whole);
            Q_EMIT changed();
        }
        return;
    }
    for (const session::HookErrorsSnapshotPtr& answer : m_answers) {
        if (isCurrent(answer)) {
            showWhole(answer);
            Q_EMIT changed();
            return;
        }
    }
    ask();
}

/// The file may have been replaced.
void HookMeasures::forget(quint32 log) {
    const auto isOfLog = [log](const session::HookErrorsSnapshotPtr& answer) {
        return answer && answer->split->joint->reference.log == log;
    };
    std::erase_if(m_answers, isOfLog);
    if (isOfLog(m_latest)) {
        showWhole(nullptr);
        m_request.forget();
        Q_EMIT changed();
    }
}

std::optional<HookMeasure> measureOf(const session::HookErrorsSnapshotPtr& measured,
                                     const std::string& saved) {
    if (!measured) {
        return std::nullopt;
    }
    const std::vector<session::HookError>& hooks = measured->errors.hooks;
    const auto found = std::ranges::find(hooks, saved, &session::HookError::saved);
    if (found == hooks.end()) {
        return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(found - hooks.begin());
    HookMeasure measure{*found, std::nullopt};
    if (number < measured->peaksAlone.size()) {
        measure.peakAlone = measured->peaksAlone[number];
    }
    return measure;
}

} // namespace aotscope::views

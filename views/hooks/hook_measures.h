#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/hooks_snapshot.h"

#include <QObject>

#include <deque>
#include <string>

namespace aotscope::views {

/// What the current partition's hooks cost in accuracy, measured on a run when a person asks for it, and
/// measured anew after each change from then on. The errors of the values come first, then those of all
/// gradients, then what each hook does alone. Measurements are kept while their log is open.
class HookMeasures : public QObject {
    Q_OBJECT

public:
    HookMeasures(const ViewContext& context, QObject* parent = nullptr);

    /// A person asks for it.
    void measure();
    void cancel();
    /// Whether changes are measured at once; else when it is set again. For panels out of sight.
    void setActive(bool active);

    /// The latest measurement for the joint graph, which may have no more than the errors of the values;
    /// null: none.
    [[nodiscard]] session::HookErrorsSnapshotPtr latest() const { return m_latest; }
    /// The latest one that has the gradients with all hooks; null: none.
    [[nodiscard]] session::HookErrorsSnapshotPtr withGradients() const { return m_withGradients; }
    /// The latest one that has what each hook does alone; null: none.
    [[nodiscard]] session::HookErrorsSnapshotPtr whole() const { return m_whole; }
    /// Whether it was measured with the current choices.
    [[nodiscard]] bool isCurrent(const session::HookErrorsSnapshotPtr& measured) const;
    /// Whether some saved tensor has a hook.
    [[nodiscard]] bool canMeasure() const;
    [[nodiscard]] RequestBase* request() { return &m_request; }
    [[nodiscard]] const RequestBase* request() const { return &m_request; }

    /// The tag of the commands sent here. Their failures are shown in the panel.
    [[nodiscard]] static QString tag() { return QStringLiteral("hook errors"); }

Q_SIGNALS:
    /// An answer arrived, another joint graph was selected, or the request changed its state.
    void changed();
    void progressed();

private:
    void ask();
    void take();
    void showWhole(session::HookErrorsSnapshotPtr measured);
    void followJoint();
    void followChoices();
    void followPartition();
    void forget(quint32 log);

    ViewContext m_context;
    CurrentPartition* m_partition;
    SeriesRequest<session::HookErrorsSnapshotPtr> m_request;
    std::deque<session::HookErrorsSnapshotPtr> m_answers;
    session::HookErrorsSnapshotPtr m_latest;
    session::HookErrorsSnapshotPtr m_withGradients;
    session::HookErrorsSnapshotPtr m_whole;
    bool m_active = false;
    /// A person's request was dropped because the choices changed; it is sent again.
    bool m_isWanted = false;
    /// A person stopped it; it stays so until the choices change.
    bool m_isStopped = false;
};

/// What was measured of one saved tensor's hook.
struct HookMeasure {
    const session::HookError& error;
    /// The step's predicted peak with this hook alone.
    std::optional<std::int64_t> peakAlone;
};
/// Nothing: it was not measured.
[[nodiscard]] std::optional<HookMeasure> measureOf(const session::HookErrorsSnapshotPtr& measured,
                                                   const std::string& saved);

} // namespace aotscope::views

#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/retrace_snapshot.h"

#include <QObject>

#include <optional>

namespace aotscope::views {

/// Hooks that PyTorch inlined and a logged joint graph does not have. Tracing the compile again gives a joint
/// graph with them, which then becomes the selection.
class ProgramHooks : public QObject {
    Q_OBJECT

public:
    explicit ProgramHooks(const ViewContext& context, QObject* parent = nullptr);

    /// Whether the selected compile has such hooks and its joint graph is the logged one.
    [[nodiscard]] bool areMissing() const;
    void trace();
    [[nodiscard]] const RequestBase& request() const { return m_request; }
    /// Why the last trace gave no joint graph; empty: it did, or there was none.
    [[nodiscard]] const QString& failure() const { return m_failure; }

    /// The tag of the commands sent here.
    [[nodiscard]] static QString tag() { return QStringLiteral("program hooks"); }

Q_SIGNALS:
    void changed();

private:
    /// How the selected joint graph can be traced again; nothing: it cannot.
    [[nodiscard]] std::optional<session::RetraceTarget> target() const;
    void take();

    ViewContext m_context;
    Request<session::RetraceSnapshotPtr> m_request;
    QString m_failure;
};

} // namespace aotscope::views

#pragma once

#include "contract/rerun_request.h"

#include <QObject>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

/// Nodes of a graph that are run together.
struct RerunSubject {
    session::ArtifactReference graph;
    /// In program order.
    std::vector<std::string> nodes;
    friend auto operator<=>(const RerunSubject&, const RerunSubject&) = default; // NOLINT: 0 is no pointer
};

/// Every rerun of this session, by what was run, the oldest first; and which of them later ones are compared
/// with.
class RerunHistory : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Beyond this many reruns of a subject, the oldest that is no baseline goes.
    static constexpr std::size_t mostReruns = 200;

    void add(const session::RerunSnapshotPtr& rerun);
    [[nodiscard]] const std::vector<session::RerunSnapshotPtr>& of(const RerunSubject& subject) const;
    /// Later reruns are compared with this one; nothing: only with the run.
    void setBaseline(const RerunSubject& subject, std::optional<std::size_t> rerun);
    [[nodiscard]] std::optional<std::size_t> baseline(const RerunSubject& subject) const;
    /// Null if there is none.
    [[nodiscard]] session::RerunResultPtr baselineResult(const RerunSubject& subject) const;
    void forget(std::uint32_t log);

    /// The median of the last rerun of each node that was rerun alone without changes.
    [[nodiscard]] std::map<std::string, double> mediansOf(const session::ArtifactReference& graph) const;

Q_SIGNALS:
    void changed();

private:
    struct Reruns {
        std::vector<session::RerunSnapshotPtr> all;
        std::optional<std::size_t> baseline;
    };
    std::map<RerunSubject, Reruns> m_reruns;
};

} // namespace aotscope::views

#pragma once

#include "common/theme.h"
#include "contract/reference.h"

#include <QFontMetrics>
#include <QString>

#include <optional>

namespace aotscope::views {

/// The path to the selection: log, compile, graph and subgraphs, module, node. Every part but the last is a
/// link.
struct Breadcrumb {
    QString log;
    session::ArtifactReference graph;
    /// "layers.0.attn"; empty: none.
    QString module;
    QString node;

    /// The last parts of the path that fit into `width`; "…" replaces the others. The last part is always
    /// included, shortened if necessary.
    [[nodiscard]] QString html(const Theme& theme, const QFontMetrics& metrics, int width) const;
    [[nodiscard]] QString plain() const;

    /// The target of a link in `html`: a graph (by its number of nested subgraphs) or a module.
    struct Target {
        int subgraphDepth = -1;
        QString module;
    };
    [[nodiscard]] static std::optional<Target> follow(const QString& link);
};

} // namespace aotscope::views

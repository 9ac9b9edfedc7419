#pragma once

#include "common/theme.h"
#include "session/reference.h"

#include <QFontMetrics>
#include <QString>

#include <optional>

namespace aotscope::views {

/// Where a person is: log, compile, graph and subgraphs, module, node. Every part but the last is a link.
struct Breadcrumb {
    QString log;
    session::ArtifactReference graph;
    /// "layers.0.attn"; empty: none.
    QString module;
    QString node;

    /// As many of the parts as fit into `width`, from the last; "…" stands for those before. The last is
    /// always there, shortened where it has to be.
    [[nodiscard]] QString html(const Theme& theme, const QFontMetrics& metrics, int width) const;
    [[nodiscard]] QString plain() const;

    /// What a link of `html` points at: a graph by the number of its subgraph steps, or a module.
    struct Target {
        int subgraphDepth = -1;
        QString module;
    };
    [[nodiscard]] static std::optional<Target> follow(const QString& link);
};

} // namespace aotscope::views

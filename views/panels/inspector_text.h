#pragma once

#include "common/log_list.h"
#include "common/theme.h"
#include "contract/snapshots.h"

#include <QString>

namespace aotscope::views {

/// Everything known of a node, as rich text. Links: `node:NAME`, `graph:PATH` (a nested graph),
/// `source:FILE:LINE`, `line:`.
[[nodiscard]] QString nodeHtml(const session::GraphSnapshot& snapshot, ir::NodeId node,
                               const session::RunSnapshot* run, const Theme& theme);
/// Everything known of a whole graph, as rich text.
[[nodiscard]] QString graphHtml(const session::GraphSnapshot& snapshot, const Theme& theme);
/// Everything known of a compile. Links: its artifacts as `artifact:NAME`, another compile as `compile:ID`.
/// `options`: those that PyTorch compiled it under, if they are known; `settings:` is a link to all of them.
[[nodiscard]] QString compileHtml(const LogList& logs, const session::ArtifactReference& reference,
                                  const session::CompileOptions* options, const Theme& theme);

} // namespace aotscope::views

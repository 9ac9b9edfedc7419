#pragma once

#include "contract/snapshots.h"
#include "files/graph_totals.h"

#include <QString>
#include <Qt>

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::views {

/// Which compiles of a log have rows in CompileModel, and in which order. A value, so that the rows of large
/// logs can be worked out on another thread.
struct CompileOrder {
    /// Lower case. Each must occur in a compile's id, function, file, status or reason.
    std::vector<std::string> words;
    /// A CompileModel::Column; -1: the order of the log.
    int column = -1;
    Qt::SortOrder order = Qt::AscendingOrder;
    /// Sort keys of the columns with nodes and saved bytes; other columns do not need it.
    session::KnownTotals totals;
};

[[nodiscard]] std::vector<std::string> filterWords(const QString& filter);

/// The indexes of the compiles that have a row, in display order. Those in `kept` have one even if they lack
/// a word.
[[nodiscard]] std::vector<std::uint32_t> compileRows(const session::LogSnapshot& log,
                                                     const std::vector<std::uint32_t>& kept,
                                                     const CompileOrder& order);

} // namespace aotscope::views

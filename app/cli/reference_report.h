#pragma once

#include "json_text.h"
#include "table.h"

#include "contract/reference_run.h"

#include <optional>
#include <string>

/// Reports on runs beside a float64 reference.
namespace aotscope::cli {

/// One line per compared tensor: its error against the reference, the node's own part, and what its inputs'
/// errors explain.
[[nodiscard]] std::string referenceTable(const session::ReferenceSnapshot& compared);
/// The first wrong op in a few lines: the node, its operator and source line, its numbers. Or that there is
/// none, and how many nodes were checked.
[[nodiscard]] std::string firstDifferenceText(const session::ReferenceSnapshot& compared);
/// In schema aotscope.reference/1, without the schema's name. With `onlyFirst` the nodes are left out, but
/// for the first wrong one.
[[nodiscard]] Json referenceJson(const session::ReferenceSnapshot& compared, bool onlyFirst);

/// Several comparisons as a table and as totals.
class ReferenceSummary {
public:
    /// `compared` is null if it could not start.
    void add(const std::string& title, const session::ReferenceSnapshotPtr& compared,
             const std::optional<base::Error>& error);

    [[nodiscard]] std::string text() const;
    /// In schema aotscope.references/1.
    [[nodiscard]] std::string json() const;
    /// Whether all ran to the end and no node is wrong.
    [[nodiscard]] bool allRight() const { return m_right == m_all; }

private:
    Table m_table{{{"graph"},
                   {"checked", Table::Align::Right},
                   {"not checked", Table::Align::Right},
                   {"largest error", Table::Align::Right},
                   {"first wrong op"},
                   {"why"}}};
    Json m_json = Json::array();
    std::size_t m_all = 0;
    std::size_t m_right = 0;
    std::size_t m_wrong = 0;
};

} // namespace aotscope::cli

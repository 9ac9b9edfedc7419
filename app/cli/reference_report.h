#pragma once

#include "answer.h"
#include "table.h"

#include "contract/reference_run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Reports on runs beside a float64 reference.
namespace aotscope::cli {

/// One line per compared tensor: its error against the reference, the node's own part, and what its inputs'
/// errors explain.
[[nodiscard]] std::string referenceTable(const session::ReferenceSnapshot& compared);
/// The first wrong op in a few lines: the node, its operator and source line, its numbers. Or that there is
/// none, and how many nodes were checked.
[[nodiscard]] std::string firstDifferenceText(const session::ReferenceSnapshot& compared);

struct ComparedNode : session::NodeError {
    std::string target = {};
};
AOTSCOPE_MORE_MEMBERS(ComparedNode, session::NodeError, target)

/// A run beside a float64 reference, also one that could not start.
struct ReferenceAnswer : session::RunFacts {
    std::string graph = {};
    /// No node is wrong, and the run came to its end.
    bool ok = false;
    /// Numbers of tensors.
    std::size_t checked = 0;
    std::size_t notChecked = 0;
    std::size_t wrong = 0;
    OfGraph<std::optional<ComparedNode>> firstWrong = {};
    OfGraph<std::vector<ComparedNode>> nodes = {};
};
AOTSCOPE_MORE_MEMBERS(ReferenceAnswer, session::RunFacts, graph, ok, checked, notChecked, wrong, firstWrong,
                      nodes)
AOTSCOPE_ANSWER(ReferenceAnswer, "aotscope.reference/2")

struct ReferencesAnswer {
    bool ok = true;
    std::size_t graphs = 0;
    std::size_t right = 0;
    std::size_t wrong = 0;
    /// Without `nodes`.
    std::vector<ReferenceAnswer> results = {};
};
AOTSCOPE_MEMBERS(ReferencesAnswer, ok, graphs, right, wrong, results)
AOTSCOPE_ANSWER(ReferencesAnswer, "aotscope.references/2")

/// `compared` is null if it could not start. With `onlyFirst` the nodes are left out, but for the first wrong
/// one.
[[nodiscard]] ReferenceAnswer referenceAnswer(const std::string& title,
                                              const session::ReferenceSnapshotPtr& compared,
                                              const std::optional<base::Error>& error, bool onlyFirst);

/// Several comparisons as a table and as totals.
class ReferenceSummary {
public:
    /// `compared` is null if it could not start.
    void add(const std::string& title, const session::ReferenceSnapshotPtr& compared,
             const std::optional<base::Error>& error);

    [[nodiscard]] std::string text() const;
    [[nodiscard]] const ReferencesAnswer& answer() const { return m_answer; }
    /// Whether all ran to the end and no node is wrong.
    [[nodiscard]] bool allRight() const { return m_answer.ok; }

private:
    Table m_table{{"graph", numbers("checked"), numbers("not checked"), numbers("largest error"),
                   "first wrong op", "why"}};
    ReferencesAnswer m_answer;
};

} // namespace aotscope::cli

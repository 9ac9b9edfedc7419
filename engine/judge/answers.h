#pragma once

#include "contract/snapshots.h"

#include "ir/graph.h"
#include "layout/split_marks.h"
#include "passes/partition.h"

#include "base/result.h"

#include <memory>
#include <string>
#include <vector>

/// What PyTorch logged of a joint graph, for those who compare with it and show it.
namespace aotscope::judge {

/// A pair of logged halves. Only this room looks into it.
struct LoggedAnswer;
using LoggedAnswerPtr = std::shared_ptr<const LoggedAnswer>;

struct Answers {
    /// Empty if the file has none; a golden file has one per partitioner. Never null.
    std::vector<LoggedAnswerPtr> halves;
    /// Why others cannot be read.
    std::vector<std::string> notes;
};

/// The answers for a joint graph of the file. Error: session.canceled.
[[nodiscard]] base::Result<Answers> readAnswers(const session::LogSnapshot& log,
                                                const session::ArtifactReference& joint,
                                                const session::ReadGraph& read);

/// The halves to compare with those of this partitioner; null if the file has none.
[[nodiscard]] LoggedAnswerPtr tryAnswerOf(const Answers& answers, passes::Partitioner partitioner);

/// The backward that ran, with hooks inlined if there were any.
[[nodiscard]] const ir::Graph& backwardThatRan(const LoggedAnswer& logged);

/// What the halves do with each node of a drawn graph. They show what is saved but not why: what the backward
/// takes besides tangents, by name.
[[nodiscard]] layout::SplitFacts loggedSplitFacts(const ir::Graph& drawn, const LoggedAnswer& logged);

} // namespace aotscope::judge

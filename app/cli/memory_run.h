#pragma once

#include "answer.h"
#include "program.h"

#include "base/verdict.h"

#include "contract/partition_snapshot.h"
#include "contract/run_options.h"
#include "memory/memory_profile.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// The options of `memory`.
struct MemoryRequest {
    std::filesystem::path file;
    std::string id;
    /// The kind of a single graph; empty: training steps.
    std::string kind;
    std::string section;
    /// "auto" (the logged halves if the file has them, else partitioned by the choices), "logged", "current",
    /// "eager".
    std::string order = "auto";
    bool compare = false;
    bool measured = false;
    /// How a measurement runs the graphs.
    session::RunOptions run;
    /// The user forced choices, so the order is "current" unless another one is named.
    bool chosen = false;
    session::PartitionChoices choices;
};

/// A memory profile and the graphs whose nodes are its positions.
struct Profiled {
    std::string label;
    session::MemoryProfilePtr profile;
    ir::GraphPtr forward;
    /// Null if the profile covers only `forward`.
    ir::GraphPtr backward;

    /// "addmm_3"; "(between forward and backward)", "(optimizer)".
    [[nodiscard]] std::string nodeAt(std::uint32_t position) const;
};

/// A profile and what it is compared with.
struct MemoryAnswer {
    std::string title;
    /// Why there is no profile, though others have one; then `shown` is empty.
    std::optional<base::Error> error = {};
    Profiled shown;
    /// Other orders of the same training step, if a comparison was requested.
    std::vector<Profiled> others;
    /// Used to look up modules by value name.
    std::vector<session::GraphSnapshotPtr> graphs;
    /// "assumed min-cut": of the partition that is shown. Empty: the graphs are the log's.
    std::string partitioner = {};
    /// The rules of the partition; nothing: the graphs are logged ones.
    std::optional<aot::RulesChoice> rules = {};
    /// The measured run; null if there is none.
    session::RunSnapshotPtr run;
    /// With a comparison with the logged order: what is saved, and the graphs.
    std::optional<base::Verdict> saved = {};
    std::optional<base::Verdict> graphsVerdict = {};

    [[nodiscard]] std::string moduleOf(const memory::LiveRange& range) const;
};

/// From `node` to the next difference, the run holds another number of bytes than predicted.
struct MeasuredDifference {
    std::string node;
    std::int64_t predicted = 0;
    std::int64_t measured = 0;
};
AOTSCOPE_MEMBERS(MeasuredDifference, node, predicted, measured)
/// Empty if the run agrees with the prediction at every node.
[[nodiscard]] std::vector<MeasuredDifference> measuredDifferences(const MemoryAnswer& answer);
/// The node that allocated most bytes beyond its results; null if none did.
[[nodiscard]] const session::NodeRun* largestScratch(const session::RunSnapshot& run);

/// A graph without an answer has its error, unless it is the only one. Throws Failure.
[[nodiscard]] std::vector<MemoryAnswer> memoryAnswers(Program& program, const MemoryRequest& request);

} // namespace aotscope::cli

#pragma once

#include "program.h"

#include "memory/memory_profile.h"
#include "session/explore/partition_snapshot.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::cli {

/// What `memory` is asked for.
struct MemoryRequest {
    std::filesystem::path file;
    std::string id;
    /// One graph alone; empty: steps.
    std::string kind;
    std::string section;
    /// "auto" (as logged where the file shows the halves, else by the choices), "logged", "current", "eager".
    std::string order = "auto";
    bool compare = false;
    bool measured = false;
    std::uint64_t seed = 0;
    /// A person decided something, so that the order is theirs unless they say otherwise.
    bool chosen = false;
    session::PartitionChoices choices;
};

/// A profile, and the graphs whose nodes run at its positions.
struct Profiled {
    std::string label;
    session::MemoryProfilePtr profile;
    ir::GraphPtr forward;
    /// Null: the profile is of `forward` alone.
    ir::GraphPtr backward;

    /// "addmm_3"; "(between forward and backward)", "(optimizer)".
    [[nodiscard]] std::string nodeAt(std::uint32_t position) const;
};

/// One answer: a profile, and what it is set beside.
struct MemoryAnswer {
    std::string title;
    Profiled shown;
    /// The other orders of the step; only when they are to be compared.
    std::vector<Profiled> others;
    /// Snapshots that tell of modules, by the values' names.
    std::vector<session::GraphSnapshotPtr> graphs;
    /// A run of the graph; null: not run.
    session::RunSnapshotPtr run;

    [[nodiscard]] std::string moduleOf(const memory::LiveRange& range) const;
};

/// From `node` on another number of bytes is alive in the run than predicted, until the next one listed.
struct MeasuredDifference {
    std::string node;
    std::int64_t predicted = 0;
    std::int64_t measured = 0;
};
/// Empty: the run agrees with the prediction at every node.
[[nodiscard]] std::vector<MeasuredDifference> measuredDifferences(const MemoryAnswer& answer);
/// The node that took most memory and gave it back by itself; null: none did.
[[nodiscard]] const session::NodeRun* largestScratch(const session::RunSnapshot& run);

/// Throws Failure.
[[nodiscard]] std::vector<MemoryAnswer> memoryAnswers(Program& program, const MemoryRequest& request);

} // namespace aotscope::cli

#pragma once

#include "contract/devices.h"
#include "contract/log_snapshot.h"
#include "contract/reference.h"

#include "aot/tensor_data.h"
#include "ir/compare/graph_diff.h"
#include "ir/graph.h"
#include "ir/module_path.h"
#include "ir/phase.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "layout/layout.h"
#include "load/json_outline.h"
#include "load/trace_log.h"

#include "base/describe.h"
#include "base/result.h"
#include "base/text_diff.h"
#include "base/text_lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What the engine hands out: immutable values, shared by pointer, readable from any thread.
namespace aotscope::session {

/// runs/profile.h
struct Profile;
using ProfilePtr = std::shared_ptr<const Profile>;
struct RetraceSnapshot;
/// files/logged_config.h
struct CompileOptions;
using CompileOptionsPtr = std::shared_ptr<const CompileOptions>;

/// A graph and everything the views derive from it. If the text could not be parsed, `graph` is null and
/// `error` says where; `text` is always the logged text.
struct GraphSnapshot {
    ArtifactReference reference;
    ir::GraphPtr graph;
    std::string text;
    ir::PrintedGraph printed;
    std::optional<base::Error> error;
    std::vector<ir::VerifierProblem> problems;
    ir::ModulePaths modules;
    std::vector<ir::Phase> phases;
    bool joint = false;
    /// The names of the graphs in an artifact with several ("aot_saved_tensors_hooks_graphs"). A reference
    /// reaches one with its name as first element of `subgraph`. For the whole artifact `graph` is null and
    /// `error` is session.several_graphs.
    std::vector<std::string> sections = {};
    /// Dynamo's source of each placeholder, in order ("L['self']._modules['fc1']._parameters['weight']"),
    /// also for graphs whose text does not have it. "" if unknown; empty if none is known.
    std::vector<std::string> inputSources = {};
    /// Under which the file says that it was compiled; null for graphs of no file, and nested ones.
    CompileOptionsPtr options = nullptr;
};
using GraphSnapshotPtr = std::shared_ptr<const GraphSnapshot>;
using ReadGraph = std::function<base::Result<GraphSnapshotPtr>(const ArtifactReference&)>;

/// A picture of a graph.
struct LayoutSnapshot {
    /// Unique in the session, counted from 1; 0: not from a session.
    std::uint64_t number = 0;
    GraphSnapshotPtr graph;
    layout::LayoutOptions options;
    /// Null if the graph could not be parsed; the graph's `error` says why.
    layout::LayoutPtr layout;
    /// The trace with whose stages it was laid out; null if it was laid out alone.
    std::shared_ptr<const RetraceSnapshot> stagesOf = nullptr;
    /// The difference from the previous stage, if the graph is a stage; null for the first one.
    std::shared_ptr<const ir::GraphDiff> diff = nullptr;
};
using LayoutSnapshotPtr = std::shared_ptr<const LayoutSnapshot>;

/// A part of a payload that has a heading.
struct PayloadSection {
    std::string name;
    /// The heading's, from 1.
    std::size_t line = 0;
    friend bool operator==(const PayloadSection&, const PayloadSection&) = default;
};
AOTSCOPE_MEMBERS(PayloadSection, name, line)

/// The content of a log record with its structure, found on the engine's thread because it may be hundreds of
/// megabytes.
struct PayloadSnapshot {
    PayloadSnapshot() = default;
    // Not copyable, because its members point into its texts.
    PayloadSnapshot(const PayloadSnapshot&) = delete;
    PayloadSnapshot& operator=(const PayloadSnapshot&) = delete;
    ~PayloadSnapshot() = default;

    ArtifactReference reference;
    load::RecordId record;
    std::string kind;
    std::string envelope;
    std::string payload;
    load::PayloadState state = load::PayloadState::NotChecked;
    std::vector<load::StackFrame> stack;
    /// Lines of `payload`; never null in a finished snapshot.
    base::TextLinesPtr lines;
    /// Headed parts of `payload`: the wrappers' code by wrapper. Empty for other records.
    std::vector<PayloadSection> sections;
    /// Outlines of `payload` and `envelope`; null if they are not JSON.
    load::JsonOutlinePtr json;
    load::JsonOutlinePtr envelopeJson;
};
using PayloadSnapshotPtr = std::shared_ptr<const PayloadSnapshot>;

/// See files/generated_code.h.
struct GeneratedCodeSnapshot;
using GeneratedCodeSnapshotPtr = std::shared_ptr<const GeneratedCodeSnapshot>;

struct DiffSnapshot {
    GraphSnapshotPtr left;
    GraphSnapshotPtr right;
    ir::GraphDiff diff;
    std::string unifiedText;
};
using DiffSnapshotPtr = std::shared_ptr<const DiffSnapshot>;

/// How many elements lie in each of several ranges of equal width.
struct Histogram {
    double from = 0;
    /// The last range includes it.
    double to = 0;
    std::vector<std::uint64_t> counts;
};
AOTSCOPE_MEMBERS(Histogram, from, to, counts)

/// Statistics of one tensor that a node returned.
struct TensorSummary {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::int64_t bytes = 0;
    /// Over finite elements; nothing for an empty tensor. Complex elements count by magnitude.
    std::optional<double> minimum;
    std::optional<double> mean;
    std::optional<double> maximum;
    std::int64_t nanCount = 0;
    std::int64_t infCount = 0;
    std::int64_t zeroCount = 0;
    /// Elements so small that their dtype holds them with fewer digits: neither 0 nor normal.
    std::int64_t subnormalCount = 0;
    /// Histogram of the finite elements, from minimum to maximum; only of kept values that have finite
    /// elements.
    std::optional<Histogram> histogram = {};

    /// The largest finite magnitude; nothing if no element is finite.
    [[nodiscard]] std::optional<double> largestMagnitude() const {
        return minimum && maximum ? std::optional(std::max(std::abs(*minimum), std::abs(*maximum)))
                                  : std::nullopt;
    }
};
AOTSCOPE_MEMBERS(TensorSummary, dtype, shape, stride, bytes, minimum, mean, maximum, nanCount, infCount,
                 zeroCount, subnormalCount, histogram)

/// How a node's numbers came about.
enum class RunOrigin {
    /// Computed by its operator from the run's inputs.
    Computed,
    /// Random values of the logged shape, because the operator is not registered here.
    StandIn,
    /// Computed by its operator from values that depend on a stand-in.
    FollowsFromStandIn
};
AOTSCOPE_WORDS(RunOrigin, "computed", "stand_in", "follows_from_stand_in")

/// One node's execution.
struct NodeRun {
    ir::NodeId node;
    std::int64_t nanoseconds = 0;
    /// More than one for a node that returns a tuple.
    std::vector<TensorSummary> outputs;
    /// The value of a symbolic or Python number, as text.
    std::string scalar;
    /// How the result contradicts the logged metadata, in words; empty if it agrees.
    std::string mismatch;
    /// What a person needs to judge the result ("synthetic, in place of corpus.scaled_add").
    std::string note = {};
    RunOrigin origin = RunOrigin::Computed;
    /// Bytes reported by LibTorch's allocator: intermediates alive after the node, before its inputs are
    /// released; and what the node allocated in addition and freed again while it ran.
    std::int64_t aliveBytes = 0;
    std::int64_t scratchBytes = 0;
};
AOTSCOPE_MEMBERS(NodeRun, node, nanoseconds, outputs, scalar, mismatch, note, origin, aliveBytes,
                 scratchBytes)

/// A tensor that a node returned, at the moment when the node had run.
struct NodeTensor {
    aot::TensorData data;
    /// With statistics and histogram.
    TensorSummary summary;
};
AOTSCOPE_MEMBERS(NodeTensor, data, summary)
/// What a node returned.
struct NodeValue {
    ir::NodeId node;
    /// None for a value without tensors.
    std::vector<NodeTensor> tensors;
    RunOrigin origin = RunOrigin::Computed;
};
AOTSCOPE_MEMBERS(NodeValue, node, tensors, origin)
using NodeValuePtr = std::shared_ptr<const NodeValue>;

/// An operator that is not registered here and was replaced by random values.
struct StandInOperator {
    /// "corpus.scaled_add"
    std::string target;
    /// How many nodes of the outermost graph use it.
    std::size_t nodes = 0;
};
AOTSCOPE_MEMBERS(StandInOperator, target, nodes)

/// How a graph ran on a backend.
struct RunFacts {
    std::uint64_t seed = 0;
    ir::SymbolBindings symbols;
    /// Why the run ended early, naming the node.
    std::optional<base::Error> error;
    std::int64_t nanoseconds = 0;
    std::string backend;
    /// What a person needs to judge the run: replaced devices, stand-ins.
    std::vector<std::string> notes;
};
AOTSCOPE_MEMBERS(RunFacts, seed, symbols, error, nanoseconds, backend, notes)

/// With what came out of it.
struct RunSnapshot : RunFacts {
    GraphSnapshotPtr graph;
    DeviceChoice device = {};
    std::vector<NodeRun> nodes;
    /// The largest NodeRun::aliveBytes of all nodes.
    std::int64_t peakBytes = 0;
    /// Returned values in order, if requested; no bytes for values that are not tensors.
    std::vector<aot::TensorData> outputs;
    /// The values that RunOptions::keepValues names, in program order.
    std::vector<NodeValuePtr> values;
    /// If not empty, the numbers are not those of the logged program; see NodeRun::origin.
    std::vector<StandInOperator> standIns = {};
    /// Kineto's trace as JSON, with RunOptions::profile. The session moves it into `profile`.
    std::string profileTrace = {};
    /// Null: the run was not profiled.
    ProfilePtr profile = nullptr;
};
AOTSCOPE_MORE_MEMBERS(RunSnapshot, RunFacts, graph, device, nodes, peakBytes, outputs, values, standIns,
                      profileTrace, profile)
using RunSnapshotPtr = std::shared_ptr<const RunSnapshot>;

/// An open profiler's trace beside graphs of other open files.
struct ProfileSnapshot {
    /// The trace.
    std::uint32_t log = 0;
    /// Never null.
    ProfilePtr profile;
};
using ProfileSnapshotPtr = std::shared_ptr<const ProfileSnapshot>;

/// A forward and its backward, run one after the other.
struct TrainingStepSnapshot {
    /// Neither is null, and both ran to the end.
    RunSnapshotPtr forward;
    RunSnapshotPtr backward;
    /// Both as one; null: they were not profiled.
    ProfilePtr profile = nullptr;
};
using TrainingStepSnapshotPtr = std::shared_ptr<const TrainingStepSnapshot>;

} // namespace aotscope::session

#pragma once

#include "session/reference.h"

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

#include "base/text_diff.h"
#include "base/text_lines.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the engine hands out: immutable values, shared by pointer, safe to read from any thread.
namespace aotscope::session {

struct GraphSnapshot;
struct RetraceSnapshot;

/// One opened file of the session: a trace log, or a file that holds graphs and nothing else (FX text as
/// PyTorch prints it, or graph JSON). For the latter `traceLog` is null, `graphs` has its graphs, and their
/// references carry an empty compile id ("-").
struct LogSnapshot {
    std::uint32_t log = 0;
    load::TraceLogPtr traceLog = nullptr;
    /// False while it is still being read (or followed).
    bool complete = true;
    std::filesystem::path path = {};
    /// Only of a graph file; never empty there. A single graph is named "graph", several by their place in
    /// the file ("units/0/joint").
    std::vector<std::shared_ptr<const GraphSnapshot>> graphs = {};
    /// `graphs` as artifacts, in the same order; a trace log lists its own by compile.
    load::ArtifactList artifacts = {};
};
using LogSnapshotPtr = std::shared_ptr<const LogSnapshot>;

/// Names an artifact of a compile of that log; without a name the compile itself.
[[nodiscard]] inline ArtifactReference referenceTo(const LogSnapshot& log, const load::Compile& compile,
                                                   std::string artifact = {}) {
    return {.log = log.log, .compile = compile.id, .artifact = std::move(artifact), .rank = compile.rank};
}

/// A graph with everything the views derive from it. When the text could not be parsed `graph` is null and
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
    /// Names of the graphs in an artifact that holds several ("aot_saved_tensors_hooks_graphs"): each is
    /// reached by the reference with that name as first element of `subgraph`. For the whole of such an
    /// artifact `graph` is null and `error` is session.several_graphs.
    std::vector<std::string> sections = {};
    /// Dynamo's source of each placeholder in order ("L['self']._modules['fc1']._parameters['weight']"), also
    /// of graphs whose own text does not tell; "" where unknown, no entries when none is known.
    std::vector<std::string> inputSources = {};
};
using GraphSnapshotPtr = std::shared_ptr<const GraphSnapshot>;

/// A graph's picture.
struct LayoutSnapshot {
    /// Its own among those of a session, from 1; 0: no session made it.
    std::uint64_t number = 0;
    GraphSnapshotPtr graph;
    layout::LayoutOptions options;
    /// Null where the graph could not be parsed; its `error` says why.
    layout::LayoutPtr layout;
    /// The trace with whose stages it was laid out; null: by itself.
    std::shared_ptr<const RetraceSnapshot> stagesOf = nullptr;
    /// What the graph, as one of the stages, does to the stage before it; null: nothing is before it.
    std::shared_ptr<const ir::GraphDiff> diff = nullptr;
};
using LayoutSnapshotPtr = std::shared_ptr<const LayoutSnapshot>;

/// What a record of a log carries, and where its parts are: found on the engine's thread, because it may be
/// hundreds of megabytes.
struct PayloadSnapshot {
    PayloadSnapshot() = default;
    // What was found points into the texts.
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
    /// Of `payload`; never null once it is handed out.
    base::TextLinesPtr lines;
    /// Of `payload` and `envelope`; null where they are no JSON.
    load::JsonOutlinePtr json;
    load::JsonOutlinePtr envelopeJson;
};
using PayloadSnapshotPtr = std::shared_ptr<const PayloadSnapshot>;

struct DiffSnapshot {
    GraphSnapshotPtr left;
    GraphSnapshotPtr right;
    ir::GraphDiff diff;
    std::string unifiedText;
};
using DiffSnapshotPtr = std::shared_ptr<const DiffSnapshot>;

/// Numbers of one tensor a node produced.
struct TensorSummary {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> stride;
    std::int64_t bytes = 0;
    /// Of the finite elements; empty for an empty tensor. A complex tensor is summarized by magnitude.
    std::optional<double> minimum;
    std::optional<double> mean;
    std::optional<double> maximum;
    std::int64_t nanCount = 0;
    std::int64_t infCount = 0;
};

/// Where a node's numbers come from.
enum class RunOrigin {
    /// Its operator, from the run's inputs.
    Computed,
    /// Random values of the logged shape, because its operator is not registered here.
    StandIn,
    /// Its operator, from values that follow from a stand-in.
    FollowsFromStandIn
};

/// One node's execution.
struct NodeRun {
    ir::NodeId node;
    std::int64_t nanoseconds = 0;
    /// Several for a node that returns a tuple.
    std::vector<TensorSummary> outputs;
    /// A symbolic or Python number's value, as text.
    std::string scalar;
    /// Logged metadata that the result contradicts, in words; empty: agrees.
    std::string mismatch;
    /// What a person must know to judge the result ("made up in place of corpus.scaled_add").
    std::string note = {};
    RunOrigin origin = RunOrigin::Computed;
    /// As LibTorch's allocator reports: bytes of intermediates alive when the node is done and what it read
    /// is not yet let go, and what it allocated on top while it ran and gave back by itself.
    std::int64_t aliveBytes = 0;
    std::int64_t scratchBytes = 0;
};

/// An operator that is not registered here, in whose place random values were put.
struct StandInOperator {
    /// "corpus.scaled_add"
    std::string target;
    /// How many nodes of the outermost graph need it.
    std::size_t nodes = 0;
};

/// A graph run on a backend.
struct RunSnapshot {
    GraphSnapshotPtr graph;
    std::uint64_t seed = 0;
    ir::SymbolBindings symbols;
    std::vector<NodeRun> nodes;
    std::int64_t nanoseconds = 0;
    /// The largest NodeRun::aliveBytes.
    std::int64_t peakBytes = 0;
    /// Returned values in order, when asked for; empty bytes for what is no tensor.
    std::vector<aot::TensorData> outputs;
    /// Why the run ended early; names the node.
    std::optional<base::Error> error;
    std::string backend;
    /// What a person must know to judge the whole run: devices replaced, operators stood in for.
    std::vector<std::string> notes = {};
    /// Not empty: the run is no run of the logged program, see NodeRun::origin.
    std::vector<StandInOperator> standIns = {};
};
using RunSnapshotPtr = std::shared_ptr<const RunSnapshot>;

/// The two halves of a training step, run one after the other.
struct TrainingStepSnapshot {
    /// Never null, and run to their ends.
    RunSnapshotPtr forward;
    RunSnapshotPtr backward;
};
using TrainingStepSnapshotPtr = std::shared_ptr<const TrainingStepSnapshot>;

} // namespace aotscope::session

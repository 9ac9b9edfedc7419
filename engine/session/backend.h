#pragma once

#include "aot/retrace.h"
#include "session/coverage.h"
#include "session/snapshots.h"
#include "session/trace_pause.h"

#include "base/progress.h"
#include "base/result.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::session {

struct RunOptions {
    std::uint64_t seed = 0;
    /// Values for symbols; the rest take the graph's hints, then a small default.
    ir::SymbolBindings symbols;
    /// Given inputs by placeholder name; the rest are made from metadata and seed.
    std::map<std::string, aot::TensorData> inputs;
    bool keepOutputs = false;
    /// Statistics (min, mean, max, NaN) cost a pass over each tensor.
    bool statistics = true;
};

/// Runs graphs. The session knows only this interface; the real one (engine/torch) lives in a module that is
/// opened when the first command needs it. One thread at a time calls it; while a trace is paused, another.
class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    /// "LibTorch 2.11.0 (CPU)"
    [[nodiscard]] virtual std::string description() const = 0;

    /// Runs a graph node by node. A node that fails ends the run: the snapshot holds what ran before and the
    /// error. Errors proper: run.unsupported_input (which placeholder and why), run.too_large,
    /// session.canceled.
    [[nodiscard]] virtual base::Result<RunSnapshot> run(const ir::Graph& graph, const RunOptions& options,
                                                        base::Progress progress) = 0;

    /// Compiles a function again as AOTAutograd does, on shapes alone. Errors: trace.unsupported (names the
    /// call that cannot be traced), trace.input, session.canceled. Where `pauses` are wanted it asks there
    /// and waits for the answers, on the calling thread.
    [[nodiscard]] virtual base::Result<aot::RetraceResult>
    retrace(const aot::RetraceRequest& request, const TracePauses& pauses, base::Progress progress) = 0;

    /// Every schema the dispatcher knows, one per line, sorted.
    [[nodiscard]] virtual std::vector<std::string> operatorSchemas() const = 0;

    /// What of PyTorch's own lists a retrace can do; area by area.
    [[nodiscard]] virtual std::vector<CoverageRow> coverage() const = 0;
};

/// Makes the backend on first use; an Error says what is missing and what to do.
using BackendFactory = std::function<base::Result<std::unique_ptr<Backend>>()>;

} // namespace aotscope::session

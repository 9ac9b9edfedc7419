#include "run/measuring/run_graph.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/inputs/tensor_data.h"
#include "run/measuring/run_recorder.h"
#include "run/reference/rounding_noise.h"
#include "run/state/memory_limit.h"

#include <chrono>
#include <functional>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// Runs `work` and returns any exception as an Error.
std::optional<base::Error> guarded(const std::function<void()>& work) {
    auto done = guardedResult("run.operator_failed", [&] {
        work();
        return true;
    });
    if (done) {
        return std::nullopt;
    }
    done.error().message = firstLine(done.error().message);
    return std::move(done).error();
}

/// Takes the trace of a run that succeeded. What fails is the run's error, or one more note of it.
void endProfile(ProfiledRun& profile, session::RunSnapshot& snapshot, std::optional<base::Error>& error) {
    if (!error) {
        error = guarded([&] { snapshot.profileTrace = profile.finish(); });
    } else if (const auto failed = guarded([&] { profile.discard(); })) {
        error->notes.push_back("LibTorch's profiler could not be ended: " + failed->message);
    }
}

} // namespace

base::Result<session::RunSnapshot> runGraph(const ir::Graph& graph, const session::RunOptions& options,
                                            const base::Progress& progress) {
    const PlainExecution plain{};
    session::RunSnapshot snapshot;
    snapshot.seed = options.seed;
    snapshot.device = options.device;
    RunContext context;

    std::vector<IValue> inputs;
    std::optional<CurrentPlace> current;
    if (auto error = guarded([&] {
            context = runContextOf(graph, options, progress);
            current.emplace(context.place);
            inputs = graphInputs(graph, options, context);
        })) {
        return *std::move(error);
    }
    seedGenerator(options.seed, context.place.device);
    // Outlives the recorder, whose open range must end before the profiler does, whatever is thrown.
    std::optional<ProfiledRun> profile;
    RunRecorder recorder(graph, options, context, snapshot, inputs);
    if (options.profile) {
        if (auto error = guarded([&] { profile.emplace(); })) {
            return *std::move(error);
        }
        recorder.markNodes();
    }
    const auto start = std::chrono::steady_clock::now();
    auto error = guarded([&] {
        try {
            std::optional<RoundingNoise> noise;
            if (options.roundingNoise) {
                noise.emplace(*options.roundingNoise);
            }
            const WatchScope watch(noise ? &*noise : nullptr);
            const std::vector<IValue> outputs = Executor(context).run(graph, std::move(inputs), &recorder);
            for (const IValue& output : outputs) {
                if (options.keepOutputs) {
                    snapshot.outputs.push_back(valueData(output));
                }
            }
        } catch (const KeptValuesComplete&) {
            // No later node is needed.
        }
    });
    snapshot.nanoseconds = nanosecondsSince(start);
    if (error && recorder.current().valid() && !base::isCanceled(*error)) {
        addNode(*error, graph.node(recorder.current()));
    }
    if (profile) {
        recorder.endMark();
        endProfile(*profile, snapshot, error);
    }
    if (error) {
        if (base::isCanceled(*error)) {
            return *std::move(error);
        }
        for (const session::StandInOperator& standIn : snapshot.standIns) {
            error->notes.push_back("Before it, results of " + standIn.target +
                                   " are synthetic: that operator is not registered here.");
        }
        snapshot.error = std::move(error);
    }
    snapshot.symbols = std::move(context.symbols);
    snapshot.notes = std::move(context.notes);
    return snapshot;
}

} // namespace aotscope::torch

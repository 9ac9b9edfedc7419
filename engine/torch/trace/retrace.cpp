#include "trace/retrace.h"

#include "trace/trace_attempts.h"

#include "decompositions/tables.h"
#include "fake/cuda_stand_in.h"
#include "fake/meta/real_zeros.h"
#include "ops/graph_state.h"
#include "run/dtypes.h"
#include "run/executor.h"
#include "run/failure.h"
#include "run/handled_error.h"
#include "trace/beside_eager.h"
#include "trace/dynamo_program.h"
#include "trace/export.h"
#include "trace/graph_capture.h"
#include "trace/pre_dispatch.h"
#include "trace/program_hints.h"
#include "trace/stages.h"
#include "trace/synthetic_bases.h"
#include "trace/trace_pauser.h"
#include "trace/trace_thread.h"
#include "trace/traced_inputs.h"

#include "base/log.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace aotscope::torch {

namespace {

bool needsGradient(const std::vector<TracedInput>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const TracedInput& input) { return input.requiresGrad; });
}

bool onCuda(const ir::Graph& program) {
    const auto order = program.order();
    return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
        const ir::TensorMeta* meta = ir::asTensor(program.node(id).value);
        return meta != nullptr && meta->device && meta->device->type == "cuda";
    });
}

/// What a node's number is called; empty: it is none.
std::string symbolText(const ir::Node& node) {
    const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
    return symbol == nullptr ? std::string() : std::string(symbol->expression.text());
}

/// The way of one function through AOTAutograd.
class FunctionTrace {
public:
    FunctionTrace(const aot::RetraceRequest& request, base::Progress progress, TracePauser* pauser,
                  SymbolChoice choice)
        : m_request(request),
          m_progress(std::move(progress)),
          m_pauser(pauser),
          m_choice(std::move(choice)),
          m_program(request.program, m_position, m_progress) {}

    /// Throws RunFailure, c10::Error, Canceled, TraceRestart.
    aot::RetraceResult run();
    /// Of a trace that failed: the guard it may go through with. Empty: none is known.
    [[nodiscard]] std::string neededGuard() const;

private:
    void watch();
    void makeCall();
    void collect();
    void mergeViews();
    void choosePath(aot::RetraceResult& result);
    [[nodiscard]] bool exportedAs(bool aot::ExportOptions::*option) const {
        return m_request.exported && (*m_request.exported).*option;
    }
    /// Exported for others to compile, not called as the program is: a loss and no tangents.
    [[nodiscard]] bool isModuleExport() const { return m_request.exported && !m_request.exported->simple; }
    [[nodiscard]] CaptureContext context();
    [[nodiscard]] ir::Graph capture();

    const aot::RetraceRequest& m_request;
    base::Progress m_progress;
    TracePauser* m_pauser;
    SymbolChoice m_choice;
    ProgramPosition m_position;
    DynamoProgram m_program;
    ShapeEnvironment m_environment;
    StateCalls m_stateCalls;
    TracedProgram m_call;
    std::vector<TracedInput> m_inputs;
    std::vector<std::size_t> m_staticIndices;
    CollectedMetadata m_metadata;
    std::map<std::string, at::Tensor, std::less<>> m_constants;
    bool m_autograd = false;
};

std::string FunctionTrace::neededGuard() const {
    if (!m_environment.neededGuard().empty()) {
        return m_environment.neededGuard();
    }
    // A size that LibTorch's code took as the number it is: its other values no longer fit what was computed.
    const std::vector<std::string> equal = newlyFoundEqual(m_environment.guards(), m_choice);
    return equal.empty() ? std::string() : equal.front();
}

void FunctionTrace::watch() {
    m_program.orderAttributes([&](const ir::Node& node) { return attributeOf(m_request, node).isBuffer; });
    m_program.onNode = [&](const ir::Node& node, const std::set<std::string>& unbacked) {
        m_environment.enterNode(&node, node.name, unbacked);
        m_environment.setKnownFloat(knownFloat(node, m_request.floatHints));
        m_environment.setUnnamed(unbacked.empty() ? symbolText(node) : std::string());
        m_environment.setKnownInt(knownCount(node));
    };
    setNumberSymbols({m_request.numberSymbols.begin(), m_request.numberSymbols.end()});
    for (const std::string& fact : m_choice.found) {
        m_environment.takeFact(fact, false);
    }
    for (const std::string& guard : knownGuards(m_request)) {
        m_environment.takeKnown(guard);
    }
    m_environment.takeAsserted(m_program.assertedRelations());
    m_program.continueCheckpoints(m_request.earlierCheckpoints);
    m_environment.setUnbackedCounts(m_request.unbackedNumbers, m_request.unbackedFloats);
    m_environment.onGuard = [&](aot::RetraceGuard& guard) {
        placeGuard(guard, m_position);
        if (m_pauser != nullptr) {
            m_pauser->guardAdded(guard);
        }
    };
    if (m_request.exported) {
        m_program.onCall = [&](const ops::NodeCall& call) {
            assertConverted(call);
            if (m_request.exported->preDispatch && m_position.recorder() != nullptr) {
                m_stateCalls.record(*m_position.recorder(), call);
            }
        };
    }
    if (m_pauser != nullptr) {
        m_pauser->begin(m_environment, m_position);
    }
    for (const std::string& fact : m_choice.given) {
        m_environment.takeFact(fact);
    }
}

void FunctionTrace::makeCall() {
    m_inputs = makeInputs(m_request, m_program, m_environment, m_choice);
    if (m_pauser != nullptr) {
        for (const std::string& guard : m_choice.found) {
            m_pauser->guardFound(guard);
        }
    }
    m_staticIndices = staticInputs(m_request, m_program.attributes().size());
    m_call = [this, given = m_inputs](std::vector<c10::IValue> arguments) {
        // What was answered of an input's data holds for one pass.
        for (const TracedInput& input : given) {
            if (FakeTensorImpl* fake = input.value.isTensor() ? asFake(input.value.toTensor()) : nullptr) {
                fake->memo() = {};
            }
        }
        return m_program(std::move(arguments));
    };
    if (isModuleExport() && m_request.exported->joint) {
        m_call = withLoss(std::move(m_call), m_request.exported->loss);
    }
}

void FunctionTrace::collect() {
    // An exported graph hands changed inputs out: it has no caller whose tensors it could write to.
    const bool keepInputMutations = m_request.keepInputMutations && !m_request.exported;
    m_metadata = collectMetadata(m_call, m_inputs, keepInputMutations, m_environment,
                                 exportedAs(&aot::ExportOptions::preDispatch));
}

void FunctionTrace::mergeViews() {
    const bool inference = !needsGradient(m_inputs) || !m_metadata.needsGrad;
    auto merged = mergeViewInputs(m_inputs, m_metadata.meta, inference, m_environment);
    if (!merged) {
        return;
    }
    if (m_request.exported) {
        refuseAliasedInputs();
    }
    // As PyTorch's wrapper does: the function of the bases is looked at anew.
    m_inputs = std::move(merged->inputs);
    m_call = [inner = std::move(m_call), unpack = std::move(merged->unpack)](
                 std::vector<c10::IValue> arguments) { return inner(unpack(std::move(arguments))); };
    std::vector<std::size_t> moved;
    for (const std::size_t index : m_staticIndices) {
        if (merged->newIndex[index]) {
            moved.push_back(*merged->newIndex[index]);
        }
    }
    m_staticIndices = std::move(moved);
    const std::size_t tangents = m_metadata.tangents.size();
    const std::vector<ir::InputAliasInfo> before = m_metadata.meta.inputInfo;
    collect();
    describeBases(*merged, before, m_metadata.meta);
    if (!inference && m_metadata.tangents.size() != tangents) {
        fail(
            "trace.alias",
            "Several inputs that are views of one tensor are changed, and autograd sees it: AOTAutograd then "
            "expects " +
                std::to_string(tangents) + " tangents where " + std::to_string(m_metadata.tangents.size()) +
                " values want gradients, and fails.",
            "PyTorch does not compile this either: change a copy, or detach the inputs.");
    }
}

void FunctionTrace::choosePath(aot::RetraceResult& result) {
    const bool anyGrad = needsGradient(m_inputs);
    const bool preDispatch = exportedAs(&aot::ExportOptions::preDispatch);
    m_autograd = anyGrad && m_metadata.needsGrad && !preDispatch;
    m_metadata.meta.isTrain = m_autograd;
    result.path = m_request.exported ? aot::TracePath::Export
                  : m_autograd       ? aot::TracePath::Autograd
                                     : aot::TracePath::Inference;
    result.joint = m_autograd && !(isModuleExport() && m_request.exported->joint);
    const std::string why = m_autograd               ? "an output or a mutated input requires grad"
                            : !m_request.gradEnabled ? "compiled under no_grad"
                            : anyGrad ? "inputs require grad, but no output and no mutated input does"
                                      : "no input requires grad";
    result.reason = !m_request.exported         ? why
                    : preDispatch               ? "exported before autograd sees it"
                    : m_autograd                ? "exported with the backward: " + why
                    : m_request.exported->joint ? "exported without a backward: " + why
                                                : "exported, the forward alone";
}

CaptureContext FunctionTrace::context() {
    CaptureContext context{
        m_position, m_environment, decompositionTable(m_request.decompositions),
        [stop = m_progress.stopToken(), pauser = m_pauser](GraphRecorder& recorder, const ir::Node& node) {
            if (stop.stop_requested()) {
                throw Canceled{};
            }
            if (pauser != nullptr) {
                pauser->beforeNode(recorder, node);
            }
        }};
    context.preDispatch = exportedAs(&aot::ExportOptions::preDispatch);
    context.fromOnes = isModuleExport();
    context.constants = &m_constants;
    return context;
}

ir::Graph FunctionTrace::capture() {
    const CaptureContext given = context();
    if (!m_autograd) {
        return captureInferenceGraph(m_call, m_inputs, m_metadata, given);
    }
    ir::Graph joint = captureJointGraph(m_call, m_inputs, m_metadata, given);
    return isModuleExport() && m_request.exported->joint
               ? flattenJointGraph(joint, m_inputs, m_metadata, given, m_progress)
               : std::move(joint);
}

aot::RetraceResult FunctionTrace::run() {
    const auto start = std::chrono::steady_clock::now();
    if (m_request.exported) {
        checkExportRequest(m_request);
    }
    // Without a backward to trace, export keeps autograd out of it.
    const bool noGrad = m_request.exported && !m_request.exported->joint && !m_request.exported->preDispatch;
    const c10::AutoGradMode grad(c10::GradMode::is_enabled() && !noGrad);
    watch();
    makeCall();
    collect();
    if (m_request.exported) {
        checkExportedInputs(*m_request.exported, m_inputs, m_metadata.meta);
    }
    const std::vector<TracedInput> programInputs = m_inputs;
    mergeViews();
    m_metadata.meta.staticInputIndices = std::move(m_staticIndices);
    if (exportedAs(&aot::ExportOptions::simple)) {
        checkSameCalls(m_inputs, m_metadata.meta);
    }
    aot::RetraceResult result;
    choosePath(result);
    ir::Graph graph = capture();
    result.guards = m_environment.guards();
    result.graph = ir::Graph::freeze(std::move(graph));
    result.metadata = std::move(m_metadata.meta);
    result.nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
            .count();
    for (const std::string& name : takeRealZerosOperators()) {
        result.notes.push_back("The shape of " + name +
                               " was found by running it on zeros: no rule for it is known.");
    }
    // What is asked from here on is no guard of the trace.
    m_environment.onGuard = nullptr;
    if (m_request.numbers) {
        if (onCuda(*m_request.program)) {
            result.numbers.emplace().skipped = "the program runs on a GPU";
        } else {
            result.numbers = runBesideEager({m_call, m_inputs, result.metadata, *result.graph, m_constants,
                                             m_environment.bindings(0), m_progress});
        }
    }
    if (m_request.stages && !m_request.exported) {
        result.stages = traceStages({m_program, programInputs, m_call, m_inputs,
                                     decompositionTable(m_request.decompositions),
                                     m_request.keepInputMutations, m_position, m_environment, m_progress},
                                    m_request.program, result.graph);
    }
    return result;
}

aot::RetraceResult retraceOrThrow(const aot::RetraceRequest& request, base::Progress progress,
                                  TracePauser* pauser, SymbolChoice choice = {}) {
    FunctionTrace trace(request, std::move(progress), pauser, std::move(choice));
    try {
        return trace.run();
    } catch (const Canceled&) {
        throw; // Whatever it had found by then.
    } catch (const std::exception&) {
        if (const std::string guard = trace.neededGuard(); pauser == nullptr && !guard.empty()) {
            throw GuardNeeded(guard);
        }
        throw;
    }
}

/// A choice, and what is to be told of how it came about.
struct SettledChoice {
    SymbolChoice choice;
    std::vector<std::string> notes;
};

/// What a trace of the same that nobody looks at settles on: a trace that pauses is not begun anew with sizes
/// found equal, since its breakpoints would be hit once more in each attempt. Where nothing goes through it
/// is what was tried last, so that breakpoints are hit up to where that fails.
SettledChoice settledChoice(aot::RetraceRequest request, const base::Progress& progress,
                            const std::vector<std::string>& facts) {
    SettledChoice settled;
    settled.choice.given = facts;
    if (request.program->symbols().empty()) {
        return settled;
    }
    request.stages = false;
    request.numbers = false;
    try {
        settled.notes = inAttempts(request.symbolHints.size(), [&](const SymbolChoice& choice) {
                            settled.choice = choice;
                            settled.choice.given = facts;
                            return retraceOrThrow(request, progress, nullptr, settled.choice);
                        }).notes;
    } catch (const Canceled&) {
        throw;
    } catch (const std::exception&) {
        // The trace that is looked at fails in the same way, and says so.
        settled.notes.clear();
    }
    return settled;
}

/// The same with pauses, begun anew for each fact that is taken.
aot::RetraceResult retraceWithPauses(const aot::RetraceRequest& request, const session::TracePauses& pauses,
                                     const base::Progress& progress) {
    TracePauser pauser(pauses);
    for (;;) {
        const auto waitedBefore = pauser.waited();
        try {
            const SettledChoice settled = settledChoice(request, progress, pauser.facts());
            aot::RetraceResult result = retraceOrThrow(request, progress, &pauser, settled.choice);
            for (const std::string& note : settled.notes) {
                if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) {
                    result.notes.push_back(note);
                }
            }
            result.nanoseconds -= (pauser.waited() - waitedBefore).count();
            return result;
        } catch (const TraceRestart&) {
            base::logDebug("aotscope.trace", "begun anew with the fact " + pauser.facts().back());
        }
    }
}

base::Result<aot::RetraceResult> retraceHere(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses, base::Progress progress) {
    try {
        if (onCuda(*request.program)) {
            installCudaStandIn();
        }
        const c10::AutoGradMode grad(request.gradEnabled);
        ops::GraphState ambient;
        for (const aot::AmbientAutocast& autocast : request.autocasts) {
            // PyTorch traces without the cache of casts: each cast is a node.
            ambient.enterAutocast(c10::Device(autocast.device).type(), scalarType(autocast.dtype), true,
                                  false);
        }
        return pauses.wanted() ? retraceWithPauses(request, pauses, progress)
                               : inAttempts(request.symbolHints.size(), [&](const SymbolChoice& choice) {
                                     return retraceOrThrow(request, progress, nullptr, choice);
                                 });
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        return handledError("trace.unsupported");
    }
}

} // namespace

base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                         const session::TracePauses& pauses, base::Progress progress,
                                         TraceThread& thread) {
    if (pauses.wanted()) {
        // Pauses are answered on the thread that asked for the trace.
        thread.finish();
        return retraceHere(request, pauses, std::move(progress));
    }
    const std::stop_token stop = progress.stopToken();
    return thread.run([request, stop] { return retraceHere(request, {}, base::Progress({}, stop)); }, stop);
}

} // namespace aotscope::torch

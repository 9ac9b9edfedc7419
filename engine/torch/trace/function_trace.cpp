#include "trace/function_trace.h"

#include "dispatch/failure.h"
#include "dispatch/libtorch_release.h"
#include "run/execution/executor.h"
#include "run/inputs/tensor_data.h"
#include "trace/eager_numbers.h"
#include "trace/export.h"
#include "trace/input_wrappers.h"
#include "trace/program_hints.h"
#include "trace/stages.h"
#include "trace/tangent_metas.h"
#include "trace/trace_attempts.h"
#include "trace/traced_inputs.h"

#include "aot/input_aliases.h"
#include "aot/versions/versions.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace aotscope::torch {

namespace {

bool needsGradient(const std::vector<TracedInput>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const TracedInput& input) { return input.requiresGrad; });
}

/// The symbolic expression of a node's value, or of a size of it; empty for other values.
std::string symbolText(const ir::Node& node) {
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
        return std::string(symbol->expression.text());
    }
    const ir::TensorMeta* tensor = ir::asTensor(node.value);
    const auto isSymbolic = [](const ir::SymInt& size) { return size.isSymbolic(); };
    const auto size = tensor == nullptr
                          ? ir::SymInts::const_iterator()
                          : std::find_if(tensor->shape.begin(), tensor->shape.end(), isSymbolic);
    return tensor == nullptr || size == tensor->shape.end() ? std::string()
                                                            : std::string(size->expression().text());
}

/// Whether a tensor is passed twice. Tensors are numbered in the order in which they first appear.
bool anyRepeated(const std::vector<aot::TracedArgument>& arguments) {
    std::size_t tensors = 0;
    return std::any_of(arguments.begin(), arguments.end(), [&](const aot::TracedArgument& argument) {
        return argument.tensor && argument.tensor->tensor != tensors++;
    });
}

aot::CompileConfiguration configurationOf(const aot::RetraceRequest& request) {
    aot::CompileConfiguration configuration;
    configuration.torch = request.torch;
    // An exported graph returns mutated inputs as outputs and writes to none.
    configuration.keepInferenceInputMutations = request.keepInputMutations && !request.export_;
    configuration.decompositions = request.decompositions;
    configuration.decomposedOperators = request.decomposedOperators;
    configuration.state = request.state;
    configuration.export_ = request.export_;
    configuration.functorch = request.functorch.value_or(aot::defaultConfig(request.torch));
    return configuration;
}

} // namespace

FunctionTrace::FunctionTrace(const aot::RetraceRequest& request, base::Progress progress, TracePauser* pauser,
                             SymbolChoice choice)
    : m_request(request),
      m_configuration(configurationOf(request)),
      m_chosenDecompositions(decompositionsOf(request.decomposedOperators)),
      m_progress(std::move(progress)),
      m_pauser(pauser),
      m_choice(std::move(choice)),
      m_environment(aot::torchRules(request.torch).trace),
      m_program(request.program, m_position, m_progress, m_environment.rules()) {}

bool onCuda(const ir::Graph& program) {
    const auto order = program.order();
    return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
        const ir::TensorMeta* meta = ir::asTensor(program.node(id).value);
        return meta != nullptr && meta->device && meta->device->type == "cuda";
    });
}

const DecompositionSet* FunctionTrace::decompositions() const {
    const DrawTable draws = !m_configuration.functorch.inductorFallbackRandom ? DrawTable::Decomposed
                            : m_environment.rules().decompositions.drawsLikeTensorsMayFallBack
                                ? DrawTable::Kept
                                : DrawTable::KeptButLikes;
    return m_request.decompositions == aot::DecompositionTable::Chosen
               ? &m_chosenDecompositions
               : decompositionTable(m_request.decompositions, draws);
}

std::string FunctionTrace::requiredGuard() const {
    if (!m_environment.requiredGuard().empty()) {
        return m_environment.requiredGuard();
    }
    // LibTorch's code specialized a size, so that its other sampled values no longer fit the computed
    // results.
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
    if (m_request.returnsTree) {
        m_program.keepTree();
        m_environment.nameUnbackedFrom(m_request.unbackedNumbers);
    }
    m_environment.notesChangedOperators = aot::rulesVersion(m_request.torch) != libTorchVersion;
    m_environment.setNumberSymbols({m_request.numberSymbols.begin(), m_request.numberSymbols.end()});
    for (const std::string& fact : m_choice.required) {
        m_environment.takeFact(ir::SymExpr(fact), false);
    }
    for (const ir::SymExpr& guard : knownGuards(m_request)) {
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
    if (m_request.export_) {
        m_program.onCall = [&](const ops::NodeCall& call) {
            assertConverted(call);
            if (m_request.export_->preDispatch && m_position.recorder() != nullptr) {
                m_stateCalls.record(*m_position.recorder(), call);
            }
        };
    }
    if (m_pauser != nullptr) {
        m_pauser->begin(m_environment, m_position);
    }
    for (const std::string& fact : m_choice.stated) {
        m_environment.takeFact(ir::SymExpr(fact));
    }
}

MetadataOptions FunctionTrace::metadataOptions() const {
    return {.keepInputMutations = m_configuration.keepInferenceInputMutations,
            .guessTangentStridesAsOutputs = m_configuration.functorch.guessTangentStridesAsOutputs,
            .preDispatch = exportedAs(&aot::ExportOptions::preDispatch)};
}

CollectedMetadata FunctionTrace::collect(const WrappedProgram& program) {
    return collectMetadata(program.call, program.inputs, metadataOptions(), m_environment);
}

WrappedProgram FunctionTrace::describedProgram() {
    WrappedProgram program;
    program.inputs = makeInputs(m_request, m_program, m_environment, m_choice);
    if (m_pauser != nullptr) {
        for (const std::string& guard : m_choice.required) {
            m_pauser->guardFound(guard);
        }
    }
    program.staticIndices = staticInputs(m_request, m_program.attributes().size());
    program.call = [this, given = program.inputs](std::vector<c10::IValue> arguments) {
        // Memoized answers about an input's data (item, nonzero) hold for one pass.
        for (const TracedInput& input : given) {
            if (FakeTensorImpl* fake = input.value.isTensor() ? asFake(input.value.toTensor()) : nullptr) {
                fake->memo() = {};
            }
        }
        return m_program(std::move(arguments));
    };
    if (isModuleExport() && m_request.export_->joint) {
        program.call = withLoss(std::move(program.call), m_request.export_->loss);
    }
    program.metadata = collect(program);
    return program;
}

bool FunctionTrace::needsAutograd() const {
    return m_described.metadata.needsGrad && needsGradient(m_described.inputs);
}

void FunctionTrace::choosePath(aot::CompiledFunction& function) const {
    const bool anyGrad = needsGradient(m_described.inputs);
    const bool preDispatch = exportedAs(&aot::ExportOptions::preDispatch);
    const bool autograd = isJoint();
    function.path = m_request.export_ ? aot::TracePath::Export
                    : autograd        ? aot::TracePath::Autograd
                                      : aot::TracePath::Inference;
    function.joint = autograd && !(isModuleExport() && m_request.export_->joint);
    const std::string why = autograd                       ? "an output or a mutated input requires grad"
                            : !m_request.state.gradEnabled ? "compiled under no_grad"
                            : anyGrad ? "inputs require grad, but no output and no mutated input does"
                                      : "no input requires grad";
    function.reason = !m_request.export_         ? why
                      : preDispatch              ? "exported before autograd sees it"
                      : autograd                 ? "exported with the backward: " + why
                      : m_request.export_->joint ? "exported without a backward: " + why
                                                 : "exported, the forward alone";
}

aot::CompiledFunction FunctionTrace::metadataStage(aot::CompiledFunction function) {
    watch();
    m_described = describedProgram();
    if (m_request.export_) {
        checkExportedInputs(*m_request.export_, m_described.inputs, m_described.metadata.meta);
    }
    choosePath(function);
    function.metadata = m_described.metadata.meta;
    return function;
}

WrappedProgram FunctionTrace::withoutDuplicates(WrappedProgram program, const aot::WrapperStep& step) {
    const auto& wrapper = std::get<aot::AOTDedupeWrapper>(step.wrapper);
    program.inputs = dedupedInputs(program.inputs, wrapper);
    if (!step.applies) {
        return program;
    }
    program.call = withDuplicates(std::move(program.call), wrapper);
    program.staticIndices = movedIndices(program.staticIndices, wrapper);
    const ir::ViewAndMutationMeta before = std::move(program.metadata.meta);
    program.metadata = collect(program);
    ir::ViewAndMutationMeta& meta = program.metadata.meta;
    meta.subclassInpMeta.emplace();
    meta.subclassFwGraphOutMeta.emplace();
    meta.subclassTangentMeta = tangentMetasWithoutDuplicates(before, meta.tracedTangentsDescs);
    return program;
}

WrappedProgram FunctionTrace::withMergedViews(WrappedProgram program, const aot::WrapperStep& step) {
    if (!step.applies) {
        return program;
    }
    const auto& wrapper = std::get<aot::AOTSyntheticBaseWrapper>(step.wrapper);
    program.call = viewedOnBases(std::move(program.call), wrapper, program.inputs);
    program.inputs = inputsWithBases(program.inputs, wrapper, m_environment);
    program.staticIndices = movedIndices(program.staticIndices, wrapper);
    const CollectedMetadata before = std::move(program.metadata);
    // The function now takes synthetic bases, so its metadata is collected again.
    program.metadata = collect(program);
    ir::ViewAndMutationMeta& meta = program.metadata.meta;
    meta.subclassInpMeta.emplace();
    meta.subclassFwGraphOutMeta.emplace();
    meta.subclassTangentMeta = tangentMetasWithBases(before.meta, meta);
    describeBases(wrapper, meta);
    // PyTorch keeps the views of the outputs as they were recorded on the arguments. At a call they are
    // applied to the base in whose place they now stand, which can be another view than the program's.
    for (std::size_t i = 0; i < meta.outputInfo.size(); ++i) {
        meta.outputInfo[i].views =
            i < before.meta.outputInfo.size() ? before.meta.outputInfo[i].views : std::nullopt;
    }
    program.metadata.metadataMutations = wrapper.aliasedArgIdxWithMetadataMutations.size();
    const std::size_t tangents = before.tangents.size();
    if (wrapper.traceJoint && program.metadata.tangents.size() != tangents) {
        fail("trace.alias",
             "Several inputs that are views of one tensor are changed under autograd: AOTAutograd then "
             "expects " +
                 std::to_string(tangents) + " tangents, but " +
                 std::to_string(program.metadata.tangents.size()) + " values need gradients, so it fails.",
             "PyTorch does not compile this either: change a copy, or detach the inputs.");
    }
    return program;
}

aot::CompiledFunction FunctionTrace::preCompileStage(aot::CompiledFunction function) {
    const bool isExport = m_request.export_.has_value();
    WrappedProgram program = m_described;
    std::vector<aot::TracedArgument> arguments = describeArguments(program.inputs);
    aot::WrapperStep duplicates =
        valueOrThrow(aot::dedupeArguments(arguments, program.metadata.meta.inputInfo, isExport));
    if (anyRepeated(arguments)) {
        program = withoutDuplicates(std::move(program), duplicates);
        arguments = describeArguments(program.inputs);
    }
    aot::WrapperStep bases = valueOrThrow(aot::mergeViewInputs(
        arguments, program.metadata.meta.inputInfo, m_environment.bindings(0), needsAutograd(), isExport));
    m_wrapped = withMergedViews(std::move(program), bases);
    if (!m_environment.rules().metadataIsThatOfBothPaths) {
        m_wrapped.metadata.meta.isTrain = isJoint();
        if (needsGradient(m_described.inputs) && !needsAutograd()) {
            // The metadata is that of the inference graph, of which AOTAutograd copies some fields alone.
            m_wrapped.metadata.meta.gradEnabledMutation.reset();
        }
    }
    m_wrapped.metadata.meta.staticInputIndices = m_wrapped.staticIndices;
    function.wrappers.clear();
    function.wrappers.push_back(std::move(duplicates));
    function.wrappers.push_back(std::move(bases));
    function.metadata = m_wrapped.metadata.meta;
    return function;
}

aot::CompiledFunction FunctionTrace::compile() {
    const auto stage = [this](aot::CompiledFunction (FunctionTrace::*method)(aot::CompiledFunction)) {
        return [this, method](aot::CompiledFunction function) {
            return base::Result<aot::CompiledFunction>((this->*method)(std::move(function)));
        };
    };
    const aot::TracingStages stages{.metadata = stage(&FunctionTrace::metadataStage),
                                    .preCompileWrappers = stage(&FunctionTrace::preCompileStage),
                                    .trace = stage(&FunctionTrace::traceStage)};
    aot::CompiledFunction begun;
    begun.program = m_request.program;
    begun.configuration = m_configuration;
    aot::Observer observer;
    if (m_pauser != nullptr) {
        observer = [this](const aot::Action& action) {
            m_pauser->atStage(action);
            return aot::Answer::GoOn;
        };
    }
    return valueOrThrow(aot::compile(std::move(begun), {.tracing = &stages}, m_progress, observer));
}

void FunctionTrace::addNumbers(aot::RetraceResult& result) {
    if (onCuda(*m_request.program)) {
        result.numbers.emplace().skipped = "the program runs on a GPU";
        return;
    }
    result.numbers = runForEagerNumbers({m_wrapped.call, m_wrapped.inputs, result.function, m_constants,
                                         m_environment.bindings(0), m_progress});
}

void FunctionTrace::addStages(aot::RetraceResult& result) {
    result.stages = traceStages({m_program, m_described.inputs, m_wrapped.call, m_wrapped.inputs,
                                 decompositions(), metadataOptions(), m_position, m_environment, m_progress},
                                m_request.program, result.function.graph);
}

aot::RetraceResult FunctionTrace::run() {
    const auto start = std::chrono::steady_clock::now();
    if (m_request.export_) {
        checkExportRequest(m_request);
    }
    // Export of the forward alone runs under no_grad.
    const bool noGrad = m_request.export_ && !m_request.export_->joint && !m_request.export_->preDispatch;
    const c10::AutoGradMode grad(c10::GradMode::is_enabled() && !noGrad);
    aot::RetraceResult result{.function = compile()};
    result.nanoseconds = nanosecondsSince(start);
    for (const std::string& name : m_environment.ranOnZeros) {
        result.notes.push_back("The shape of " + name +
                               " was found by running it on zeros, because it has no shape rule.");
    }
    result.changedOperators = m_environment.changedOperators;
    for (const auto& [name, constant] : m_constants) {
        aot::TensorData data = tensorData(constant.detach());
        if (constant.numel() == 0 || !data.bytes.empty()) {
            result.function.constants.emplace(name, std::move(data));
        }
    }
    // Guards evaluated after this point do not belong to the trace.
    m_environment.onGuard = nullptr;
    if (m_request.numbers) {
        addNumbers(result);
    }
    if (m_request.stages && !m_request.export_) {
        addStages(result);
    }
    return result;
}

} // namespace aotscope::torch

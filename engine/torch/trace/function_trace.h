#pragma once

#include "decompositions/tables.h"
#include "fake/shape_environment.h"
#include "ops/graph_state.h"
#include "trace/collect_metadata.h"
#include "trace/dynamo_program.h"
#include "trace/graph_capture.h"
#include "trace/pre_dispatch.h"
#include "trace/program_position.h"
#include "trace/trace_pauser.h"
#include "trace/traced_program.h"

#include "aot/compile.h"
#include "aot/retrace.h"

#include "base/progress.h"

#include <map>
#include <string>
#include <vector>

namespace aotscope::torch {

/// What is traced: the program behind the wrappers of its inputs, and what is known of it.
struct WrappedProgram {
    TracedProgram call;
    std::vector<TracedInput> inputs;
    std::vector<std::size_t> staticIndices;
    CollectedMetadata metadata;
};

/// One function on its way through AOTAutograd: implements the stages of aot::compile that need LibTorch, and
/// holds the state they share (fake tensors, symbols, the wrapped program). Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: aot_stage1_graph_capture.
class FunctionTrace {
public:
    /// `request` and `pauser` must outlive this object; `pauser` may be null.
    FunctionTrace(const aot::RetraceRequest& request, base::Progress progress, TracePauser* pauser,
                  SymbolChoice choice);

    /// Throws RunFailure, c10::Error, Canceled, TraceRestart.
    [[nodiscard]] aot::RetraceResult run();
    /// After a failed trace: a guard with which it may succeed; empty when none is known.
    [[nodiscard]] std::string requiredGuard() const;

private:
    void watch();
    [[nodiscard]] CollectedMetadata collect(const WrappedProgram& program);
    [[nodiscard]] WrappedProgram describedProgram();
    [[nodiscard]] WrappedProgram withoutDuplicates(WrappedProgram program, const aot::WrapperStep& step);
    [[nodiscard]] WrappedProgram withMergedViews(WrappedProgram program, const aot::WrapperStep& step);
    void choosePath(aot::CompiledFunction& function) const;
    // Stages of aot::compile.
    [[nodiscard]] aot::CompiledFunction metadataStage(aot::CompiledFunction function);
    [[nodiscard]] aot::CompiledFunction preCompileStage(aot::CompiledFunction function);
    [[nodiscard]] aot::CompiledFunction traceStage(aot::CompiledFunction function);
    [[nodiscard]] aot::CompiledFunction compile();
    void addNumbers(aot::RetraceResult& result);
    void addStages(aot::RetraceResult& result);

    [[nodiscard]] bool exportedAs(bool aot::ExportOptions::*option) const {
        return m_request.export_ && (*m_request.export_).*option;
    }
    /// Whether this is an aot_export_module: the joint graph has a loss and no tangents.
    [[nodiscard]] bool isModuleExport() const { return m_request.export_ && !m_request.export_->simple; }
    /// Whether any gradient is needed, and whether a joint graph is traced.
    [[nodiscard]] bool needsAutograd() const;
    [[nodiscard]] bool isJoint() const {
        return needsAutograd() && !exportedAs(&aot::ExportOptions::preDispatch);
    }
    [[nodiscard]] MetadataOptions metadataOptions() const;
    /// Null: none.
    [[nodiscard]] const DecompositionSet* decompositions() const;
    [[nodiscard]] CaptureContext context();
    [[nodiscard]] ir::GraphBuilder capture();

    const aot::RetraceRequest& m_request;
    aot::CompileConfiguration m_configuration;
    DecompositionSet m_chosenDecompositions;
    base::Progress m_progress;
    TracePauser* m_pauser;
    SymbolChoice m_choice;
    ProgramPosition m_position;
    ShapeEnvironment m_environment;
    DynamoProgram m_program;
    StateCalls m_stateCalls;
    /// From the metadata stage: before duplicates are removed and aliased inputs merged.
    WrappedProgram m_described;
    /// From the pre-compile stage.
    WrappedProgram m_wrapped;
    std::map<std::string, at::Tensor, std::less<>> m_constants;
};

/// Whether a program has values on a GPU.
[[nodiscard]] bool onCuda(const ir::Graph& program);

} // namespace aotscope::torch

#pragma once

#include "aot/compile_configuration.h"
#include "aot/compiled_function.h"
#include "aot/tensor_data.h"
#include "ir/graph.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// A request to compile a graph again with the engine's AOTAutograd, and its result.
namespace aotscope::aot {

/// What is known of a graph input beyond its placeholder's metadata.
struct RetraceInput {
    bool requiresGrad = false;
    bool isLeaf = true;
    bool isParameter = false;
    /// Inputs with the same number share one storage; -1: shared with no other input.
    std::int64_t storage = -1;
    /// In elements from the start of the storage.
    std::int64_t storageOffset = 0;
    std::optional<std::int64_t> storageBytes;
    /// Metadata of the tensor that it is a view of (`_base`), including requires_grad; nothing for an input
    /// that is not a view. All views of one storage have the same base.
    std::optional<ir::TensorMeta> viewBase;
    /// Its address is the same in every call (parameters, buffers).
    bool isStatic = false;
    /// Index of an earlier input that is the same tensor. Dynamo never passes one twice, other callers may.
    std::optional<std::size_t> duplicateOf = {};
};
AOTSCOPE_MEMBERS(RetraceInput, requiresGrad, isLeaf, isParameter, storage, storageOffset, storageBytes,
                 viewBase, isStatic, duplicateOf)

/// A parameter or buffer of the module that the function belongs to.
struct RetraceAttribute {
    std::string name;
    RetraceInput input;
    bool isBuffer = false;
};
AOTSCOPE_MEMBERS(RetraceAttribute, name, input, isBuffer)

/// A tensor that the function assigns to an attribute of its module.
struct AssignedAttribute {
    /// "L['self'].cache"
    std::string name;
    friend bool operator==(const AssignedAttribute&, const AssignedAttribute&) = default;
};
AOTSCOPE_MEMBERS(AssignedAttribute, name)

/// A function to compile, and how.
struct RetraceRequest {
    /// The release that wrote the program: its rules apply.
    TorchVersion torch = unnamedVersion();
    /// Dynamo's graph, or a pre-dispatch ATen graph.
    ir::GraphPtr program;
    /// One per placeholder, in order.
    std::vector<RetraceInput> inputs;
    /// Tensors that the program reads as module attributes (get_attr), by name; they become the first inputs
    /// of the traced function. One that is not listed counts as a parameter.
    std::vector<RetraceAttribute> attributes;
    /// Logged values of the inputs' symbols; they need not be exact.
    ir::SymbolBindings symbolHints;
    /// Guards on symbols from before this trace ("s77 <= 25").
    std::vector<std::string> symbolGuards = {};
    /// Symbols for integer arguments of the program: these may have any sign, while sizes are at least 2.
    std::set<std::string> numberSymbols = {};
    /// Values of the symbols that stand for floats among the inputs (zf0, …).
    std::map<std::string, double> floatHints = {};
    /// Number of unbacked symbols (integers, floats) created before this trace.
    std::size_t unbackedNumbers = 0;
    std::size_t unbackedFloats = 0;
    /// Number of checkpointed functions that the process tagged before this trace: `ac_graph_id` counts on.
    std::int64_t earlierCheckpoints = 0;
    /// What the process had set when the function was compiled. The backward is traced under the autocast
    /// around the call too (`backward_pass_autocast`).
    GlobalState state = {};
    /// Mutations of inputs stay in the graph where possible (`keep_inference_input_mutations`).
    bool keepInputMutations = true;
    /// Within a TracingContext (torch/_guards.py), as in torch.compile: random draws that nothing needs are
    /// dropped.
    bool tracingContext = true;
    /// Arithmetic with sizes is recorded where a node first needs its result, as PyTorch traces saved-tensors
    /// hooks, and not where the program does it (torch/fx/experimental/proxy_tensor.py:
    /// maybe_enable_thunkify).
    bool lazyArithmetic = false;
    /// The program may return any Python value, as saved-tensors hooks do, and the traced graph returns the
    /// same: containers and constants around the tensors and symbolic numbers that it computes. What it
    /// computes for nothing stays in the graph.
    bool returnsTree = false;
    DecompositionTable decompositions = DecompositionTable::None;
    /// As CompileConfiguration::decomposedOperators.
    std::vector<std::string> decomposedOperators = {};
    /// Nothing: the defaults of the release.
    std::optional<FunctorchConfig> functorch = {};
    /// Set: export instead of compiling.
    std::optional<ExportOptions> export_ = {};
    /// Not allowed in an export.
    std::vector<AssignedAttribute> assignedAttributes = {};
    /// Also make the graphs of the stages (RetraceResult::stages); each stage costs one more trace.
    bool stages = false;
    /// Also run the traced graph and, as eager would, its program (RetraceResult::numbers).
    bool numbers = false;
};
AOTSCOPE_MEMBERS(RetraceRequest, torch, program, inputs, attributes, symbolHints, symbolGuards, numberSymbols,
                 floatHints, unbackedNumbers, unbackedFloats, earlierCheckpoints, state, keepInputMutations,
                 tracingContext, lazyArithmetic, returnsTree, decompositions, decomposedOperators, functorch,
                 export_, assignedAttributes, stages, numbers)

/// The values of the request's symbols: its own go before those of the program.
[[nodiscard]] inline ir::SymbolBindings symbolValues(const RetraceRequest& request) {
    ir::SymbolBindings values = request.program->symbolHints();
    for (const auto& [symbol, value] : request.symbolHints) {
        values[symbol] = value;
    }
    return values;
}

/// The stages from a program to its traced graph, in order.
enum class TraceStageKind : std::uint8_t {
    /// Dynamo's graph or the pre-dispatch graph, unchanged.
    Program,
    /// The ATen operators it calls, before functionalization and autograd.
    Resolved,
    /// Functionalized, without mutations and views: the forward alone.
    Functional,
    /// The same after the operators of the decomposition table are decomposed.
    Decomposed,
    /// With the backward; for a function without one, the inference graph.
    Joint
};
AOTSCOPE_WORDS(TraceStageKind, "dynamo", "resolved", "functional", "decomposed", "joint")

/// The function after one stage.
struct TraceStage {
    TraceStageKind kind = TraceStageKind::Program;
    /// Null when this stage has no graph; then `note` says why.
    ir::GraphPtr graph;
    std::string note = {};
};
AOTSCOPE_MEMBERS(TraceStage, kind, graph, note)

/// Results and gradients of the traced graph and of its program run with autograd, both on the same generated
/// inputs.
struct EagerNumbers {
    /// Why there are no numbers: the graph or the program cannot be run here. Empty: there are.
    std::string skipped;
    /// What each value is. Inputs that the graph writes to are included.
    std::vector<ir::Descriptor> descriptors;
    std::vector<TensorData> traced;
    std::vector<std::optional<TensorData>> eager;
    /// By how much other roundings change eager's value, as a fraction of its largest magnitude; where they
    /// change its shape or its NaNs they tell nothing. Empty: no value is further from eager's than four
    /// roundings.
    std::vector<double> spread = {};
};
AOTSCOPE_MEMBERS(EagerNumbers, skipped, descriptors, traced, eager, spread)

/// A traced function, and how the trace went.
struct RetraceResult {
    CompiledFunction function;
    std::int64_t nanoseconds = 0;
    /// The release of the LibTorch that traced it; nothing: unknown. Where it is another one than that of the
    /// rules, composites and derivative formulas that changed in C++ without a rule are LibTorch's own.
    std::optional<TorchVersion> libTorch = {};
    /// Operators called, also inside of others, that LibTorch 2.15 computes otherwise than 2.11: those of
    /// ir::Trait::LaterResult, and of LaterGradient where a gradient may be needed.
    std::set<std::string> changedOperators = {};
    /// In order; empty unless requested.
    std::vector<TraceStage> stages = {};
    /// Nothing unless requested.
    std::optional<EagerNumbers> numbers = {};
    /// What a person needs to judge the result: shapes computed on real zeros, and assumptions.
    std::vector<std::string> notes = {};
};
AOTSCOPE_MEMBERS(RetraceResult, function, nanoseconds, libTorch, changedOperators, stages, numbers, notes)

} // namespace aotscope::aot

#pragma once

#include "aot/compile_configuration.h"
#include "aot/compiled_function.h"
#include "aot/tensor_data.h"
#include "ir/graph.h"

#include "base/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Compiling a graph again: what is asked of the engine's AOTAutograd, and what it found.
namespace aotscope::aot {

/// What is known of one graph input beyond its placeholder's metadata.
struct RetraceInput {
    bool requiresGrad = false;
    bool isLeaf = true;
    bool isParameter = false;
    /// Inputs of one storage alias each other; -1: a storage of its own.
    std::int64_t storage = -1;
    /// Elements from the start of the storage.
    std::int64_t storageOffset = 0;
    std::optional<std::int64_t> storageBytes;
    /// What it is a view of (`_base`), with the base's requires_grad; nothing when it is no view. Views of
    /// one storage have one base.
    std::optional<ir::TensorMeta> viewBase;
    /// Address never changes between calls (parameters, buffers).
    bool isStatic = false;
    /// An earlier input of the request that is this very tensor: Dynamo passes none twice, other callers may.
    std::optional<std::size_t> duplicateOf = {};
};

/// A parameter or buffer of the module that the function belongs to.
struct RetraceAttribute {
    std::string name;
    RetraceInput input;
    bool isBuffer = false;
};

/// A tensor that the function puts into an attribute of its module instead of handing it out.
struct AssignedAttribute {
    /// "L['self'].cache"
    std::string name;
    friend bool operator==(const AssignedAttribute&, const AssignedAttribute&) = default;
};

/// A function to compile, and how.
struct RetraceRequest {
    /// The Dynamo graph, or a pre-dispatch ATen graph.
    ir::GraphPtr program;
    /// One per placeholder, in order.
    std::vector<RetraceInput> inputs;
    /// Tensors the program reads as attributes of its module (get_attr), by name; they become the first
    /// inputs of what is traced. One that isn't listed counts as a parameter.
    std::vector<RetraceAttribute> attributes;
    /// Values of the symbols of the inputs as the log has them; they need not be exact.
    ir::SymbolBindings symbolHints;
    /// What the symbols were guarded with before this trace ("s77 <= 25").
    std::vector<std::string> symbolGuards = {};
    /// Symbols of whole numbers that the program is called with: of any sign, where sizes are 2 at least.
    std::set<std::string> numberSymbols = {};
    /// Values of the symbols that stand for floats among the inputs (zf0, …).
    std::map<std::string, double> floatHints = {};
    /// How many symbols were made before this trace for what only the data tell: numbers, floats.
    std::size_t unbackedNumbers = 0;
    std::size_t unbackedFloats = 0;
    /// How many checkpointed functions the process had tagged before: their numbers (`ac_graph_id`) go on.
    std::int64_t earlierCheckpoints = 0;
    /// Grad mode when the function was compiled.
    bool gradEnabled = true;
    /// Autocast around the call; the backward is traced under it too (backward_pass_autocast).
    std::vector<AmbientAutocast> autocasts = {};
    /// Mutations of inputs stay in the graph where they can (`keep_inference_input_mutations`).
    bool keepInputMutations = true;
    DecompositionTable decompositions = DecompositionTable::None;
    /// Export it instead.
    std::optional<ExportOptions> exported = {};
    /// Which no exported graph can have.
    std::vector<AssignedAttribute> assignedAttributes = {};
    /// Show the way to the graph as well (RetraceResult::stages): the function is traced once more for each.
    bool stages = false;
    /// Run what was traced, and the program as eager runs it (RetraceResult::numbers).
    bool numbers = false;
};

/// What AOTAutograd does to a program, one after the other.
enum class TraceStageKind : std::uint8_t {
    /// Dynamo's graph, or the pre-dispatch graph, as it is given.
    Program,
    /// The operators it calls, before mutations and views are taken out and before autograd.
    Resolved,
    /// Without mutations and views: the forward alone.
    Functional,
    /// The same with the table's operators taken apart.
    Decomposed,
    /// With the backward; of a function without one it is the inference graph.
    Joint
};

/// The function as one stage leaves it.
struct TraceStage {
    TraceStageKind kind = TraceStageKind::Program;
    /// Null where this stage cannot be shown: `note` says why.
    ir::GraphPtr graph;
    std::string note = {};
};

/// A traced graph and its program, with autograd's own gradients, after a run of each on the same made
/// inputs.
struct EagerNumbers {
    /// Why there are none: one of the two cannot be run here.
    std::string skipped;
    /// What the values are. Inputs that the graph itself writes to are among them.
    std::vector<ir::Descriptor> descriptors;
    std::vector<TensorData> traced;
    std::vector<std::optional<TensorData>> eager;
};

/// What the engine traced: the compile, and how it went.
struct RetraceResult : CompiledFunction {
    std::int64_t nanoseconds = 0;
    /// In order, where they were asked for.
    std::vector<TraceStage> stages = {};
    /// Where they were asked for.
    std::optional<EagerNumbers> numbers = {};
    /// What a person must know to judge it: shapes found on real zeros, assumptions made.
    std::vector<std::string> notes;
};

} // namespace aotscope::aot

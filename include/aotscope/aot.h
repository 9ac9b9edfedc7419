#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// AOTAutograd for C++ programs: compile a graph, call it with real tensors, differentiate through it, export
/// it. This is the only header that another program includes; it needs nothing but the standard library.
///
/// The five entry points have the names of torch 2.15, torch/_functorch/aot_autograd.py: `aot_function`,
/// `aot_module`, `aot_module_simplified`, `aot_export_module` and `aot_export_joint_simple`. What they take
/// is a graph as Dynamo or make_fx makes it, in place of a Python function.
///
/// No exception crosses this header: what can fail returns a Result. Handles (Tensor, Graph,
/// CompiledFunction) are cheap to copy, and copies mean the same thing. One handle is used by one thread at a
/// time.
namespace aotscope {

/// A failure. `code` is stable and machine readable ("trace.export"), `message` says what happened, `hint`
/// what to do about it, `notes` hold details. Where PyTorch refuses the same with its own message,
/// `pytorchMessage` is that message, without the metadata that PyTorch appends to some.
struct Error {
    std::string code;
    std::string message;
    std::string hint;
    std::vector<std::string> notes;
    std::string pytorchMessage;

    /// All of it, for people.
    [[nodiscard]] std::string text() const;
};

/// A value or an Error. Ask `ok()` first: the other side is not there.
template<typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}     // NOLINT: implicit by intent
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {} // NOLINT: implicit by intent

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    [[nodiscard]] T& value() & { return *std::get_if<0>(&m_state); }
    [[nodiscard]] const T& value() const& { return *std::get_if<0>(&m_state); }
    [[nodiscard]] T&& value() && { return std::move(*std::get_if<0>(&m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    [[nodiscard]] const Error& error() const { return *std::get_if<1>(&m_state); }

private:
    std::variant<T, Error> m_state;
};

/// What a call that makes no value returns.
using Done = std::monostate;

/// A tensor of LibTorch on the CPU: strided memory, a place in autograd's graph. A copy of the handle is the
/// same tensor.
class Tensor {
public:
    /// Undefined, as the gradient of a tensor that got none.
    Tensor() = default;

    /// A new leaf with a copy of `bytes`: row-major, in the machine's byte order. `dtype` as torch names it
    /// ("float32", "int64", "bool"). Errors: run.unsupported_input when they do not fit together.
    static Result<Tensor> fromBytes(std::string_view dtype, std::vector<std::int64_t> sizes,
                                    std::string_view bytes, bool requiresGrad = false);
    /// The same, of float32.
    static Result<Tensor> fromFloats(std::vector<std::int64_t> sizes, std::span<const float> elements,
                                     bool requiresGrad = false);

    [[nodiscard]] bool defined() const { return m_impl != nullptr; }
    [[nodiscard]] std::string dtype() const;
    [[nodiscard]] std::vector<std::int64_t> sizes() const;
    /// Strides and offset count elements.
    [[nodiscard]] std::vector<std::int64_t> strides() const;
    [[nodiscard]] std::int64_t storageOffset() const;
    /// A row-major copy of the elements.
    [[nodiscard]] std::string bytes() const;
    /// The elements converted to float32, row-major.
    [[nodiscard]] std::vector<float> floats() const;

    [[nodiscard]] bool requiresGrad() const;
    [[nodiscard]] bool isLeaf() const;
    /// The class of its node in autograd's graph ("CompiledFunctionBackward"); empty: none.
    [[nodiscard]] std::string gradFn() const;
    /// The gradient accumulated so far; undefined: none.
    [[nodiscard]] Tensor grad() const;
    void clearGrad();
    /// How often its memory was written to.
    [[nodiscard]] std::uint32_t version() const;

    [[nodiscard]] bool isSame(const Tensor& other) const;
    [[nodiscard]] bool sharesStorage(const Tensor& other) const;
    /// The tensor that it is a view of (`_base`); undefined: it is no view.
    [[nodiscard]] Tensor base() const;

    /// A view: `as_strided`, which autograd sees when it is on (NoGrad). Errors: those of LibTorch.
    [[nodiscard]] Result<Tensor> asStrided(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides,
                                           std::int64_t storageOffset) const;
    /// Overwrites the elements, as an optimizer does: autograd does not see it, the version counter does.
    /// `bytes` as for fromBytes.
    Result<Done> write(std::string_view bytes);

    struct Impl;
    explicit Tensor(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {}
    [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return m_impl; }

private:
    std::shared_ptr<Impl> m_impl;
};

/// An argument or result of a compiled function. std::monostate: None.
using Value = std::variant<std::monostate, bool, std::int64_t, double, Tensor>;

/// `Tensor.backward` for several roots at once: gradients are added to the leaves. `tangents` is empty where
/// every root is a single number, else has one tensor per root. Errors: those of LibTorch, and those of a
/// compiled backward (donated buffers with retain_graph, a second derivative, saved tensors written to).
Result<Done> backward(std::span<const Tensor> roots, std::span<const Tensor> tangents = {},
                      bool retainGraph = false, bool createGraph = false);

/// `torch.no_grad()` on this thread, as long as it lives.
class NoGrad {
public:
    NoGrad();
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;
    ~NoGrad();

private:
    bool m_before;
};

/// `torch.manual_seed` for the CPU.
void manualSeed(std::uint64_t seed);

/// An immutable graph of this program's model (torch.fx.Graph).
class Graph {
public:
    /// What PyTorch prints of a graph module: print_readable or `code`. Errors: ir.text_syntax with the
    /// place.
    static Result<Graph> fromText(std::string_view text);
    /// This program's JSON. Errors: ir.json_syntax and others of the reader.
    static Result<Graph> fromJson(std::string_view json);

    /// As print_readable prints it; fromText reads it back.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
    [[nodiscard]] std::size_t nodeCount() const;

    struct Impl;
    explicit Graph(std::shared_ptr<const Impl> impl) : m_impl(std::move(impl)) {}
    [[nodiscard]] const Impl& impl() const { return *m_impl; }

private:
    std::shared_ptr<const Impl> m_impl;
};

/// A graph of one compile of a log, or why its text cannot be read.
struct LoggedGraph {
    /// "0/0", as PyTorch prints a CompileId.
    std::string compile;
    Result<Graph> graph;
};

/// The graphs of a log that PyTorch wrote (TORCH_TRACE; plain, gz or xz), one for each compile that has one.
/// `name` says which: "dynamo" (the program, which can be compiled again), "joint", "forward", "backward",
/// "inference". Errors: load.open, load.not_a_trace_log, load.decompress.
[[nodiscard]] Result<std::vector<LoggedGraph>> readLog(const std::string& path,
                                                       std::string_view name = "dynamo");

/// A graph with the tensors that its get_attr nodes read (torch.nn.Module). Names are those of the nodes'
/// targets. The order within each list is the one in which they become inputs, parameters first.
struct Module {
    Graph forward;
    std::vector<std::pair<std::string, Tensor>> parameters = {};
    std::vector<std::pair<std::string, Tensor>> buffers = {};
};

/// Which operators are decomposed while tracing: none, core_aten_decompositions(), or Inductor's table.
enum class Decompositions : std::uint8_t { None, Core, Inductor };

/// partition_fn: default_partition, or min_cut_rematerialization_partition.
enum class Partition : std::uint8_t { Default, MinCut };

/// All else is as the release of LibTorch has it: its rules, and the defaults of torch._functorch.config.
struct CompileOptions {
    Decompositions decompositions = Decompositions::None;
    Partition partition = Partition::Default;
    /// Mutations of inputs stay in the graph where possible.
    bool keepInferenceInputMutations = false;
    /// The compile is within a TracingContext (torch/_guards.py), as in a backend of torch.compile: unused
    /// random draws are dropped.
    bool tracingContext = false;
};

/// A function that AOTAutograd compiled, with its runtime wrappers around it. Its graphs run node by node, as
/// with the backend aot_eager.
class CompiledFunction {
public:
    /// Calls it. Inputs that the function writes to change, outputs that alias inputs share their memory, and
    /// an output that requires grad has the compiled backward as its node. Results come flat, in the order in
    /// which the graph returns them. Errors: aot.arguments (number or kind of arguments), those of the
    /// entry point for a function compiled at its first call, those of the operators.
    [[nodiscard]] Result<std::vector<Value>> operator()(std::span<const Value> arguments) const;

    /// Whether it is compiled: `aot_function` and `aot_module` compile at the first call.
    [[nodiscard]] bool isCompiled() const;
    /// The compiled forward or inference graph, the backward, and the joint graph that they were cut from;
    /// nothing: there is none, or none yet.
    [[nodiscard]] std::optional<Graph> forwardGraph() const;
    [[nodiscard]] std::optional<Graph> backwardGraph() const;
    [[nodiscard]] std::optional<Graph> jointGraph() const;
    /// PyTorch's class names of the runtime wrappers that apply, innermost first.
    [[nodiscard]] std::vector<std::string> wrappers() const;

    struct Impl;
    explicit CompiledFunction(std::shared_ptr<Impl> impl) : m_impl(std::move(impl)) {}

private:
    std::shared_ptr<Impl> m_impl;
};

// PyTorch's own names, as a reader of its sources knows them. NOLINTBEGIN(readability-identifier-naming)

/// Compiles `function` at its first call, for that call's arguments; later calls must have arguments of the
/// same sizes, dtypes, aliasing and requires_grad: as in PyTorch, nothing guards them. Errors:
/// aot.arguments when the graph has get_attr nodes of tensors, which need a Module.
[[nodiscard]] Result<CompiledFunction> aot_function(const Graph& function,
                                                    const CompileOptions& options = {});

/// `aot_function` on a module: parameters and buffers become inputs in front of the caller's, and the
/// caller passes only its own. Errors: aot.arguments when an attribute of the graph has no tensor.
[[nodiscard]] Result<CompiledFunction> aot_module(const Module& module, const CompileOptions& options = {});

/// Compiles at once, for `arguments` as examples; sizes that the graph's placeholders name by a symbol stay
/// symbolic, and later calls may have others. Parameters and buffers come first, are passed by the compiled
/// function itself, and count as static inputs. Errors: aot.arguments; trace.unsupported (names the call);
/// trace.input.
[[nodiscard]] Result<CompiledFunction> aot_module_simplified(const Module& module,
                                                             std::span<const Value> arguments,
                                                             const CompileOptions& options = {});

struct ExportOptions {
    /// Forward and backward in one graph.
    bool traceJoint = false;
    /// Which output is the loss that the backward starts from, counted from 0. Only aot_export_module.
    std::optional<std::int64_t> outputLossIndex = {};
    /// A graph of the operators above autograd. Only aot_export_module.
    bool preDispatch = false;
    Decompositions decompositions = Decompositions::None;
    /// torch._functorch.config.functionalize_rng_ops, which no export allows.
    bool functionalizeRngOps = false;
};

struct ExportedModule {
    Graph graph;
    /// The role of each input and output (GraphSignature), as this program's JSON.
    std::string signatureJson;
};

/// The functional graph of a module: parameters and buffers are its first inputs, mutations its first
/// outputs; with `traceJoint` the gradients of all inputs that require grad are its last. It has no wrappers,
/// so what would need one is refused. Errors, all of code trace.export with PyTorch's message: pre-dispatch
/// with traceJoint; no outputLossIndex, or one that is no output; a loss that is not a single number or does
/// not require grad; another output that requires grad; outputs that are no tensors; an input whose metadata
/// is mutated; under traceJoint an input that requires grad and is mutated, or gets no gradient; mutated
/// inputs that alias others; functionalizeRngOps.
[[nodiscard]] Result<ExportedModule> aot_export_module(const Module& module, std::span<const Value> arguments,
                                                       const ExportOptions& options);

/// The graph of a function that needs no change of its calling convention; with `traceJoint` it takes the
/// inputs and the tangents. Errors, all of code trace.export: what aot_export_module refuses of any function;
/// mutated inputs; outputs that alias anything; outputs that are not one flat list.
[[nodiscard]] Result<Graph> aot_export_joint_simple(const Graph& function, std::span<const Value> arguments,
                                                    const ExportOptions& options);

// NOLINTEND(readability-identifier-naming)

/// Runs a graph that holds nothing of its caller, such as an exported one: all its inputs are arguments, and
/// autograd does not see the call. Errors: aot.arguments, those of the operators.
[[nodiscard]] Result<std::vector<Value>> runGraph(const Graph& graph, std::span<const Value> arguments);

} // namespace aotscope

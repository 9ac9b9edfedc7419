#pragma once

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The code that Inductor generated for a graph, as `inductor_output_code` logs it: a wrapper in Python (or,
/// for AOTInductor, in C++) that defines kernels and launches them in order. It is only ever read as text.
/// Follows torch 2.11 and 2.15, torch/_inductor/codegen/wrapper.py, triton.py, cpp.py and utils.py:
/// get_kernel_metadata; and the forms of torch 2.1 to 2.9 in logs of those releases.
namespace aotscope::inductor {

/// A part of the text: bytes [begin, end), lines from 1, both inclusive.
struct TextRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t firstLine = 0;
    std::size_t lastLine = 0;
    /// Its part of the text that it is of.
    [[nodiscard]] std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
    friend bool operator==(const TextRange&, const TextRange&) = default;
};
AOTSCOPE_MEMBERS(TextRange, begin, end, firstLine, lastLine)

enum class KernelKind : std::uint8_t {
    TritonPointwise,
    TritonReduction,
    TritonPersistentReduction,
    TritonSplitScan,
    /// A matrix multiplication, convolution or attention from a template.
    TritonTemplate,
    /// Several independent kernels launched as one ("foreach", "combo kernels").
    TritonForeach,
    /// Written by the user, or of an unknown heuristic.
    TritonOther,
    /// Chooses between several Triton kernels when it runs.
    MultiKernel,
    Cpp,
    /// Another backend's code: CUTLASS, Halide, Metal, Pallas, …
    OtherCode,
    /// A library's function: `extern_kernels.mm`.
    Extern,
    /// An operator that Inductor has no kernel for: `torch.ops.aten.sort.stable`.
    Fallback,
};
AOTSCOPE_WORDS(KernelKind, "Triton pointwise", "Triton reduction", "Triton persistent reduction",
               "Triton split scan", "Triton template", "Triton foreach", "Triton", "multi-kernel", "C++",
               "other code", "extern", "fallback")

/// A node as the graph fragment in a kernel's comment prints it.
struct FragmentNode {
    std::string name;
    /// Without "torch.ops."; of a placeholder: empty.
    std::string target;
    std::size_t line = 0;
};
AOTSCOPE_MEMBERS(FragmentNode, name, target, line)

/// What the comments at a kernel or before a launch say of where it came from.
struct KernelComments {
    /// The lines of the comments; nothing: there are none.
    std::optional<TextRange> range;
    /// "Topologically Sorted Source Nodes: […]": nodes of Dynamo's graph, in a backward graph also its own.
    std::vector<std::string> sourceNodes;
    /// "Original ATen: […]": operators before decomposition.
    std::vector<std::string> originalAten;
    /// "Graph fragment": what the kernel reads, and its nodes.
    std::vector<FragmentNode> reads;
    std::vector<FragmentNode> nodes;
    /// The last line of the fragment: the names of what the kernel writes.
    std::vector<std::string> writes;
    /// "[Provenance debug handles] NAME:3"; without a number, 0.
    std::string handleName;
    std::int64_t handle = 0;
};
AOTSCOPE_MEMBERS(KernelComments, range, sourceNodes, originalAten, reads, nodes, writes, handleName, handle)

/// A fact of `triton_meta`, `inductor_meta` or the heuristic's arguments, as written: "num_load", "2".
struct KernelFact {
    std::string name;
    std::string value;
};
AOTSCOPE_MEMBERS(KernelFact, name, value)

/// A parameter of a kernel: name, and type as written ("*fp32", "const float*"); empty: unknown.
struct KernelParameter {
    std::string name;
    std::string type;
};
AOTSCOPE_MEMBERS(KernelParameter, name, type)

struct Kernel {
    std::string name;
    KernelKind kind = KernelKind::TritonOther;
    /// The statement that defines it; nothing: it is a library's.
    std::optional<TextRange> definition;
    /// Its source alone, the text in quotes.
    std::optional<TextRange> source;
    KernelComments comments;
    std::vector<KernelParameter> parameters;
    std::vector<KernelFact> facts;
    /// The kernels that a multi-kernel chooses from.
    std::vector<std::string> choices;
    /// Indices in OutputCode::launches, in order.
    std::vector<std::uint32_t> launches;

    /// Whether it is no generated code: a library's function, or a fallback.
    [[nodiscard]] bool isExtern() const { return kind == KernelKind::Extern || kind == KernelKind::Fallback; }
    /// The value of a fact as written; empty: there is none.
    [[nodiscard]] std::string_view fact(std::string_view wanted) const;
};
AOTSCOPE_MEMBERS(Kernel, name, kind, definition, source, comments, parameters, facts, choices, launches)

enum class BufferEventKind : std::uint8_t {
    Allocated,
    /// `buf4 = buf3; del buf3  # reuse`: the same memory under a new name.
    Reused,
    /// A part or another view of a buffer, or one of several results: `buf6 = buf5[0]`.
    Alias,
    Freed,
};

/// What happens to a buffer between launches.
struct BufferEvent {
    BufferEventKind kind = BufferEventKind::Allocated;
    std::string buffer;
    /// For a reuse or alias: the buffer that it takes its memory from.
    std::string from = {};
    /// For an allocation or a view, as written: "(8, 16)", "(16, 1)", "torch.float32".
    std::string shape = {};
    std::string stride = {};
    std::string dtype = {};
    /// For `buf6 = buf5[0]` the index; -1: none.
    int element = -1;
    std::size_t line = 0;
    /// The number of launches before it.
    std::uint32_t launch = 0;
};

struct LaunchArgument {
    /// Name of a keyword argument; else empty.
    std::string keyword;
    /// As written.
    std::string text;
    /// The buffers and inputs that occur in it.
    std::vector<std::string> buffers;
};
AOTSCOPE_MEMBERS(LaunchArgument, keyword, text, buffers)

struct Launch {
    /// Index in OutputCode::kernels.
    std::uint32_t kernel = 0;
    /// The lines of the statement, from 1.
    TextRange range;
    /// The function it is in: "call", "partition_0", a subgraph.
    std::string function;
    /// The statement up to the parenthesis: "triton_poi_fused_mul_1.run", "torch.ops.aten.sort.stable".
    std::string callee;
    std::vector<LaunchArgument> arguments;
    /// What the result is assigned to; empty: nothing.
    std::string result;
    /// As written; empty: the launch does not say.
    std::string grid;
    std::string stream;
    KernelComments comments;
};
AOTSCOPE_MEMBERS(Launch, kernel, range, function, callee, arguments, result, grid, stream, comments)

/// A function of the wrapper: what it takes and returns.
struct WrapperFunction {
    std::string name;
    std::vector<std::string> inputs;
    std::vector<LaunchArgument> returned;
    /// Whether its end was read: the text is not cut off within it.
    bool complete = false;
    TextRange range;
};

/// Something in the text that could not be understood; the rest is read.
struct CodeProblem {
    std::size_t line = 0;
    std::string message;
};
AOTSCOPE_MEMBERS(CodeProblem, line, message)

struct OutputCode {
    /// "0_forward", "0_backward", "1_inference"; empty: the text does not say.
    std::string aotId;
    /// Whether the wrapper is C++ (AOTInductor).
    bool cppWrapper = false;
    std::vector<Kernel> kernels;
    std::vector<Launch> launches;
    std::vector<BufferEvent> buffers;
    std::vector<WrapperFunction> functions;
    std::vector<CodeProblem> problems;

    /// Null: there is none.
    [[nodiscard]] const Kernel* tryKernel(std::string_view name) const;
    /// The function that the caller runs; null: the text is cut off before it.
    [[nodiscard]] const WrapperFunction* entry() const;
    /// The kernel whose definition or comments have this line; nothing: none.
    [[nodiscard]] std::optional<std::uint32_t> kernelAtLine(std::size_t line) const;
};

/// Reads generated code of any size in linear time. A text that is cut off gives what it has, with a problem.
/// Errors: inductor.not_output_code, inductor.too_large, session.canceled.
[[nodiscard]] base::Result<OutputCode> readOutputCode(std::string_view text, base::Progress progress = {});

/// Whether the text looks like generated code (cheap).
[[nodiscard]] bool looksLikeOutputCode(std::string_view text);

} // namespace aotscope::inductor

#pragma once

#include "wrappers/caller_arguments.h"

#include "ir/graph.h"
#include "steps/call_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// What tells later whether a call wrote to an argument.
struct ArgumentBefore {
    std::uint32_t version = 0;
    std::optional<std::uint64_t> contents;
};

/// One call as its caller sees it afterwards.
struct CallSide {
    const MadeArguments& arguments;
    const Values& outputs;
    /// The arguments before the call.
    std::vector<ArgumentBefore> before;
};

[[nodiscard]] std::vector<ArgumentBefore> argumentsBefore(const Values& values);

/// How far numbers may be apart, as a fraction of the largest magnitude of the eager tensor.
class CallTolerance {
public:
    /// Of the narrowest float type that the graph computes in.
    explicit CallTolerance(const ir::Graph& graph);
    [[nodiscard]] double of(c10::ScalarType type) const;

private:
    double m_ofGraph = 0;
};

/// Compares outputs, arguments after the call and gradients. Structure must be equal: sizes and strides,
/// which outputs are an argument or another output, share its memory (and where in it) or are a view of it,
/// requires_grad, whether there is a grad_fn, and whether a write increased the version counter. By how much
/// is not compared: the program may write to a tensor several times where the compiled function writes its
/// last value once. A base that no caller can see is not compared either: PyTorch returns a view of an
/// intermediate result as a tensor of its own if no other output shares it. A write that eager does not count
/// (batch norm's running statistics) may be counted by the compiled function, as in PyTorch.
[[nodiscard]] std::vector<steps::ComparedValue> compareSides(const CallSide& compiled, const CallSide& eager,
                                                             const std::vector<std::string>& names,
                                                             const CallTolerance& tolerance);

} // namespace aotscope::torch

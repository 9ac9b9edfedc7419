#pragma once

#include "passes/graph_warnings.h"

#include "ir/graph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace aotscope::passes {

/// A class derived from torch.autograd.Function that Dynamo guarded while it traced a program.
struct GuardedFunction {
    /// "ScaledSin"
    std::string name;
    /// The end of the path of the file that applies it first, as Dynamo prints it, and the line there.
    std::string file;
    int line = 0;
    friend bool operator==(const GuardedFunction&, const GuardedFunction&) = default;
};

/// A program as Dynamo traced it, and AOTAutograd's graph of it.
struct TracedProgram {
    ir::GraphPtr program;
    /// One per placeholder of the program, in order.
    std::vector<bool> requiresGrad;
    /// Grad mode when it was compiled.
    bool gradEnabled = true;
    /// The joint or the inference graph; null: there is none to look at.
    ir::GraphPtr traced;
    bool isJoint = false;
    std::vector<GuardedFunction> functions;
};

/// What Dynamo's graph shows beside the graph that AOTAutograd traced from it:
/// - function.gradient_unused: the backward of an autograd.Function computes a gradient that nothing uses;
///   function.same_argument where its source line passes one tensor twice, the known cause;
/// - function.writes_argument: the forward of an autograd.Function writes to an argument that is used again,
///   and what uses it does not go through the Function's backward;
/// - function.backward_missing: an autograd.Function whose backward is in neither graph, so that the
///   derivative of its forward is taken instead (under func.grad or func.vmap);
/// - function.backward_not_differentiated: torch.func takes the gradient of an autograd.Function, that
/// gradient
///   is differentiated again, and the Function's backward was traced with grad mode off;
/// - gradient.none: an input requires grad and reaches an output through operators that have derivatives, but
///   gets no gradient;
/// - backward.autocast (warningsOfAutocast).
[[nodiscard]] std::vector<GraphWarning> warningsOfProgram(const TracedProgram& program);

} // namespace aotscope::passes

#pragma once

#include "wrappers/caller_side.h"

#include "steps/call_record.h"

#include <cstddef>
#include <string>
#include <vector>

namespace aotscope::torch {

struct CallSubject;
class ValuePaths;

/// Compares outputs, arguments after the call and gradients. Numbers are compared closely (compareClosely):
/// whether those that are further apart may be is judged later (NumberJudge). Structure must be equal: sizes
/// and strides, which outputs are an argument or another output, share its memory (and where in it) or are a
/// view of it, requires_grad, whether there is a grad_fn, and whether a write increased the version counter.
/// By how much is not compared: the program may write to a tensor several times where the compiled function
/// writes its last value once. A base that no caller can see is not compared either: PyTorch returns a view
/// of an intermediate result as a tensor without a base if no other output shares it. A write that eager does
/// not count (batch norm's running statistics) may be counted by the compiled function, as in PyTorch.
[[nodiscard]] std::vector<steps::ComparedValue>
compareSides(const CallerSide& compiled, const CallerSide& eager, const std::vector<std::string>& names);

/// Says in the compared values which outputs are in eager mode one of several views that one operator
/// returned (unbind, split), and compiled tensors without a base in the same memory: PyTorch does not
/// regenerate those.
void tellLostBases(const CallerSide& compiled, const CallerSide& eager,
                   std::vector<steps::ComparedValue>& values);

/// Says why values that differ and depend on random numbers are not comparable.
void tellRandom(const ValuePaths& paths, const std::string& why, std::vector<steps::ComparedValue>& values);

/// Leaves those that are not equal, with the call's number in their names.
void keepDifferences(std::vector<steps::ComparedValue>& values, std::size_t call);

/// What both callers have in common, a line each.
[[nodiscard]] std::vector<std::string> callConfiguration(const CallSubject& subject,
                                                         const CallerArguments& arguments);

} // namespace aotscope::torch

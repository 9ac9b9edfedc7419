#pragma once

#include "aot/compiled_function.h"

#include <string>

/// Callers that do unusual things with a compiled function of two 3x4 float tensors, x and w, of which w
/// requires grad; and what they are told. The function runs without an observer.
namespace aotscope::test {

/// The error of each, or an empty text. Every text is the first line.

/// Goes through the graph again after a backward that freed it.
[[nodiscard]] std::string backwardTwice(const aot::CompiledFunction& function);
/// Backward with retain_graph, after one without: `firstRetains` asks for it at the first, too.
[[nodiscard]] std::string retainsGraph(const aot::CompiledFunction& function, bool firstRetains);
/// A gradient of a gradient.
[[nodiscard]] std::string doubleBackward(const aot::CompiledFunction& function);
/// Writes to x and w between forward and backward.
[[nodiscard]] std::string writesToSaved(const aot::CompiledFunction& function);
/// Writes to the first result between forward and backward; the backward is that of the last result.
[[nodiscard]] std::string writesToResult(const aot::CompiledFunction& function);
/// Backward with deterministic algorithms on, which were off at the forward.
[[nodiscard]] std::string deterministicBackward(const aot::CompiledFunction& function);

/// What becomes of an error with that code where a backward is compiled before its first call: "noted: …" or
/// "thrown: …", with its message.
[[nodiscard]] std::string compiledAhead(const std::string& code);

/// Whether the function takes the caller's list: it is empty afterwards, and a tensor that only the list held
/// is freed before the last node of the graph runs.
[[nodiscard]] bool freesInputsInside(const aot::CompiledFunction& function);

/// The largest difference between the gradients of two backwards with retain_graph; a function without
/// donated buffers allows them.
[[nodiscard]] double retainedDifference(const aot::CompiledFunction& function);

/// The function must return x * w. It is called with a leaf w for each small letter, the same for the same
/// letter, and its backward; a capital letter frees that leaf. The largest distance of a leaf's gradient from
/// the x of its call.
[[nodiscard]] double gradientErrorOfChangingLeaves(const aot::CompiledFunction& function,
                                                   const std::string& order);
/// Whether the function still holds a leaf after these calls with it, and one with another.
[[nodiscard]] bool leafOutlivesCalls(const aot::CompiledFunction& function, int calls);
/// The same distance after the leaf of earlier calls was given data of another dtype.
[[nodiscard]] double gradientErrorAfterNewData(const aot::CompiledFunction& function);

} // namespace aotscope::test

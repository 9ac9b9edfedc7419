#pragma once

#include "wrappers/caller_side.h"

#include "steps/call_record.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// The structure of what a caller sees after a call: all but the numbers.
namespace aotscope::torch {

/// All that a caller sees after a call, by name: "output 0", "x after the call", "gradient of x" (undefined:
/// it has none).
[[nodiscard]] std::vector<std::pair<std::string, c10::IValue>>
seenValues(const CallerSide& side, const std::vector<std::string>& names);

/// What differs between two callers, in words: "WHAT: compiled HERE, eager THERE; …".
class StructureDifferences {
public:
    void compare(const std::string& what, bool compiled, bool eager);
    void compare(const std::string& what, const std::string& compiled, const std::string& eager);
    [[nodiscard]] std::string take() { return std::move(m_text); }

private:
    std::string m_text;
};

/// Whether an output is in eager mode one of several views that one operator returned (unbind, split), and
/// compiled a tensor without a base in the same memory. PyTorch does not regenerate such views.
[[nodiscard]] bool losesItsBase(const CallerSide& compiled, const CallerSide& eager, std::size_t output);
/// Says so in the compared values.
void tellLostBases(const CallerSide& compiled, const CallerSide& eager,
                   std::vector<steps::ComparedValue>& values);

/// What a caller can tell of one value but for its numbers. `index` counts arguments, then outputs.
void compareStructure(const CallerSide& compiled, const CallerSide& eager, std::size_t index,
                      StructureDifferences& differences);
/// Dtype, sizes, and strides of dimensions with more than one element.
void compareShapes(const at::Tensor& compiled, const at::Tensor& eager, StructureDifferences& differences);

} // namespace aotscope::torch

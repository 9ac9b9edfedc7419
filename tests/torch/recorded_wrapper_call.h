#pragma once

#include "contract/backend.h"
#include "judge/recorded_calls.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Calls of compiled functions through their wrappers beside what PyTorch's compiled halves were given and
/// returned. PyTorch recorded the halves' inputs and outputs, not the caller's: the descriptors of the
/// halves say which of them a caller sees, and where.
namespace aotscope::test {

/// How much of what a caller saw equals what PyTorch's halves returned.
struct CallerSaw {
    std::size_t outputs = 0;
    /// Arguments that the call wrote to.
    std::size_t writtenArguments = 0;
    /// Tensors that were kept for the backward, as it got them.
    std::size_t saved = 0;
    std::size_t gradients = 0;
    /// What does not equal, one line each: "gradient of x is more than 1e-06 apart".
    std::vector<std::string> apart;
};

/// Calls the function with the recorded inputs of its forward, then its backward with the recorded tangents.
/// What it kept in between is compared too; what is equal is replaced by what PyTorch kept. `backward` is
/// null for a function without one. What cannot be called or compared is among `apart`.
[[nodiscard]] CallerSaw callAsRecorded(const session::CallRequest& request,
                                       const judge::RecordedCall& forward,
                                       const judge::RecordedCall* backward);

} // namespace aotscope::test

#pragma once

#include "contract/run_options.h"

#include "ir/graph.h"
#include "passes/partition.h"

#include "base/describe.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What packing and unpacking saved tensors costs in accuracy, measured on a run.
namespace aotscope::session {

/// A tensor beside the one that it stands for.
struct RoundTripError {
    /// The largest and the mean difference of two elements. Infinite where one is not finite and the other
    /// is.
    double max = 0;
    double mean = 0;
    /// The norm of the difference as a fraction of the norm of the right tensor. For a gradient that is
    /// nothing but rounding, a millionth of the size of the largest gradient or less, as a fraction of that
    /// millionth.
    double relative = 0;
};
AOTSCOPE_MEMBERS(RoundTripError, max, mean, relative)

struct GradientError {
    /// "GradAOTOutput(grad_of=PlainAOTInput(idx=0))", else the name of the backward's result.
    std::string gradient;
    RoundTripError error;
};
AOTSCOPE_MEMBERS(GradientError, gradient, error)

/// The hook of one saved tensor.
struct HookError {
    std::string saved;
    /// Error of the unpacked tensor against the saved one.
    RoundTripError value;
    /// Bytes of the tensors that the hook packed it into.
    std::int64_t storedBytes = 0;
    /// With this hook alone, the gradients that the tensor reaches; empty if not requested.
    std::vector<GradientError> gradients;
    /// Why it could not be run; empty: it was.
    std::string failure;
};
AOTSCOPE_MEMBERS(HookError, saved, value, storedBytes, gradients, failure)

/// How much of HookErrors is measured. Each has what those before it have.
enum class HookErrorsPart : std::uint8_t {
    /// The errors of the saved tensors.
    Values,
    /// The errors of all gradients with all hooks.
    Together,
    /// What each hook does alone.
    Alone
};
AOTSCOPE_WORDS(HookErrorsPart, "values", "together", "alone")

struct HookErrors {
    HookErrorsPart part = HookErrorsPart::Alone;
    /// One for each hook.
    std::vector<HookError> hooks;
    /// All gradients with all hooks.
    std::vector<GradientError> together;
    /// What a person needs to judge the numbers.
    std::vector<std::string> notes;
    /// That all of it took; 0 in a part.
    std::int64_t nanoseconds = 0;
};
AOTSCOPE_MEMBERS(HookErrors, part, hooks, together, notes, nanoseconds)

/// The halves without hooks, and hooks to try on what the forward saves.
struct HookErrorsRequest {
    ir::GraphPtr forward;
    ir::GraphPtr backward;
    std::size_t forwardOutputs = 0;
    std::vector<passes::InlinedHook> hooks;
    RunOptions options;
    /// Also what each hook does alone to the gradients; else only all of them together.
    bool eachAlone = true;
};
AOTSCOPE_MEMBERS(HookErrorsRequest, forward, backward, forwardOutputs, hooks, options, eachAlone)

/// A call of a Backend: runs a forward, packs and unpacks what it saves, and runs the backward on that, to
/// see the errors. A hook that fails is no error of the call: its entry says so. Errors: as RunCall;
/// run.hooks (a backward that cannot be run again, because it writes to its inputs).
struct HookErrorsCall {
    using Answer = HookErrors;
    HookErrorsRequest request;
    /// Called on the measuring thread with the numbers known so far, before all are. May be empty.
    std::function<void(HookErrors)> onPart = {};

    [[nodiscard]] bool hasGraphs() const {
        return request.forward && request.backward &&
               std::ranges::all_of(request.hooks,
                                   [](const passes::InlinedHook& hook) { return hook.pack && hook.unpack; });
    }
    static auto& handler(auto& call) { return call.onPart; }
};
AOTSCOPE_MEMBERS(HookErrorsCall, request, onPart)

} // namespace aotscope::session

#include "evidence/log_evidence.h"

#include "base/foreign_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

/// The order of devices in the guard: _AUTOCAST_SUPPORTED_DEVICES of torch 2.11 and 2.15,
/// ATen/autocast_mode.h.
constexpr std::array<std::string_view, 10> autocastDevices = {"cpu", "cuda", "mtia", "maia",          "xpu",
                                                              "ipu", "hpu",  "xla",  "privateuseone", "mps"};

/// Dtypes that autocast may compute in and that may be the default, by c10::ScalarType's number.
std::optional<ir::DType> floatingDtype(std::int64_t number) {
    switch (number) {
    case 5:
        return ir::DType::Float16;
    case 6:
        return ir::DType::Float32;
    case 7:
        return ir::DType::Float64;
    case 15:
        return ir::DType::BFloat16;
    default:
        return std::nullopt;
    }
}

struct GuardedAutocast {
    bool cachedEnabled = true;
    /// By autocastDevices.
    std::vector<bool> enabled;
    std::vector<std::int64_t> dtype;
};
AOTSCOPE_MEMBERS(GuardedAutocast, cachedEnabled, enabled, dtype)

/// The guard's JSON. What it lacks is as PyTorch has it by default.
struct GuardedState {
    std::int64_t defaultDtype = 0;
    bool gradMode = true;
    bool deterministicAlgorithms = false;
    bool deterministicAlgorithmsWarnOnly = false;
    bool allowTf32 = false;
    Json allowFp16Reduce = {};
    Json allowBf16Reduce = {};
    bool torchFunction = true;
    bool torchFunctionAllDisabled = false;
    std::int64_t cudaMatmulPrecision = 0;
    std::optional<std::int64_t> numThreads = {};
    GuardedAutocast autocastState = {};
};
AOTSCOPE_MEMBERS(GuardedState, defaultDtype, gradMode, deterministicAlgorithms,
                 deterministicAlgorithmsWarnOnly, allowTf32, allowFp16Reduce, allowBf16Reduce, torchFunction,
                 torchFunctionAllDisabled, cudaMatmulPrecision, numThreads, autocastState)

/// A number; a boolean before the option had three values.
aot::ReducedSums sumsOf(const Json& option) {
    std::int64_t number = option == Json(false) ? 1 : 0;
    static_cast<void>(base::readForeign(option, number));
    return number >= 0 && number <= 2 ? static_cast<aot::ReducedSums>(number) : aot::ReducedSums::Allowed;
}

aot::GlobalState stateOf(const GuardedState& guarded) {
    aot::GlobalState state;
    state.defaultDtype = floatingDtype(guarded.defaultDtype).value_or(state.defaultDtype);
    state.gradEnabled = guarded.gradMode;
    state.deterministic = guarded.deterministicAlgorithms;
    state.deterministicWarnOnly = guarded.deterministicAlgorithmsWarnOnly;
    state.allowTf32 = guarded.allowTf32;
    state.fp16Sums = sumsOf(guarded.allowFp16Reduce);
    state.bf16Sums = sumsOf(guarded.allowBf16Reduce);
    state.torchFunction = guarded.torchFunction;
    state.torchFunctionAllDisabled = guarded.torchFunctionAllDisabled;
    state.matmulPrecision = guarded.cudaMatmulPrecision;
    state.threads = guarded.numThreads;
    const GuardedAutocast& autocast = guarded.autocastState;
    state.autocastCache = autocast.cachedEnabled;
    const std::size_t known = std::min(autocast.enabled.size(), autocast.dtype.size());
    for (std::size_t i = 0; i < autocastDevices.size() && i < known; ++i) {
        if (const auto dtype = floatingDtype(autocast.dtype[i]); dtype && autocast.enabled[i]) {
            state.autocasts.push_back({std::string(autocastDevices[i]), *dtype});
        }
    }
    return state;
}

/// Whether there are guards on tensors and none of them has an autograd key: inference mode takes it away.
bool lacksAutograd(std::string_view guards) {
    constexpr std::string_view keySet = "DispatchKeySet(";
    bool anyTensor = false;
    for (std::size_t at = guards.find(keySet); at != std::string_view::npos;
         at = guards.find(keySet, at + 1)) {
        const std::string_view keys = guards.substr(at, guards.find(')', at) - at);
        if (keys.find("Autograd") != std::string_view::npos) {
            return false;
        }
        anyTensor = true;
    }
    return anyTensor;
}

/// The state in the first guard on the global state.
std::optional<aot::GlobalState> stateIn(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) != load::RecordKind::DynamoCppGuards) {
            continue;
        }
        if (auto state = guardedGlobalState(evidence.payload(record))) {
            return state;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<aot::GlobalState> guardedGlobalState(std::string_view guards) {
    const std::size_t guard = guards.find("___check_global_state");
    if (guard == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t end = guards.find('\n', guard);
    const std::size_t begin = guards.find('{', guard);
    const std::size_t last = guards.rfind('}', end);
    if (begin >= end || last == std::string_view::npos || last < begin) {
        return std::nullopt;
    }
    GuardedState guarded;
    if (!base::readForeign(Json::parse(guards.substr(begin, last - begin + 1), nullptr, false), guarded)) {
        return std::nullopt;
    }
    aot::GlobalState state = stateOf(guarded);
    state.inferenceMode = !state.gradEnabled && lacksAutograd(guards);
    return state;
}

std::optional<aot::GlobalState> LogEvidence::globalState() const {
    if (auto state = stateIn(*this)) {
        return state;
    }
    // An abandoned attempt has no guards. The next attempt runs in the same state.
    for (auto later = nextAttempt(); later; later = later->nextAttempt()) {
        if (auto state = stateIn(*later)) {
            return state;
        }
    }
    return std::nullopt;
}

std::optional<aot::GlobalState> compileState(const load::TraceLogPtr& log, const load::CompileId& compile,
                                             std::optional<std::int32_t> rank) {
    const auto index = log->tryFindCompile(compile, rank);
    return index ? LogEvidence(log, *index).globalState() : std::nullopt;
}

} // namespace aotscope::evidence

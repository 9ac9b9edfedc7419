#include "evidence/global_state.h"

#include "evidence/log_evidence.h"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <string_view>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

/// The order of devices in the guard: _AUTOCAST_SUPPORTED_DEVICES of torch 2.11, ATen/autocast_mode.h.
constexpr std::array<std::string_view, 10> autocastDevices = {"cpu", "cuda", "mtia", "maia",          "xpu",
                                                              "ipu", "hpu",  "xla",  "privateuseone", "mps"};

/// Dtypes that autocast may compute in, by c10::ScalarType's number.
std::optional<ir::DType> dtypeOf(const Json& number) {
    if (!number.is_number_integer()) {
        return std::nullopt;
    }
    switch (number.get<int>()) {
    case 5:
        return ir::DType::Float16;
    case 6:
        return ir::DType::Float32;
    case 15:
        return ir::DType::BFloat16;
    default:
        return std::nullopt;
    }
}

std::vector<aot::AmbientAutocast> autocastsOf(const Json& state) {
    std::vector<aot::AmbientAutocast> found;
    const auto autocast = state.find("autocast_state");
    if (autocast == state.end() || !autocast->is_object()) {
        return found;
    }
    const Json enabled = autocast->value("enabled", Json::array());
    const Json dtypes = autocast->value("dtype", Json::array());
    for (std::size_t i = 0; i < autocastDevices.size() && i < enabled.size() && i < dtypes.size(); ++i) {
        const auto dtype = dtypeOf(dtypes[i]);
        if (enabled[i].is_boolean() && enabled[i].get<bool>() && dtype) {
            found.push_back({std::string(autocastDevices[i]), *dtype});
        }
    }
    return found;
}

/// The JSON object after the guard's name on its line.
Json guardedState(const std::string& guards) {
    const std::size_t guard = guards.find("___check_global_state");
    if (guard == std::string::npos) {
        return {};
    }
    const std::size_t end = guards.find('\n', guard);
    const std::size_t begin = guards.find('{', guard);
    const std::size_t last = guards.rfind('}', end);
    if (begin >= end || last == std::string::npos || last < begin) {
        return {};
    }
    return Json::parse(guards.substr(begin, last - begin + 1), nullptr, false);
}

/// The state in the first guard on the global state.
std::optional<GlobalState> stateIn(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) != load::RecordKind::DynamoCppGuards) {
            continue;
        }
        const Json guarded = guardedState(evidence.payload(record));
        if (guarded.is_object()) {
            const auto grad = guarded.find("grad_mode");
            return GlobalState{grad == guarded.end() || !grad->is_boolean() || grad->get<bool>(),
                               autocastsOf(guarded)};
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<GlobalState> LogEvidence::globalState() const {
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

} // namespace aotscope::evidence

#include "evidence/global_state.h"

#include "evidence/log_evidence.h"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>
#include <string>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

/// The order of devices in the guard: _AUTOCAST_SUPPORTED_DEVICES of torch 2.11 and 2.15,
/// ATen/autocast_mode.h.
constexpr std::array<std::string_view, 10> autocastDevices = {"cpu", "cuda", "mtia", "maia",          "xpu",
                                                              "ipu", "hpu",  "xla",  "privateuseone", "mps"};

/// Dtypes that autocast may compute in and that may be the default, by c10::ScalarType's number.
std::optional<ir::DType> floatingDtype(const Json& number) {
    if (!number.is_number_integer()) {
        return std::nullopt;
    }
    switch (number.get<std::int64_t>()) {
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

/// The members of the guard's JSON, each read only where it has the right type.
class StateReader {
public:
    explicit StateReader(const Json& json) : m_json(json) {}

    void read(const char* name, bool& value) const {
        if (const auto found = m_json.find(name); found != m_json.end() && found->is_boolean()) {
            value = found->get<bool>();
        }
    }
    [[nodiscard]] std::optional<std::int64_t> number(const char* name) const {
        const auto found = m_json.find(name);
        // Above this it is an unsigned number that does not fit.
        return found != m_json.end() && found->is_number_integer() &&
                       (!found->is_number_unsigned() ||
                        found->get<std::uint64_t>() <=
                            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                   ? std::optional(found->get<std::int64_t>())
                   : std::nullopt;
    }
    void read(const char* name, aot::ReducedSums& sums) const {
        // Before the option had three values it was a boolean.
        bool allowed = true;
        read(name, allowed);
        sums = allowed ? sums : aot::ReducedSums::NotAllowed;
        if (const auto found = number(name); found && *found >= 0 && *found <= 2) {
            sums = static_cast<aot::ReducedSums>(*found);
        }
    }
    [[nodiscard]] Json list(const char* name) const {
        const auto found = m_json.find(name);
        return found != m_json.end() && found->is_array() ? *found : Json::array();
    }

private:
    const Json& m_json;
};

void readAutocasts(const Json& json, aot::GlobalState& state) {
    const StateReader reader(json);
    reader.read("cached_enabled", state.autocastCache);
    const Json enabled = reader.list("enabled");
    const Json dtypes = reader.list("dtype");
    for (std::size_t i = 0; i < autocastDevices.size() && i < enabled.size() && i < dtypes.size(); ++i) {
        const auto dtype = floatingDtype(dtypes[i]);
        if (enabled[i].is_boolean() && enabled[i].get<bool>() && dtype) {
            state.autocasts.push_back({std::string(autocastDevices[i]), *dtype});
        }
    }
}

aot::GlobalState stateOf(const Json& json) {
    aot::GlobalState state;
    const StateReader reader(json);
    if (const auto dtype = json.find("default_dtype"); dtype != json.end()) {
        state.defaultDtype = floatingDtype(*dtype).value_or(state.defaultDtype);
    }
    reader.read("grad_mode", state.gradEnabled);
    reader.read("deterministic_algorithms", state.deterministic);
    reader.read("deterministic_algorithms_warn_only", state.deterministicWarnOnly);
    reader.read("allow_tf32", state.allowTf32);
    reader.read("allow_fp16_reduce", state.fp16Sums);
    reader.read("allow_bf16_reduce", state.bf16Sums);
    reader.read("torch_function", state.torchFunction);
    reader.read("torch_function_all_disabled", state.torchFunctionAllDisabled);
    state.matmulPrecision = reader.number("cuda_matmul_precision").value_or(state.matmulPrecision);
    state.threads = reader.number("num_threads");
    if (const auto autocast = json.find("autocast_state"); autocast != json.end() && autocast->is_object()) {
        readAutocasts(*autocast, state);
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
    const Json json = Json::parse(guards.substr(begin, last - begin + 1), nullptr, false);
    if (!json.is_object()) {
        return std::nullopt;
    }
    aot::GlobalState state = stateOf(json);
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

#pragma once

#include "session/rerun_request.h"
#include "session/run_options.h"

#include "aot/fields_json.h"
#include "aot/function_fields_json.h"
#include "aot/tensor_data_json.h"

#include <array>
#include <string_view>

/// How graphs and their nodes are run, for aot/fields_json.h: in messages to an engine, in reproducers and in
/// files of reruns.
namespace aotscope::aot::detail {

inline Json toJson(const session::DeviceChoice& device, JsonContext&) {
    return device.text();
}
inline void fromJson(const Json& json, session::DeviceChoice& device, JsonContext& context) {
    const auto read =
        session::deviceChoiceFromText(json.is_string() ? json.get_ref<const std::string&>() : std::string());
    read ? void(device = *read) : context.complain("expected a device to run on");
}
template<>
struct Fields<session::RunOptions> {
    static void visit(auto& field, auto& options) {
        field("seed", options.seed);
        field("device", options.device);
        field("symbols", options.symbols);
        field("inputs", options.inputs);
        field("keep_outputs", options.keepOutputs);
        field("keep_values", options.keepValues);
        field("only_kept_values", options.onlyKeptValues);
        field("statistics", options.statistics);
        field("fused", options.fused);
        field("profile", options.profile);
        field("rounding_noise", options.roundingNoise);
        field("state", options.state);
    }
};

template<>
struct Fields<session::RerunChanges> {
    static void visit(auto& field, auto& changes) {
        field("dtype", changes.dtype);
        field("symbols", changes.symbols);
        field("sizes", changes.sizes);
        field("device", changes.device);
        field("deterministic", changes.deterministic);
    }
};
template<>
struct Fields<session::RerunSettings> {
    static void visit(auto& field, auto& settings) {
        field("repetitions", settings.repetitions);
        field("warm_up", settings.warmUp);
        field("cold_cache", settings.coldCache);
        field("twist", settings.changes);
    }
};
template<>
struct Fields<session::RerunKernel> {
    static void visit(auto& field, auto& kernel) { field("source", kernel.source); }
};
template<>
struct EnumWords<session::RerunClock> {
    static constexpr std::array<std::string_view, 2> names = {"steady", "cuda_events"};
};

} // namespace aotscope::aot::detail

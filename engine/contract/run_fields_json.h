#pragma once

#include "contract/rerun_request.h"
#include "contract/run_options.h"

#include "aot/fields_json.h"
#include "aot/function_fields_json.h"
#include "aot/tensor_data_json.h"

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

} // namespace aotscope::aot::detail

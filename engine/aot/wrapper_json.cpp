#include "aot/wrapper_json.h"

#include "aot/wrapper_fields_json.h"

namespace aotscope::aot {

std::string wrappersToJson(const std::vector<WrapperStep>& wrappers) {
    detail::JsonContext context;
    return detail::toJson(wrappers, context).dump();
}

base::Result<std::vector<WrapperStep>> wrappersFromJson(std::string_view json) {
    const detail::Json parsed = detail::Json::parse(json, nullptr, false);
    if (parsed.is_discarded()) {
        return base::Error{.code = "aot.json_syntax", .message = "The wrappers are not JSON."};
    }
    detail::JsonContext context;
    std::vector<WrapperStep> wrappers;
    detail::fromJson(parsed, wrappers, context);
    if (!context.wrong.empty()) {
        return base::Error{.code = "aot.json_form",
                           .message = "The wrappers cannot be read: " + context.wrong};
    }
    return wrappers;
}

} // namespace aotscope::aot

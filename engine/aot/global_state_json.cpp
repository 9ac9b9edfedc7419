#include "aot/global_state_json.h"

#include "aot/fields_json.h"
#include "aot/function_fields_json.h"

namespace aotscope::aot {

std::string globalStateToJson(const GlobalState& state) {
    detail::JsonContext context;
    return detail::toJson(state, context).dump();
}

base::Result<GlobalState> globalStateFromJson(std::string_view json) {
    const detail::Json read = detail::Json::parse(json, nullptr, false);
    if (read.is_discarded()) {
        return base::Error{.code = "aot.json_syntax", .message = "The global state is not JSON."};
    }
    detail::JsonContext context;
    GlobalState state;
    detail::fromJson(read, state, context);
    if (!context.wrong.empty()) {
        return base::Error{.code = "aot.json_form",
                           .message = "The global state is malformed: " + context.wrong + "."};
    }
    return state;
}

} // namespace aotscope::aot

#include "contract/backend.h"

namespace aotscope::session {

std::string Backend::description() {
    auto text = answer(DescriptionCall());
    return text ? *std::move(text) : "an engine that cannot be used: " + text.error().message;
}

DeviceList Backend::devices() {
    auto list = answer(DevicesCall());
    if (list) {
        return *std::move(list);
    }
    DeviceList none;
    none.noGpu = list.error().message;
    return none;
}

} // namespace aotscope::session

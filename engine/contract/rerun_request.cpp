#include "contract/rerun_request.h"

namespace aotscope::session {

base::Result<DeviceChoice> rerunDevice(const RerunRequest& request) {
    const std::optional<std::string>& device = request.settings.changes.device;
    return device ? deviceChoiceFromText(*device) : base::Result<DeviceChoice>(request.run.device);
}

} // namespace aotscope::session

#include "common/compile_settings.h"

#include <algorithm>

namespace aotscope::views {

void CompileSettings::chooseTorch(const std::optional<aot::TorchVersion>& torch) {
    if (torch != m_torch) {
        m_torch = torch;
        Q_EMIT changed();
    }
}

void CompileSettings::chooseOption(const aot::ConfigSetting& setting) {
    const auto known = std::ranges::find(m_options, setting.name, &aot::ConfigSetting::name);
    if (known == m_options.end()) {
        m_options.push_back(setting);
    } else if (*known == setting) {
        return;
    } else {
        *known = setting;
    }
    Q_EMIT changed();
}

void CompileSettings::releaseOption(const std::string& name) {
    if (std::erase_if(m_options, [&](const aot::ConfigSetting& each) { return each.name == name; }) > 0) {
        Q_EMIT changed();
    }
}

void CompileSettings::releaseOptions() {
    if (!m_options.empty()) {
        m_options.clear();
        Q_EMIT changed();
    }
}

} // namespace aotscope::views

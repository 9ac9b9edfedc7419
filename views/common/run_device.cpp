#include "common/run_device.h"

#include "common/view_context.h"

namespace aotscope::views {

RunDevice::RunDevice(EngineClient* engine, QObject* parent)
    : QObject(parent), m_request(engine, QStringLiteral("devices")) {
    connect(&m_request, &RequestBase::changed, this, &RunDevice::listChanged);
}

void RunDevice::choose(session::DeviceChoice device) {
    if (device != m_chosen) {
        m_chosen = device;
        Q_EMIT changed();
    }
}

void RunDevice::lookUp() {
    if (!m_request.answer() && !m_request.isUnderWay()) {
        m_request.ask(session::ListDevices{});
    }
}

session::DeviceChoice chosenDevice(const ViewContext& context) {
    return context.device != nullptr ? context.device->chosen() : session::DeviceChoice();
}

} // namespace aotscope::views

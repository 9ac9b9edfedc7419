#pragma once

#include "common/run_device.h"

#include <QToolButton>

class QActionGroup;

namespace aotscope::views {

/// In the status bar: what graphs run on, with a menu to choose the CPU or a GPU. Where there is no GPU its
/// entry is disabled and says why and what would install what is missing.
class DeviceStatus : public QToolButton {
    Q_OBJECT

public:
    explicit DeviceStatus(RunDevice* device, QWidget* parent = nullptr);

private:
    void fillMenu();
    void addDevice(const session::DeviceInfo& device);
    void addReason(const session::DeviceList& list);
    void say();

    RunDevice* m_device;
    QActionGroup* m_choices;
};

} // namespace aotscope::views

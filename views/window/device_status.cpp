#include "window/device_status.h"

#include "common/format.h"
#include "common/plain_words.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

namespace aotscope::views {

DeviceStatus::DeviceStatus(RunDevice* device, QWidget* parent)
    : QToolButton(parent), m_device(device), m_choices(new QActionGroup(this)) {
    setObjectName(QStringLiteral("device"));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    m_choices->setExclusive(true);
    auto* menu = new QMenu(this);
    menu->setToolTipsVisible(true);
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, device, &RunDevice::lookUp);
    connect(device, &RunDevice::listChanged, this, &DeviceStatus::fillMenu);
    connect(device, &RunDevice::changed, this, &DeviceStatus::say);
    // Not within the click on an entry, which would be deleted by it.
    connect(device, &RunDevice::changed, this, &DeviceStatus::fillMenu, Qt::QueuedConnection);
    fillMenu();
    say();
}

void DeviceStatus::fillMenu() {
    menu()->clear();
    const session::DeviceListPtr list = m_device->known();
    if (!list) {
        addDevice({{}, {}});
        const bool failed = m_device->request().gaveUp();
        const QString why = m_device->request().error() ? views::text(m_device->request().error()->message)
                                                        : tr("it was canceled");
        QAction* looking =
            menu()->addAction(failed ? tr("Could not list GPUs: %1").arg(why) : tr("Looking for GPUs …"));
        looking->setEnabled(false);
        return;
    }
    for (const session::DeviceInfo& device : list->devices) {
        addDevice(device);
    }
    addReason(*list);
}

void DeviceStatus::addDevice(const session::DeviceInfo& device) {
    const session::DeviceChoice choice = device.device;
    const QString title = choice.isCuda() ? tr("GPU %1").arg(choice.index) : tr("CPU");
    QAction* action = menu()->addAction(
        device.name.empty() ? title : title + QStringLiteral(": ") + views::text(device.name));
    action->setCheckable(true);
    action->setChecked(m_device->chosen() == choice);
    const session::DeviceListPtr list = m_device->known();
    if (list && !session::checkDevice(*list, choice)) {
        action->setEnabled(false);
    }
    m_choices->addAction(action);
    connect(action, &QAction::triggered, this, [this, choice] { m_device->choose(choice); });
}

/// Why no GPU can be chosen, as an entry that cannot be chosen either.
void DeviceStatus::addReason(const session::DeviceList& list) {
    if (list.noGpu.empty()) {
        return;
    }
    menu()->addSeparator();
    QAction* reason = menu()->addAction(tr("No GPU: %1").arg(views::text(list.noGpu)));
    reason->setEnabled(false);
    QString howTo;
    for (const session::MissingLibrary& library : list.missing) {
        howTo +=
            tr("%1 is missing (%2); to install it: %3\n")
                .arg(views::text(library.name), views::text(library.detail), views::text(library.install));
    }
    reason->setToolTip(plainToolTip(howTo.trimmed()));
}

void DeviceStatus::say() {
    const session::DeviceChoice chosen = m_device->chosen();
    const QString words = chosen.isCuda() ? tr("GPU %1").arg(chosen.index) : tr("CPU");
    const QString device = tr("Device: %1").arg(words);
    setText(device + QStringLiteral(" ▾"));
    setAccessibleName(device);
    setToolTip(plainToolTip(tr("Device for runs and calls. Click to change.")));
}

} // namespace aotscope::views

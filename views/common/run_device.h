#pragma once

#include "common/request.h"
#include "contract/devices.h"

#include <QObject>

namespace aotscope::views {

struct ViewContext;

/// On which device the window runs graphs and calls functions: the CPU, or a GPU that a person chose for this
/// session. The list of devices is requested only when it is needed, because that opens LibTorch.
class RunDevice : public QObject {
    Q_OBJECT

public:
    explicit RunDevice(EngineClient* engine, QObject* parent = nullptr);

    [[nodiscard]] session::DeviceChoice chosen() const { return m_chosen; }
    void choose(session::DeviceChoice device);

    /// Requests the list of devices from the engine, unless it is known or already requested.
    void lookUp();
    /// Null: not known.
    [[nodiscard]] session::DeviceListPtr known() const { return m_request.answer(); }
    [[nodiscard]] const RequestBase& request() const { return m_request; }

Q_SIGNALS:
    /// Another device was chosen.
    void changed();
    /// The list of devices changed, or what became of the request for it.
    void listChanged();

private:
    session::DeviceChoice m_chosen;
    Request<session::DeviceListPtr> m_request;
};

/// The window's choice; the CPU where there is none.
[[nodiscard]] session::DeviceChoice chosenDevice(const ViewContext& context);

} // namespace aotscope::views

#pragma once

#include "aot/versions/torch_version.h"

#include <QObject>

#include <optional>

namespace aotscope::views {

/// Whose rules the window compiles by: those of the release that made each file, or those of a release that a
/// person chose for this session.
class TorchRules : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Nothing: as each file says.
    [[nodiscard]] const std::optional<aot::TorchVersion>& chosen() const { return m_chosen; }
    void choose(const std::optional<aot::TorchVersion>& torch);

Q_SIGNALS:
    void changed();

private:
    std::optional<aot::TorchVersion> m_chosen;
};

} // namespace aotscope::views

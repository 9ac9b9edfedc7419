#pragma once

#include "aot/functorch_config.h"
#include "aot/versions/torch_version.h"

#include <QObject>

#include <optional>
#include <string>
#include <vector>

namespace aotscope::views {

/// What a person chose for everything that the window compiles in this session, in place of what each file
/// says: whose rules apply, and options of torch._functorch.config.
class CompileSettings : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Nothing: the rules of the release that wrote each file.
    [[nodiscard]] const std::optional<aot::TorchVersion>& torch() const { return m_torch; }
    void chooseTorch(const std::optional<aot::TorchVersion>& torch);

    /// Each option once; empty: as each file says.
    [[nodiscard]] const std::vector<aot::ConfigSetting>& options() const { return m_options; }
    /// `setting` must be one that aot::setOption takes.
    void chooseOption(const aot::ConfigSetting& setting);
    void releaseOption(const std::string& name);
    void releaseOptions();

Q_SIGNALS:
    void changed();

private:
    std::optional<aot::TorchVersion> m_torch;
    std::vector<aot::ConfigSetting> m_options;
};

} // namespace aotscope::views

#pragma once

#include "steps/step_pause.h"

#include <QTreeWidget>

namespace aotscope::views {

/// The values that are alive where a call stands: type, statistics and a histogram in one line each.
class AliveView : public QTreeWidget {
    Q_OBJECT

public:
    explicit AliveView(QWidget* parent = nullptr);

    /// Null: none.
    void setPause(const steps::StepPausePtr& pause);

Q_SIGNALS:
    /// A person chose this value.
    void chosen(const QString& name);

private:
    steps::StepPausePtr m_pause;
    bool m_filling = false;
};

} // namespace aotscope::views

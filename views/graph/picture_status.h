#pragma once

#include "contract/snapshots.h"

#include <QLabel>

namespace aotscope::views {

/// The line that says how large the shown graph is and how it was laid out, or what just happened.
class PictureStatus : public QLabel {
public:
    explicit PictureStatus(QWidget* parent = nullptr);

    /// Null: nothing is shown.
    void showPicture(const session::LayoutSnapshotPtr& picture);
    /// Stays until another picture is shown.
    void say(const QString& message);
};

} // namespace aotscope::views

#pragma once

#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <memory>

namespace aotscope::views {

/// The Compare dock: two graphs side by side with matched nodes, the list of differences, and the unified
/// text diff. Each side can be any graph of the open logs, or is set with `compare`.
class ComparePanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparePanel(const ViewContext& context, QWidget* parent = nullptr);
    ~ComparePanel() override;

    void compare(const session::ArtifactReference& left, const session::ArtifactReference& right);
    [[nodiscard]] session::DiffSnapshotPtr shown() const;

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::views

#pragma once

#include "contract/retrace_snapshot.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QSlider;

namespace aotscope::views {

/// A slider over the stages of a re-traced compile, from Dynamo's graph to the forward that runs; shows the
/// graph of its stage. Keys skip stages that changed nothing or failed.
class StageBar : public QWidget {
    Q_OBJECT

public:
    explicit StageBar(QWidget* parent = nullptr);

    /// Hidden if the trace has no stages.
    void showStages(const session::RetraceSnapshotPtr& retraced);
    /// The trace whose stages are shown; null: none.
    [[nodiscard]] const session::RetraceSnapshotPtr& retraced() const { return m_retraced; }
    [[nodiscard]] int stage() const;
    /// Goes to the next stage in a direction that changed something; false: there are no stages.
    [[nodiscard]] bool step(int direction);
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    /// All stages, with what each changed.
    [[nodiscard]] const QString& said() const { return m_said; }
    /// The part of that for which there is room.
    [[nodiscard]] QString shown() const;

Q_SIGNALS:
    void chosen(const aotscope::session::ArtifactReference& graph);
    void compareRequested(const aotscope::session::ArtifactReference& before,
                          const aotscope::session::ArtifactReference& after);

protected:
    /// Watches the room for the words.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void describe();
    [[nodiscard]] QString words(int index, bool withChanges) const;
    [[nodiscard]] QStringList descriptions() const;
    [[nodiscard]] static QString changesText(const session::RetraceStage& stage);
    [[nodiscard]] const session::RetraceStage* tryStage(int index) const;
    [[nodiscard]] const session::RetraceStage* before(int index) const;

    session::RetraceSnapshotPtr m_retraced;
    QString m_said;
    QSlider* m_slider;
    QLabel* m_words;
    QPushButton* m_compare;
};

} // namespace aotscope::views

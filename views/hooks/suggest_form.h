#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/hooks_snapshot.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace aotscope::views {

/// Asks for hooks that reach a goal of bytes or error, shows the plan that was found and what it was measured
/// to cost, and applies it.
class SuggestForm : public QWidget {
    Q_OBJECT

public:
    explicit SuggestForm(const ViewContext& context, QWidget* parent = nullptr);

    void suggest();
    /// Sets the found plan as a choice of the partition.
    void apply();

    [[nodiscard]] QLineEdit* bytesField() const { return m_bytes; }
    [[nodiscard]] QLineEdit* errorField() const { return m_error; }
    [[nodiscard]] QPushButton* suggestButton() const { return m_suggest; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    [[nodiscard]] QListWidget* rules() const { return m_rules; }
    [[nodiscard]] QString said() const;
    /// The last answer for the selected joint graph; null: none.
    [[nodiscard]] const session::HookSuggestionSnapshotPtr& suggestion() const { return m_found; }

    /// The tag of the commands sent here. Their failures are shown in the form.
    [[nodiscard]] static QString tag() { return QStringLiteral("suggested hooks"); }

private:
    void makeFields();
    [[nodiscard]] std::optional<session::HookGoal> goal() const;
    void take();
    void followState();
    void followChoices();
    void followJoint();
    void showFound();
    void say(const QString& words, bool isWrong);

    ViewContext m_context;
    Request<session::HookSuggestionSnapshotPtr> m_request;
    session::HookSuggestionSnapshotPtr m_found;
    /// The request was dropped because the choices changed.
    bool m_isStopped = false;
    QLineEdit* m_bytes;
    QLineEdit* m_error;
    QPushButton* m_suggest;
    QPushButton* m_cancel;
    QPushButton* m_apply;
    QProgressBar* m_progress;
    QLabel* m_said;
    QListWidget* m_rules;
};

} // namespace aotscope::views

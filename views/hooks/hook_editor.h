#pragma once

#include "common/view_context.h"

#include <QString>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QTimer;

namespace aotscope::views {

class CodeEdit;

/// The text of a hook. The library's are shown; a person's own are edited, and each change becomes part of
/// the partition's choices a moment after the last key. Errors that the engine found stand at their lines.
class HookEditor : public QWidget {
    Q_OBJECT

public:
    explicit HookEditor(const ViewContext& context, QWidget* parent = nullptr);

    /// Shows a hook of the library or of a person; `line` (from 1; 0: none) is where an error is.
    void showHook(const std::string& name, int line = 0);
    /// Copies the shown hook into an own one, which can be edited.
    void editCopy();
    /// Removes the shown hook if it is a person's own.
    void removeOwn();
    /// Whether the shown hook is a person's own, so that it can be edited.
    [[nodiscard]] bool isOwn() const;

    [[nodiscard]] CodeEdit* edit() const { return m_edit; }
    [[nodiscard]] QComboBox* names() const { return m_names; }
    [[nodiscard]] QPushButton* copyButton() const { return m_copy; }
    [[nodiscard]] QPushButton* removeButton() const { return m_remove; }
    /// The line below the text: what is wrong, or what the hook does.
    [[nodiscard]] QString said() const;

private:
    void follow();
    void followChoices();
    void followErrors();
    void type();

    ViewContext m_context;
    QComboBox* m_names;
    QPushButton* m_copy;
    QPushButton* m_remove;
    CodeEdit* m_edit;
    QLabel* m_said;
    QTimer* m_typing;
    std::string m_name;
    bool m_following = false;
};

} // namespace aotscope::views

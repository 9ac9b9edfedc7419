#pragma once

#include "hooks/capsule_rows.h"

#include <QWidget>

class QComboBox;
class QTreeView;

namespace aotscope::views {

class ElidedLabel;
class EmptyPage;
class GradientModel;

/// The error of every gradient: those that the chosen tensor's hook reaches, with that hook alone, or all
/// gradients with all hooks together.
class GradientView : public QWidget {
    Q_OBJECT

public:
    explicit GradientView(QWidget* parent = nullptr);

    /// `chosen` null: no tensor is chosen. `words` says how to measure while nothing is.
    void setMeasured(const CapsuleSource& source, const Capsule* chosen, const QString& words);

    [[nodiscard]] QTreeView* view() const { return m_view; }
    [[nodiscard]] GradientModel* model() const { return m_model; }
    [[nodiscard]] QComboBox* scope() const { return m_scope; }

private:
    void show();
    void showChosen();
    void showAll();

    CapsuleSource m_source;
    std::string m_chosen;
    QString m_hook;
    QString m_words;
    GradientModel* m_model;
    QTreeView* m_view;
    QComboBox* m_scope;
    ElidedLabel* m_title;
    EmptyPage* m_pages;
};

} // namespace aotscope::views

#pragma once

#include "contract/rerun_request.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace aotscope::views {

/// How nodes are run again: the button, and what is changed.
class RerunForm : public QWidget {
    Q_OBJECT

public:
    explicit RerunForm(QWidget* parent = nullptr);

    /// Which names in the field for sizes are symbols.
    void setSymbols(std::vector<std::string> symbols);
    /// Whether there is something to run, and whether it is being run.
    void setState(bool canRun, bool isRunning);
    /// Nothing if a field cannot be read; `failure` then says which.
    [[nodiscard]] std::optional<session::RerunSettings> settings(QString& failure) const;

    [[nodiscard]] QPushButton* rerunButton() const { return m_rerun; }
    [[nodiscard]] QPushButton* cancelButton() const { return m_cancel; }
    [[nodiscard]] QSpinBox* repetitions() const { return m_repetitions; }
    [[nodiscard]] QComboBox* dtypes() const { return m_dtype; }
    [[nodiscard]] QComboBox* caches() const { return m_cache; }
    [[nodiscard]] QComboBox* algorithms() const { return m_algorithms; }
    [[nodiscard]] QLineEdit* sizes() const { return m_sizes; }

Q_SIGNALS:
    void rerunWanted();
    void cancelWanted();

private:
    QPushButton* m_rerun;
    QPushButton* m_cancel;
    QSpinBox* m_repetitions;
    QComboBox* m_dtype;
    QComboBox* m_cache;
    QComboBox* m_algorithms;
    QLineEdit* m_sizes;
    std::vector<std::string> m_symbols;
};

} // namespace aotscope::views

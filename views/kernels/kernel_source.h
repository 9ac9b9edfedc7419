#pragma once

#include "kernels/compile_message.h"
#include "kernels/fused_kernel.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QTimer;

namespace aotscope::views {

class CodeEdit;
class KernelVariants;
class ThemeSource;

/// The CUDA C++ of a fused kernel: as it is generated, or as a person changed it, with the compiler's errors
/// at their lines.
class KernelSource : public QWidget {
    Q_OBJECT

public:
    KernelSource(const ThemeSource* theme, KernelVariants* variants, QWidget* parent = nullptr);

    /// Nothing: no fused kernel is chosen.
    void showKernel(const std::optional<kernels::FusedKernel>& kernel);
    [[nodiscard]] const std::optional<kernels::FusedKernel>& kernel() const { return m_kernel; }
    /// The text as it stands there.
    [[nodiscard]] std::string source() const;
    /// Whether it is another one than is generated.
    [[nodiscard]] bool isChanged() const;
    /// Marks the lines that load, compute or store the node; invalid: none. What a person wrote anew is not
    /// known to belong to a node.
    void markNode(ir::NodeId node);
    /// What the compiler said of the text, and how it is summed up.
    void setMessages(const std::vector<kernels::CompileMessage>& messages, const QString& summary);
    /// In place of a kernel: what to do to see one.
    void setHint(const QString& words);
    /// Says why nothing was compiled.
    void setTrouble(const QString& words);
    void revert();
    void keepVariant();

    [[nodiscard]] CodeEdit* edit() const { return m_edit; }
    [[nodiscard]] QComboBox* choices() const { return m_choices; }
    [[nodiscard]] QPushButton* revertButton() const { return m_revert; }
    [[nodiscard]] QPushButton* keepButton() const { return m_keep; }
    [[nodiscard]] QString said() const;

Q_SIGNALS:
    /// The text is another one; after a person typed, a moment later.
    void sourceChanged();
    /// The cursor is at another line, counted from 1.
    void lineChanged(int line);

private:
    void showControls();
    void fillChoices();
    void choose(int index);
    void updateButtons();
    void markLines();

    KernelVariants* m_variants;
    QComboBox* m_choices;
    QPushButton* m_revert;
    QPushButton* m_keep;
    QLabel* m_said;
    CodeEdit* m_edit;
    QTimer* m_typing;
    std::optional<kernels::FusedKernel> m_kernel;
    ir::NodeId m_node;
    /// While the text is set by the program.
    bool m_setting = false;
};

} // namespace aotscope::views

#pragma once

#include "common/view_context.h"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QPushButton;

namespace aotscope::views {

class ElidedLabel;

/// Buttons that force a node, a module or the search result to be saved or recomputed. Hidden if there is
/// nothing to choose.
class WhyBar : public QWidget {
    Q_OBJECT

public:
    explicit WhyBar(const ViewContext& context, QWidget* parent = nullptr);

    /// Empty: none.
    void setNode(const std::string& node);
    /// Names of the nodes that match the graph's search.
    void setFound(std::vector<std::string> names);

    [[nodiscard]] QComboBox* scope() const { return m_scope; }
    [[nodiscard]] QPushButton* saveButton() const { return m_save; }
    [[nodiscard]] QPushButton* recomputeButton() const { return m_recompute; }

    void forceSave();
    void forceRecompute();
    void release();

private:
    struct Scope {
        QString title;
        std::vector<std::string> nodes;
        /// After the names of the nodes.
        QString remark;
    };
    void refresh();
    void updateButtons();
    void sayTaken();
    [[nodiscard]] const std::vector<std::string>& chosen() const;

    ViewContext m_context;
    QComboBox* m_scope;
    QPushButton* m_save;
    QPushButton* m_recompute;
    QPushButton* m_release;
    ElidedLabel* m_taken;
    std::string m_node;
    std::vector<std::string> m_found;
    std::vector<Scope> m_scopes;
};

} // namespace aotscope::views

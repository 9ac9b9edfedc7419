#pragma once

#include "common/view_context.h"
#include "contract/reference.h"

#include <QUrl>
#include <QWidget>

#include <optional>
#include <string>

class QTextBrowser;

namespace aotscope::views {

class EmptyPage;
class WhyBar;

/// The Inspector dock: everything known of the selection. Every name is a link; Tab and Enter reach and
/// follow them.
class InspectorPanel : public QWidget {
    Q_OBJECT

public:
    explicit InspectorPanel(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTextBrowser* view() const { return m_view; }
    [[nodiscard]] WhyBar* whyBar() const { return m_whyBar; }
    void followLink(const QUrl& link);
    /// Scrolls to the section "Why" of the selected node.
    void showWhy();

Q_SIGNALS:
    void textRequested();
    /// A person wants all options of the compile.
    void settingsRequested();

private:
    void refresh();
    void showHtml(const QString& html);
    void askOtherWay();
    [[nodiscard]] QString whyOf(const std::string& node) const;
    void selectSource(const QString& place);
    void selectInPartition(const std::string& node);
    void selectCopy(const std::string& node);

    ViewContext m_context;
    QTextBrowser* m_view;
    EmptyPage* m_pages;
    WhyBar* m_whyBar;
    /// What was shown last.
    std::optional<session::Selection> m_shown;
    QString m_told;
    /// When this node is shown, scroll to the section "Why".
    std::string m_whyNode;
};

} // namespace aotscope::views

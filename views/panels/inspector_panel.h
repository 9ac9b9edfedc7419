#pragma once

#include "panels/panel_context.h"

#include <QUrl>
#include <QWidget>

class QTextBrowser;

namespace aotscope::views {

class EmptyPage;

/// The Inspector dock: everything known of the selection. Every name is a link; the keyboard reaches them
/// with Tab and Enter.
class InspectorPanel : public QWidget {
    Q_OBJECT

public:
    explicit InspectorPanel(const PanelContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTextBrowser* view() const { return m_view; }
    void followLink(const QUrl& link);

Q_SIGNALS:
    void textRequested();

private:
    void refresh();
    void selectSource(const QString& place);

    PanelContext m_context;
    QTextBrowser* m_view;
    EmptyPage* m_pages;
};

} // namespace aotscope::views

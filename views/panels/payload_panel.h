#pragma once

#include "common/request.h"
#include "common/view_context.h"
#include "contract/snapshots.h"

#include <QWidget>

#include <optional>

class QLabel;
class QListWidget;
class QStackedWidget;
class QTabBar;
class QTreeView;

namespace aotscope::views {

class CodeView;
class EmptyPage;
class FindBar;
class JsonModel;

/// The Payload dock: the content of a log record. JSON as a tree, stacks as lists, text with highlighting;
/// the record's envelope and stack in tabs beside it. Text with sections (the wrappers' code of torch 2.15)
/// has a list of them at its side.
class PayloadPanel : public QWidget {
    Q_OBJECT

public:
    explicit PayloadPanel(const ViewContext& context, QWidget* parent = nullptr);

    void showRecord(quint32 log, load::RecordId record);
    [[nodiscard]] const session::PayloadSnapshotPtr& shown() const { return m_payload; }
    [[nodiscard]] JsonModel* json() const { return m_json; }
    [[nodiscard]] CodeView* textView() const { return m_text; }
    [[nodiscard]] QTabBar* tabs() const { return m_tabs; }
    /// The sections of a text that has some, beside it; each leads to its line.
    [[nodiscard]] QListWidget* sections() const { return m_sections; }

private:
    enum Tab { Payload, PayloadText, Envelope, Stack };
    void follow();
    void followRequest();
    void show(const session::PayloadSnapshotPtr& payload);
    void showGraphText(const session::GraphSnapshotPtr& graph);
    void addTab(const QString& title, Tab tab);
    void showTab();
    void release();
    void showEmpty(const QString& title, const QString& howTo);
    void fillStack();
    void fillSections();
    void goToSection(int row);
    void markSectionOf(int line);

    ViewContext m_context;
    EmptyPage* m_pages;
    QLabel* m_title;
    QTabBar* m_tabs;
    QStackedWidget* m_views;
    CodeView* m_text;
    QListWidget* m_sections;
    QTreeView* m_tree;
    JsonModel* m_json;
    QListWidget* m_stack;
    session::PayloadSnapshotPtr m_payload;
    Request<session::PayloadSnapshotPtr> m_request;
    /// The log of the shown or requested record.
    std::optional<quint32> m_shownLog;
    session::GraphSnapshotPtr m_wantedGraph;
};

} // namespace aotscope::views

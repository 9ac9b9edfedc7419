#include "window/keys_dialog.h"

#include "common/format.h"
#include "common/theme.h"

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QMenu>
#include <QScreen>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

QString keyWords(const char* words) {
    return QCoreApplication::translate("KeysDialog", words);
}

/// Keys that work in one picture only and are in no menu.
struct PictureKeys {
    const char* picture;
    struct Row {
        const char* keys;
        const char* does;
    };
    std::vector<Row> rows;
};

const std::vector<PictureKeys>& pictureKeys() {
    static const std::vector<PictureKeys> all = {
        {"In the graph",
         {{"W A S D, arrows", "walk along the edges"},
          {"Wheel, Ctrl+Wheel", "pan; zoom where the mouse is"},
          {"+, −, 0, Space", "zoom in, zoom out, to 100 %, show the whole graph"},
          {"F", "center the current node"},
          {"Enter, Backspace", "open or close the group; close the group around the node"},
          {"Drag, Shift+drag", "pan; pick nodes with a rectangle, to export them"},
          {"Ctrl+click", "pick one more node, or unpick it"},
          {"Click on a group's title", "pick all of the group"},
          {"Click on a band", "select what it saves; again: the next value of the band"},
          {"/", "search with a regular expression"},
          {"Esc", "unpick all nodes"}}},
        {"In the memory picture",
         {{"W A S D", "zoom in, left, zoom out, right"},
          {"Wheel, Ctrl+Wheel", "pan; zoom where the mouse is"},
          {"F", "show the selected value's life; again: the whole step"},
          {"P, ←, →", "put the ▲ on the peak, move it node by node (Shift: by ten)"},
          {"M, T", "measure the step; draw each node as wide as the time it took"},
          {"Drag, Shift+drag", "pan; pick a range: the tables show what is alive in it"},
          {"Esc", "clear the range and stop fading the graph"}}},
        {"In the budget picture",
         {{"←, →", "the next budget of the curves (Shift: by hundredths)"},
          {"Home, End", "budget 0, budget 1"},
          {"R, Esc", "try the budgets again, stop trying"}}},
        {"In the timeline",
         {{"W A S D", "zoom in, left, zoom out, right"},
          {"Wheel, Ctrl+Wheel", "scroll; zoom where the mouse is"},
          {"F, Home", "show the selected event; show all"},
          {"← → or , .", "the event before, after it in its row"},
          {"↑ ↓", "the event around it; the first event inside it"},
          {"[ ]", "the event of the same name before, after it"},
          {"M", "mark the place, or unmark it"},
          {"Drag, Shift+drag", "pan; pick a range"},
          {"/", "search"},
          {"Esc", "clear the range and the marks"}}},
        {"In Inlining", {{"Space", "turn the hook of the selected tensor on or off"}}},
        {"In Kernels", {{"Ctrl+Return", "run the selected nodes again"}}},
    };
    return all;
}

QString keyRow(const QString& keys, const QString& title, const QString& does, const Theme& theme) {
    return QStringLiteral("<tr><td style=\"font-family:'%1'; padding-right:16px; white-space:nowrap\">%2</td>"
                          "<td style='padding-right:16px'>%3</td><td style='color:%4'>%5</td></tr>")
        .arg(codeFont().family(), keys.toHtmlEscaped(), title.toHtmlEscaped(), theme.dimText.name(),
             does.toHtmlEscaped());
}

QString menuOf(const QAction& action) {
    for (const QObject* object : action.associatedObjects()) {
        if (const auto* menu = qobject_cast<const QMenu*>(object)) {
            return menu->title().remove(QLatin1Char('&'));
        }
    }
    return keyWords("Others");
}

/// Actions with keys, grouped by menu in menu order; each submenu is a separate group.
std::vector<std::pair<QString, std::vector<const QAction*>>> byMenu(const std::vector<QAction*>& actions) {
    std::vector<std::pair<QString, std::vector<const QAction*>>> menus;
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty()) {
            continue;
        }
        const QString menu = menuOf(*action);
        auto found = std::ranges::find(menus, menu, &decltype(menus)::value_type::first);
        if (found == menus.end()) {
            found = menus.insert(menus.end(), {menu, {}});
        }
        found->second.push_back(action);
    }
    return menus;
}

} // namespace

QString keysHtml(const std::vector<QAction*>& actions, const ThemeSource& theme) {
    const auto heading = [](const QString& title) {
        return QStringLiteral("<tr><td colspan='3'><h4>%1</h4></td></tr>").arg(title.toHtmlEscaped());
    };
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2' width='100%'>");
    for (const auto& [menu, its] : byMenu(actions)) {
        html += heading(menu);
        for (const QAction* action : its) {
            html += keyRow(action->shortcut().toString(QKeySequence::NativeText),
                           action->text().remove(QLatin1Char('&')), action->statusTip(), theme.theme());
        }
    }
    for (const PictureKeys& picture : pictureKeys()) {
        html += heading(keyWords(picture.picture));
        for (const PictureKeys::Row& row : picture.rows) {
            html += keyRow(QString::fromUtf8(row.keys), {}, keyWords(row.does), theme.theme());
        }
    }
    return html + QStringLiteral("</table>");
}

void showKeys(const std::vector<QAction*>& actions, const ThemeSource& theme, QWidget* window) {
    auto* dialog = new QDialog(window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(keyWords("Commands and keys"));
    auto* page = new QTextBrowser;
    page->setHtml(keysHtml(actions, theme));
    page->setAccessibleName(dialog->windowTitle());
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(page);
    dialog->resize(QSize(880, 620).boundedTo(window->screen()->availableSize() - QSize(20, 60)));
    dialog->show();
}

} // namespace aotscope::views

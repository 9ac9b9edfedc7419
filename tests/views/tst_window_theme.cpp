// The theme follows the system while the window is open, completely.
#include "support/pictures.h"
#include "support/watchdog.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/code_view.h"
#include "graph/graph_panel.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "retrace/retrace_panel.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QToolTip>

#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Does what a desktop does when its theme is switched.
void setSystemTheme(bool dark) {
    QPalette palette;
    palette.setColor(QPalette::Window, dark ? QColor(0x20, 0x20, 0x20) : QColor(0xf0, 0xf0, 0xf0));
    palette.setColor(QPalette::WindowText, dark ? Qt::white : Qt::black);
    QApplication::setPalette(palette);
}

struct ThemeBench : test::WindowBench {
    [[nodiscard]] bool start() {
        if (!open(test::sampleLogPath())) {
            return false;
        }
        const bool shown = QTest::qWaitFor(
            [this] {
                return window->currentPartition()->snapshot() && window->panel<GraphDock>()->panel()->shown();
            },
            test::patience);
        if (!shown) {
            return false;
        }
        window->currentGraph()->selectNode(
            window->currentGraph()->graph()->graph->order()[window->currentGraph()->graph()->graph->size() /
                                                            2]);
        return settled();
    }
    /// Nothing is under way, and what came was painted.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return !window->parts().jobs->busy(); }, test::patience);
    }
    [[nodiscard]] QImage picture(const QString& dock) const {
        window->action(QStringLiteral("show-") + dock)->trigger();
        QCoreApplication::processEvents();
        (void)settled();
        (void)test::Watchdog().awaitTurns();
        QApplication::setCursorFlashTime(0);
        return window->grab().toImage();
    }
};

int differences(const QImage& left, const QImage& right) {
    if (left.size() != right.size()) {
        return left.width() * left.height();
    }
    int count = 0;
    for (int y = 0; y < left.height(); ++y) {
        for (int x = 0; x < left.width(); ++x) {
            count += left.pixel(x, y) != right.pixel(x, y) ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class WindowThemeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        test::OwnSettings::clear();
        setSystemTheme(false);
    }
    void cleanup() { setSystemTheme(false); }

    /// A window that was opened in one theme and switched looks as one that was opened in the other.
    void aSwitchLeavesNothingOfTheOtherTheme_data() {
        QTest::addColumn<bool>("toDark");
        QTest::newRow("to dark") << true;
        QTest::newRow("to light") << false;
    }
    void aSwitchLeavesNothingOfTheOtherTheme() {
        QFETCH(bool, toDark);
        const std::vector<QImage> wanted = pictures(toDark, toDark);
        const std::vector<QImage> found = pictures(!toDark, toDark);
        const QStringList panels = test::panelIds();
        QCOMPARE(static_cast<qsizetype>(wanted.size()), panels.size());
        QCOMPARE(static_cast<qsizetype>(found.size()), panels.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const QString panel = panels[static_cast<qsizetype>(i)];
            const QString name = QStringLiteral("theme-%1-%2")
                                     .arg(toDark ? QStringLiteral("dark") : QStringLiteral("light"), panel);
            QVERIFY(found[i].save(test::artifactPath(name + QStringLiteral(".png"))));
            QVERIFY(wanted[i].save(test::artifactPath(name + QStringLiteral("-wanted.png"))));
            const int count = differences(wanted[i], found[i]);
            QVERIFY2(count == 0, qPrintable(QStringLiteral("%1: %2 pixels are not as in a window opened in "
                                                           "this theme")
                                                .arg(panel)
                                                .arg(count)));
        }
    }

    /// Windows of their own: docks that float, menus, dialogs, the lists of choices, tooltips.
    void whatIsAWindowOfItsOwnFollows() {
        ThemeBench bench;
        QVERIFY(bench.start());
        QDockWidget* dock = bench.window->dock(QStringLiteral("text"));
        dock->setFloating(true);
        auto* choice = bench.window->findChild<QComboBox*>(QStringLiteral("graphColorBy"));
        choice->showPopup();
        QVERIFY(QTest::qWaitFor([&] { return choice->view()->isVisible(); }, test::patience));
        choice->hidePopup();
        QMenu* menu = bench.window->menuBar()->actions().front()->menu();
        menu->popup(QPoint(100, 100));
        menu->hide();
        QDialog dialog(bench.window.get());
        dialog.show();
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            const Theme wanted = dark ? Theme::darkTheme() : Theme::lightTheme();
            for (const QWidget* each : std::initializer_list<const QWidget*>{
                     dock, bench.window->panel<TextPanel>()->view(), menu, &dialog, choice->view()}) {
                QVERIFY(each->window() != bench.window.get());
                const QPalette palette = each->palette();
                QCOMPARE(palette.color(QPalette::Window), wanted.panel);
                QCOMPARE(palette.color(QPalette::Text), wanted.text);
            }
            QCOMPARE(QToolTip::palette().color(QPalette::ToolTipBase), wanted.raised);
        }
    }

    void aThemeThatIsChosenStaysWhateverTheSystemDoes() {
        ThemeBench bench;
        QVERIFY(bench.start());
        bench.window->action(QStringLiteral("themeDark"))->trigger();
        QVERIFY(bench.theme.theme().dark);
        setSystemTheme(true);
        setSystemTheme(false);
        QCoreApplication::processEvents();
        QVERIFY(bench.theme.theme().dark);
        bench.window->action(QStringLiteral("themeSystem"))->trigger();
        QVERIFY(!bench.theme.theme().dark);
    }

private:
    /// Every panel of a window that begins in one theme and is switched to the other, or is not, once every
    /// panel has been seen.
    static std::vector<QImage> pictures(bool startDark, bool endDark) {
        setSystemTheme(startDark);
        ThemeBench bench;
        if (!bench.start() || bench.theme.theme().dark != startDark) {
            return {};
        }
        for (const QString& dock : test::panelIds()) {
            (void)bench.picture(dock);
        }
        setSystemTheme(endDark);
        std::vector<QImage> made;
        for (const QString& dock : test::panelIds()) {
            made.push_back(bench.picture(dock));
        }
        return bench.theme.theme().dark == endDark ? made : std::vector<QImage>();
    }

    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_theme, WindowThemeTest)
#include "tst_window_theme.moc"

// The list of panels, and what the window makes from it: docks, keys, the README's table, arrangements.
#include "support/window_bench.h"
#include "support/window_test.h"

#include "window/panel_docks.h"
#include "window/panel_spec.h"

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QMenuBar>
#include <QRegularExpression>

#include <set>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// Keys that GNOME, KDE Plasma, Xfce, Cinnamon or MATE reserve by default: locking, terminals, workspaces,
/// moving and closing windows, killing the X server. Function keys with Ctrl (Plasma and Xfce: workspaces),
/// Alt, or both are added.
const QStringList& desktopKeys() {
    static const QStringList keys = {
        QStringLiteral("Ctrl+Alt+L"),   QStringLiteral("Ctrl+Alt+T"),    QStringLiteral("Ctrl+Alt+D"),
        QStringLiteral("Ctrl+Alt+S"),   QStringLiteral("Ctrl+Alt+A"),    QStringLiteral("Ctrl+Alt+K"),
        QStringLiteral("Ctrl+Alt+Del"), QStringLiteral("Ctrl+Alt+Esc"),  QStringLiteral("Ctrl+Alt+Backspace"),
        QStringLiteral("Ctrl+Alt+Tab"), QStringLiteral("Ctrl+Alt+Left"), QStringLiteral("Ctrl+Alt+Right"),
        QStringLiteral("Ctrl+Alt+Up"),  QStringLiteral("Ctrl+Alt+Down"), QStringLiteral("Ctrl+Alt+Home"),
        QStringLiteral("Ctrl+Alt+End"), QStringLiteral("Ctrl+Alt+Ins"),  QStringLiteral("Ctrl+Esc"),
        QStringLiteral("Alt+Tab"),      QStringLiteral("Alt+Shift+Tab"), QStringLiteral("Alt+Esc"),
        QStringLiteral("Alt+Space"),    QStringLiteral("Alt+Print"),     QStringLiteral("Ctrl+Print"),
        QStringLiteral("Shift+Print"),  QStringLiteral("Print"),
    };
    return keys;
}

bool isDesktopKey(const QKeySequence& key) {
    static const QRegularExpression functionKey(QStringLiteral("^(Ctrl\\+)?(Alt\\+)?F\\d+$"));
    const QString name = key.toString(QKeySequence::PortableText);
    const bool hasModifier = name.contains(QLatin1Char('+'));
    return desktopKeys().contains(name) || name.contains(QLatin1String("Meta+")) ||
           (hasModifier && functionKey.match(name).hasMatch());
}

/// Titles and keys in the README's table.
std::vector<std::pair<QString, QString>> readmeRows() {
    QFile readme(QStringLiteral(AOTSCOPE_SOURCE_DIR "/README.md"));
    if (!readme.open(QIODevice::ReadOnly)) {
        return {};
    }
    static const QRegularExpression row(QStringLiteral("^\\| \\*\\*([^*]+)\\*\\* \\| ([^|]+) \\|"));
    std::vector<std::pair<QString, QString>> rows;
    for (const QByteArray& line : readme.readAll().split('\n')) {
        if (const QRegularExpressionMatch match = row.match(QString::fromUtf8(line)); match.hasMatch()) {
            rows.emplace_back(match.captured(1), match.captured(2));
        }
    }
    return rows;
}

QWidget* somePanel(const ViewContext&) {
    return new QLabel(QStringLiteral("a panel"));
}

/// The window's list with trivial panels, without one of them.
std::vector<PanelSpec> specsWithout(const QString& id) {
    std::vector<PanelSpec> specs;
    for (PanelSpec spec : panelSpecs()) {
        spec.make = somePanel;
        if (id != QLatin1String(spec.id)) {
            specs.push_back(spec);
        }
    }
    return specs;
}

void show(PanelDocks& docks) {
    docks.resize(1600, 1000);
    docks.show();
    QVERIFY(QTest::qWaitForWindowExposed(&docks, test::patience));
    // The docks share the room once they have some.
    QTRY_VERIFY_WITH_TIMEOUT(docks.dock(QStringLiteral("compiles"))->width() > 400, test::patience);
}

} // namespace

class WindowPanelListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theReadmeNamesEveryPanelWithItsKey() {
        std::vector<std::pair<QString, QString>> listed;
        for (const PanelSpec& spec : panelSpecs()) {
            listed.emplace_back(QLatin1String(spec.title),
                                QKeySequence(spec.key).toString(QKeySequence::PortableText));
        }
        QCOMPARE(readmeRows(), listed);
    }

    void everyPanelHasAnIdATitleAndAnIconOfItsOwn() {
        std::set<QString> seen;
        for (const PanelSpec& spec : panelSpecs()) {
            for (const QString& each : {QStringLiteral("id ") + QLatin1String(spec.id),
                                        QStringLiteral("title ") + QLatin1String(spec.title),
                                        QStringLiteral("icon ") + QLatin1String(spec.icon)}) {
                QVERIFY2(seen.insert(each).second, qPrintable(each));
            }
            const QString icon = QStringLiteral(":/aotscope/icons/%1.svg").arg(QLatin1String(spec.icon));
            QVERIFY2(QFile::exists(icon), qPrintable(icon));
        }
    }

    void theMenuViewListsThePanelsAndTheirKeysShowThem() {
        test::WindowBench bench;
        QVERIFY(bench.open(test::sampleLogPath()));
        const QMenu* view = nullptr;
        for (const QAction* menu : bench.window->menuBar()->actions()) {
            view = menu->text() == QLatin1String("&View") ? menu->menu() : view;
        }
        QVERIFY(view);
        qsizetype row = 0;
        for (const PanelSpec& spec : panelSpecs()) {
            QAction* entry = view->actions()[row++];
            QCOMPARE(entry, bench.window->action(QStringLiteral("show-") + QLatin1String(spec.id)));
            QCOMPARE(entry->text(), QLatin1String(spec.title));
            QCOMPARE(entry->shortcut(), QKeySequence(spec.key));
            QVERIFY(!entry->icon().isNull());
            QDockWidget* dock = bench.window->dock(QLatin1String(spec.id));
            dock->close();
            entry->trigger();
            QVERIFY2(dock->isVisible(), spec.id);
        }
    }

    /// A command whose key locks the screen is none.
    void noCommandWantsAKeyThatADesktopTakes() {
        QVERIFY(isDesktopKey(QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_L)));
        QVERIFY(isDesktopKey(QKeySequence(Qt::CTRL | Qt::Key_F4)));
        QVERIFY(!isDesktopKey(QKeySequence(Qt::Key_F5)));
        const test::WindowBench bench;
        std::set<QKeySequence> seen;
        for (const QAction* action : bench.window->findChildren<QAction*>()) {
            if (bench.window->action(action->objectName()) != action) {
                continue; // Of a widget of Qt's own.
            }
            // A second key may be one that debuggers have and some desktops take (Ctrl+F10).
            QVERIFY2(!isDesktopKey(action->shortcut()),
                     qPrintable(action->objectName() + QLatin1Char(' ') + action->shortcut().toString()));
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(seen.insert(key).second, qPrintable(key.toString() + QStringLiteral(" twice")));
            }
        }
        for (const PanelSpec& spec : panelSpecs()) {
            QVERIFY2(seen.contains(QKeySequence(spec.key)), spec.id);
        }
    }

    /// Compiles, Graph, and Inspector over Text from left to right; the others below, as wide as the window.
    void everyPanelBeginsInItsPlace() {
        const std::vector<PanelSpec> specs = specsWithout({});
        PanelDocks docks(specs, {});
        show(docks);
        const auto at = [&docks](const char* id) { return docks.dock(QLatin1String(id))->geometry(); };
        QVERIFY(at("compiles").right() < at("graph").left() && at("graph").right() < at("inspector").left());
        QVERIFY(at("inspector").bottom() < at("text").top() && at("inspector").left() == at("text").left());
        QVERIFY(at("problems").top() > at("graph").bottom() && at("problems").width() == docks.width());
        for (const PanelSpec& spec : specs) {
            const QDockWidget* dock = docks.dock(QLatin1String(spec.id));
            QVERIFY2(!dock->isHidden() && !dock->isFloating(), spec.id);
            const auto neighbours = docks.tabifiedDockWidgets(docks.dock(QLatin1String(spec.id)));
            for (const PanelSpec& other : specs) {
                const bool isTab = spec.id != other.id && spec.place == other.place;
                QCOMPARE(neighbours.contains(docks.dock(QLatin1String(other.id))), isTab);
            }
        }
    }

    /// What a person arranged before the program had the panel stays; it comes as a tab to those of its
    /// place.
    void anArrangementWithAPanelFewerIsKept() {
        const std::vector<PanelSpec> before = specsWithout(QStringLiteral("memory"));
        QByteArray saved;
        int width = 0;
        {
            PanelDocks docks(before, {});
            show(docks);
            docks.dock(QStringLiteral("payload"))->close();
            docks.dock(QStringLiteral("run"))->setFloating(true);
            docks.addDockWidget(Qt::RightDockWidgetArea, docks.dock(QStringLiteral("saved")));
            docks.resizeDocks({docks.dock(QStringLiteral("compiles"))}, {700}, Qt::Horizontal);
            QCoreApplication::processEvents();
            width = docks.dock(QStringLiteral("compiles"))->width();
            saved = docks.arrangement();
        }
        const std::vector<PanelSpec> now = specsWithout({});
        PanelDocks docks(now, {});
        QVERIFY(docks.restoreArrangement(saved));
        show(docks);
        QTRY_COMPARE_WITH_TIMEOUT(docks.dock(QStringLiteral("compiles"))->width(), width, test::patience);
        QVERIFY(docks.dock(QStringLiteral("payload"))->isHidden());
        QVERIFY(docks.dock(QStringLiteral("run"))->isFloating());
        QCOMPARE(docks.dockWidgetArea(docks.dock(QStringLiteral("saved"))), Qt::RightDockWidgetArea);
        QDockWidget* added = docks.dock(QStringLiteral("memory"));
        QVERIFY(!added->isHidden() && !added->isFloating());
        QVERIFY(docks.tabifiedDockWidgets(added).contains(docks.dock(QStringLiteral("problems"))));
    }

    void anArrangementWithAPanelMoreIsKept() {
        const std::vector<PanelSpec> before = specsWithout({});
        QByteArray saved;
        {
            PanelDocks docks(before, {});
            show(docks);
            docks.dock(QStringLiteral("run"))->setFloating(true);
            docks.dock(QStringLiteral("text"))->close();
            QCoreApplication::processEvents();
            saved = docks.arrangement();
        }
        const std::vector<PanelSpec> now = specsWithout(QStringLiteral("memory"));
        PanelDocks docks(now, {});
        QVERIFY(docks.restoreArrangement(saved));
        show(docks);
        QVERIFY(docks.dock(QStringLiteral("run"))->isFloating());
        QVERIFY(docks.dock(QStringLiteral("text"))->isHidden());
        QVERIFY(docks.tabifiedDockWidgets(docks.dock(QStringLiteral("problems")))
                    .contains(docks.dock(QStringLiteral("budget"))));
        QCOMPARE(docks.dock(QStringLiteral("memory")), nullptr);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_panel_list, WindowPanelListTest)
#include "tst_window_panel_list.moc"

// The compile settings: what a compile's options are, and what becomes of the window when a person changes
// one.
#include "explore_bench.h"
#include "support/pictures.h"
#include "support/window_test.h"

#include "common/compile_settings.h"
#include "window/compile_settings_dialog.h"
#include "window/rules_status.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace aotscope;
using namespace aotscope::views;

namespace {

using Dialog = CompileSettingsDialog;

QTreeWidgetItem* rowOf(const Dialog& dialog, const QString& option) {
    const auto found = dialog.view()->findItems(option, Qt::MatchExactly, Dialog::Option);
    return found.isEmpty() ? nullptr : found.front();
}

} // namespace

class WindowSettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theOptionsOfTheLogAreShown() {
        test::WindowBench bench;
        QVERIFY(bench.open(std::string(AOTSCOPE_TEST_DIR) + "/golden/options/options-2.15.log.xz"));
        const auto* inspector = bench.window->panel<InspectorPanel>();
        // The program activation_memory_budget__0_3.
        QVERIFY(bench.select(bench.ofCompile(*load::CompileId::parse("2/0"), "joint")));
        QTRY_VERIFY_WITH_TIMEOUT(inspector->view()->toPlainText().contains(
                                     QStringLiteral("activation_memory_budget = 0.3 (from the log)")),
                                 test::patience);
        bench.window->action(QStringLiteral("compileSettings"))->trigger();
        const auto* dialog = bench.window->findChild<Dialog*>();
        QVERIFY(dialog && dialog->isVisible());
        const QTreeWidgetItem* budget = rowOf(*dialog, QStringLiteral("activation_memory_budget"));
        QVERIFY(budget);
        QCOMPARE(budget->text(Dialog::Value), QStringLiteral("0.3"));
        QCOMPARE(budget->text(Dialog::From), QStringLiteral("file"));
        QCOMPARE(budget->text(Dialog::Default), QStringLiteral("1.0"));
        QCOMPARE(budget->text(Dialog::Followed), QStringLiteral("followed"));
        dialog->filter()->setText(QStringLiteral("budget"));
        QVERIFY(rowOf(*dialog, QStringLiteral("cse"))->isHidden());
        QVERIFY(!budget->isHidden());
    }

    void aValueThatIsTypedIsWhatIsCompiledUnder() {
        ExploreBench bench;
        QVERIFY(bench.start());
        QVERIFY(bench.split->snapshot()->differences->empty());
        const std::size_t saved = bench.split->snapshot()->saved.size();
        Dialog::showFor(bench.window->parts().context, bench.window.get());
        auto* dialog = bench.window->findChild<Dialog*>();
        QVERIFY(dialog);
        const QString option = QStringLiteral("activation_memory_budget");

        rowOf(*dialog, option)->setText(Dialog::Value, QStringLiteral("half"));
        QVERIFY(dialog->problem()->isVisible());
        QVERIFY(dialog->problem()->text().contains(option));
        QVERIFY(bench.split->isCurrent());
        QTRY_COMPARE_WITH_TIMEOUT(rowOf(*dialog, option)->text(Dialog::Value), QStringLiteral("1.0"),
                                  test::patience);

        rowOf(*dialog, option)->setText(Dialog::Value, QStringLiteral("0.0"));
        QVERIFY(!bench.split->isCurrent());
        QVERIFY(bench.settled());
        QCOMPARE(bench.split->snapshot()->config.activationMemoryBudget, 0.0);
        QVERIFY(bench.split->snapshot()->saved.size() < saved);
        QTRY_COMPARE_WITH_TIMEOUT(rowOf(*dialog, option)->text(Dialog::From), QStringLiteral("you"),
                                  test::patience);
        const auto* status = bench.window->statusBar()->findChild<RulesStatus*>();
        QVERIFY(status->text().contains(QStringLiteral("1 option chosen")));
        for (const bool dark : {true, false}) {
            bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
            QCoreApplication::processEvents();
            const QImage picture = dialog->grab().toImage();
            QVERIFY(!test::isBlank(picture));
            QVERIFY(picture.save(test::artifactPath(dark ? QStringLiteral("compile-settings-dark.png")
                                                         : QStringLiteral("compile-settings-light.png"))));
        }

        dialog->releaseAllButton()->click();
        QVERIFY(bench.settled());
        QCOMPARE(bench.split->snapshot()->saved.size(), saved);
        QVERIFY(!status->text().contains(QStringLiteral("chosen")));
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_settings, WindowSettingsTest)
#include "tst_window_settings.moc"

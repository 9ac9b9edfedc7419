// The Inlining dock over the real engine and the real LibTorch: hooks are chosen, switched off, edited,
// measured and suggested.
#include "support/inlining_bench.h"
#include "support/pictures.h"
#include "support/temp_folder.h"
#include "support/window_test.h"

#include "common/code_edit.h"
#include "common/code_view.h"
#include "common/empty_page.h"
#include "hooks/capsule_model.h"
#include "hooks/capsule_view.h"
#include "hooks/gradient_model.h"
#include "hooks/gradient_view.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/hook_measures.h"
#include "hooks/hook_scatter.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "hooks/notice_strip.h"
#include "hooks/suggest_form.h"
#include "partition/current_partition.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeView>

#include <algorithm>
#include <cmath>

using namespace aotscope;
using namespace aotscope::views;

class WindowHookErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void measuringFillsTheErrors() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const QAbstractItemModelTester tester(bench.panel->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QCOMPARE(capsule.error.has_value(), capsule.hasHook());
            QCOMPARE(capsule.worstGradient.has_value(), capsule.hasHook());
            if (capsule.hasHook()) {
                // bfloat16 keeps 8 bits of precision.
                QVERIFY(capsule.error->relative <= std::ldexp(1, -8));
                QVERIFY(capsule.error->mean <= capsule.error->max);
            }
        }
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("worst gradient")));
        QCOMPARE(bench.panel->scatter()->itemCount(),
                 static_cast<int>(std::ranges::count_if(bench.panel->model()->all(), &Capsule::hasHook)));
        const std::string name = bench.panel->scatter()->points().back().saved;
        bench.panel->chooseTensor(name);
        bench.panel->tabs()->setCurrentWidget(bench.panel->gradientView());
        QVERIFY(bench.panel->gradientView()->model()->rowCount() > 0);
        QCOMPARE(
            bench.panel->gradientView()->model()->index(0, GradientModel::RelativeError).data().toString(),
            formatNumber(*bench.capsuleOf(name).worstGradient));

        // What is changed from now on is measured at once.
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || capsule.error->max == 0); // Exact.
        }
    }

    /// What is measured of earlier hooks ends, and the new ones are measured.
    void hooksThatChangeWhileTheyAreMeasured() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QTest::mouseClick(bench.panel->bar()->measureButton(), Qt::LeftButton);
        QVERIFY(bench.panel->measures()->request()->isUnderWay());
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QVERIFY(!bench.panel->measures()->request()->isUnderWay());
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || (capsule.hooked->hook == "cpu_offload" && capsule.error->max == 0));
        }
    }

    void aPointOfTheScatterSelectsItsRow() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3_row"));
        QVERIFY(bench.measure());
        HookScatter* scatter = bench.panel->scatter();
        bench.panel->tabs()->setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(scatter->isVisible(), test::patience);
        const std::string name = scatter->points().back().saved;
        QTest::mouseClick(scatter, Qt::LeftButton, {},
                          scatter->placeOf(scatter->points().size() - 1).toPoint());
        QCOMPARE(bench.selectedNode(), name);
        QCOMPARE(bench.panel->view()->currentIndex().row(), bench.panel->model()->rowOf(name));
        scatter->setFocus();
        QTest::keyClick(scatter, Qt::Key_Home);
        QCOMPARE(bench.selectedNode(), scatter->points().front().saved);
        // And the other way round.
        bench.panel->chooseTensor(name);
        QCOMPARE(scatter->currentItem(), std::optional(scatter->itemCount() - 1));
    }

    void aSuggestionReachesItsGoalAndIsApplied() {
        test::InliningBench bench;
        QVERIFY(bench.start());
        test::InliningBench::take(bench.panel->bar()->modeChoice(), "all");
        QVERIFY(bench.settled());
        SuggestForm* form = bench.panel->suggestForm();
        bench.panel->tabs()->setCurrentWidget(form);
        QTest::mouseClick(form->suggestButton(), Qt::LeftButton);
        QVERIFY(form->said().contains(QStringLiteral("Write the bytes"))); // No goal.
        form->bytesField()->setText(QStringLiteral("60%"));
        QTest::mouseClick(form->suggestButton(), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(form->said().contains(QStringLiteral("Reached")), qPrintable(form->said()),
                                  3 * test::patience);
        const session::HookSuggestionSnapshot& found = *form->suggestion();
        QVERIFY(form->rules()->count() > 0);
        form->apply();
        QVERIFY(bench.settled());
        QCOMPARE(bench.split->choices().hooks->rules, found.plan.rules);
        const session::InlinedHooks& hooks = *bench.split->snapshot()->hooks;
        QVERIFY(hooks.bytesAfter <= hooks.bytesBefore * 6 / 10);
        QVERIFY(!form->applyButton()->isEnabled());
    }

    void hooksAndErrorsAreThereAfterLookingElsewhere() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const session::ArtifactReference joint = bench.sibling("joint");
        const auto file = test::TempFolder();
        const auto other = file.write("other.txt", "class GraphModule(torch.nn.Module):\n"
                                                   "    def forward(self, x: \"f32[2][1]cpu\"):\n"
                                                   "        return (x,)\n");
        bench.window->openPaths({QString::fromStdString(other.string())});
        QTRY_VERIFY_WITH_TIMEOUT(!bench.split->joint(), test::patience);
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No joint graph")));
        QVERIFY(bench.select(joint));
        QVERIFY(bench.settled());
        QVERIFY(!bench.hooked().empty());
        QVERIFY(bench.measured());
        QVERIFY(bench.capsuleOf(bench.hooked()).worstGradient.has_value());
    }

    void aScreenReaderFindsRowsAndPoints() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const QAccessibleInterface* table = QAccessible::queryAccessibleInterface(bench.panel->view());
        QVERIFY(table);
        QCOMPARE(table->text(QAccessible::Name), QStringLiteral("Saved tensors and their hooks"));
        const std::string name = bench.hooked();
        QVERIFY(bench.cell(name, CapsuleModel::Way)
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("stored")));
        const QAccessibleInterface* points = QAccessible::queryAccessibleInterface(bench.panel->scatter());
        QVERIFY(points);
        QCOMPARE(points->role(), QAccessible::List);
        QCOMPARE(points->childCount(), bench.panel->scatter()->itemCount());
        for (int i = 0; i < points->childCount(); ++i) {
            QVERIFY(!points->child(i)->text(QAccessible::Name).isEmpty());
            QVERIFY(points->child(i)->text(QAccessible::Description).contains(QStringLiteral("error")));
        }
        QVERIFY(!QAccessible::queryAccessibleInterface(bench.panel->curves())
                     ->text(QAccessible::Description)
                     .isEmpty());
        for (QWidget* widget : bench.panel->findChildren<QWidget*>()) {
            const bool isField = qobject_cast<QComboBox*>(widget) || qobject_cast<QLineEdit*>(widget);
            const bool isPart = widget->parentWidget() && qobject_cast<QComboBox*>(widget->parentWidget());
            QVERIFY2(!isField || isPart || !widget->accessibleName().isEmpty(),
                     qPrintable(widget->objectName()));
        }
    }

    /// Of all tabs, with a plan that was found and a text that is broken.
    void itsPictures() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("fp8_e4m3_row"));
        QVERIFY(bench.measure());
        bench.panel->chooseTensor(bench.panel->scatter()->points().back().saved);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->capsuleView()->packView()->text().isEmpty(), test::patience);
        bench.panel->suggestForm()->bytesField()->setText(QStringLiteral("40%"));
        bench.panel->suggestForm()->suggest();
        QVERIFY(QTest::qWaitFor([&] { return bench.panel->suggestForm()->suggestion() != nullptr; },
                                3 * test::patience));
        const auto takePictures = [&](const char* what) {
            for (const bool dark : {true, false}) {
                bench.theme.choose(dark ? ThemeSource::Choice::Dark : ThemeSource::Choice::Light);
                QCoreApplication::processEvents();
                const QImage picture = bench.window->grab().toImage();
                QVERIFY(!test::isBlank(picture));
                QVERIFY(
                    picture.save(test::artifactPath(QStringLiteral("window-inlining-%1-%2.png")
                                                        .arg(QLatin1String(what), dark ? "dark" : "light"))));
            }
        };
        const char* names[] = {"effects", "graphs", "gradients", "text", "suggest"};
        QCOMPARE(bench.panel->tabs()->count(), int(std::size(names)));
        for (int tab = 0; tab < bench.panel->tabs()->count(); ++tab) {
            bench.panel->tabs()->setCurrentIndex(tab);
            takePictures(names[tab]);
        }
        HookEditor* editor = bench.panel->editor();
        bench.panel->tabs()->setCurrentWidget(editor);
        editor->editCopy();
        editor->edit()->setPlainText(editor->edit()->toPlainText().replace(QStringLiteral("x.abs()"),
                                                                           QStringLiteral("x.absolutely()")));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.panel->notice()->words().isEmpty(), test::patience);
        bench.panel->notice()->button()->click();
        takePictures("broken");
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_hook_errors, WindowHookErrorsTest)
#include "tst_window_hook_errors.moc"

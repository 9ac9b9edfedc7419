// The Inlining dock where measuring fails, where its Python text is saved to a file or cannot be, and where
// hooks cannot be inlined.
#include "support/inlining_bench.h"
#include "support/temp_folder.h"

#include "common/empty_page.h"
#include "common/retry_button.h"
#include "hooks/capsule_model.h"
#include "hooks/hook_measures.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "hooks/notice_strip.h"

#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// The real LibTorch, which fails to measure hooks as often as it is told.
struct Troubled {
    std::shared_ptr<test::FakeBackendControl> control = std::make_shared<test::FakeBackendControl>();
    std::shared_ptr<std::atomic<int>> failures = std::make_shared<std::atomic<int>>(0);
    std::shared_ptr<std::atomic<int>> asked = std::make_shared<std::atomic<int>>(0);
    /// Held, it waits before each part after the values, and does not notice that it is to stop.
    std::shared_ptr<std::mutex> gate = std::make_shared<std::mutex>();

    [[nodiscard]] session::BackendFactory factory() const {
        return [*this]() -> base::Result<std::unique_ptr<session::Backend>> {
            auto made = app::torchBackendFactory()();
            if (!made) {
                return std::move(made).error();
            }
            const std::shared_ptr<session::Backend> real = std::move(made).value();
            control->onRetrace = [real](const aot::RetraceRequest& request,
                                        const session::TracePauses& pauses, base::Progress& progress) {
                return real->answer(session::RetraceCall{request, pauses}, progress);
            };
            control->onHooks = [real, asked = asked, failures = failures, gate = gate](
                                   const session::HookErrorsCall& call) -> base::Result<session::HookErrors> {
                ++*asked;
                if (*failures > 0) {
                    --*failures;
                    return base::Error{.code = "run.too_large",
                                       .message = "The step needs more memory than there is.",
                                       .hint = "Close other programs."};
                }
                session::HookErrorsCall waiting = call;
                waiting.onPart = [&](session::HookErrors part) {
                    if (part.part != session::HookErrorsPart::Values) {
                        const std::lock_guard lock(*gate);
                    }
                    if (call.onPart) {
                        call.onPart(std::move(part));
                    }
                };
                return real->answer(waiting);
            };
            return std::unique_ptr<session::Backend>(std::make_unique<test::FakeBackend>(control));
        };
    }
};

QPushButton* retryOf(const InliningPanel& panel) {
    const auto buttons = panel.bar()->findChildren<RetryButton*>();
    const auto shown = std::ranges::find_if(buttons, [](const QWidget* each) { return each->isVisible(); });
    return shown == buttons.end() ? nullptr : *shown;
}

bool hasFailed(const test::InliningBench& bench) {
    return QTest::qWaitFor(
        [&] { return bench.panel->measures()->request()->state() == RequestBase::State::Failed; },
        test::patience);
}

bool hasErrors(const test::InliningBench& bench) {
    return std::ranges::any_of(bench.panel->model()->all(),
                               [](const Capsule& capsule) { return capsule.error.has_value(); });
}

/// The dialog that Save as Python opens, with a path in its field.
QFileDialog* saveDialog(const test::InliningBench& bench, const QString& path) {
    bench.panel->bar()->savePython()->trigger();
    auto* dialog = bench.panel->findChild<QFileDialog*>();
    if (dialog != nullptr && QTest::qWaitForWindowExposed(dialog)) {
        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(path);
    }
    return dialog;
}

/// All that a page says in place of a panel's content.
QString wordsOf(const EmptyPage& page) {
    QString words = page.message();
    for (const QLabel* label : page.findChildren<QLabel*>()) {
        words += label->isVisible() ? label->text() : QString();
    }
    return words;
}

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class WindowHookTroubleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
    void init() { test::OwnSettings::clear(); }

    void aMeasurementThatFailsSaysWhyAndIsRetried() {
        const Troubled troubled;
        *troubled.failures = 2;
        test::InliningBench bench(troubled.factory());
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(retryOf(*bench.panel) == nullptr);
        QTest::mouseClick(bench.panel->bar()->measureButton(), Qt::LeftButton);
        QVERIFY(hasFailed(bench));
        const QString why = QStringLiteral("Not measured: The step needs more memory than there is.");
        QVERIFY2(bench.panel->bar()->summary().contains(why), qPrintable(bench.panel->bar()->summary()));
        QVERIFY(!hasErrors(bench));
        QVERIFY(bench.panel->bar()->measureButton()->isVisible());
        QVERIFY(!bench.panel->bar()->cancelButton()->isVisible());

        // It fails again, and then not.
        QPushButton* retry = retryOf(*bench.panel);
        QVERIFY(retry != nullptr);
        QTest::mouseClick(retry, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(troubled.asked->load(), 2, test::patience);
        QVERIFY(hasFailed(bench));
        QTRY_VERIFY_WITH_TIMEOUT(retry->isVisible(), test::patience);
        QTest::mouseClick(retry, Qt::LeftButton);
        QVERIFY(bench.measured());
        QVERIFY(hasErrors(bench));
        QVERIFY(!retry->isVisible());
        QVERIFY(!bench.panel->bar()->summary().contains(QStringLiteral("Not measured")));
        QCOMPARE(troubled.asked->load(), 3);
    }

    /// What was measured before stays to be read; the next change is measured as if nothing had failed.
    void aChangeThatCannotBeMeasuredLeavesTheEarlierNumbers() {
        const Troubled troubled;
        test::InliningBench bench(troubled.factory());
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        *troubled.failures = 1;
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
        QVERIFY(bench.settled());
        QVERIFY(hasFailed(bench));
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("Not measured")));
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("worst gradient was")));
        QVERIFY(retryOf(*bench.panel) != nullptr);
        // It is not asked for again and again.
        const int asked = troubled.asked->load();
        bench.window->panel<InliningPanel>()->chooseTensor(bench.hooked());
        QCoreApplication::processEvents();
        QCOMPARE(bench.panel->measures()->request()->state(), RequestBase::State::Failed);

        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        QCOMPARE(troubled.asked->load(), asked + 1);
        QVERIFY(retryOf(*bench.panel) == nullptr);
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || capsule.error->max == 0);
        }
    }

    /// The errors of the values are shown, as such, before those of the gradients are known.
    void valuesAreShownBeforeGradients() {
        const Troubled troubled;
        test::InliningBench bench(troubled.factory());
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const HookMeasures& measures = *bench.panel->measures();
        const QString exact = bench.panel->bar()->summary();
        QVERIFY(exact.contains(QStringLiteral("worst gradient")));
        std::unique_lock held(*troubled.gate);
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        QTRY_VERIFY_WITH_TIMEOUT(measures.isCurrent(measures.latest()), test::patience);
        QVERIFY(measures.latest()->errors.part == session::HookErrorsPart::Values);
        QVERIFY(!measures.isCurrent(measures.withGradients()));
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || capsule.error->max == 0);
            QVERIFY(!capsule.worstGradient);
        }
        const QString words = bench.panel->bar()->summary();
        QVERIFY2(words.contains(QStringLiteral("values measured, measuring gradients")), qPrintable(words));
        QVERIFY2(words.contains(QStringLiteral("worst gradient was")), qPrintable(words));

        held.unlock();
        QVERIFY(bench.measured());
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("worst gradient 0")));
        QVERIFY(!bench.panel->bar()->summary().contains(QStringLiteral("measuring")));
    }

    /// Gradients that are measured too late, of hooks that a person has changed meanwhile, are never shown.
    void gradientsOfEarlierHooksAreDropped() {
        const Troubled troubled;
        test::InliningBench bench(troubled.factory());
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const HookMeasures& measures = *bench.panel->measures();
        std::unique_lock held(*troubled.gate);
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
        QTRY_VERIFY_WITH_TIMEOUT(measures.isCurrent(measures.latest()), test::patience);
        const session::PartitionChoices earlier = bench.split->choices();
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "cpu_offload");
        bool wasShown = false;
        connect(&measures, &HookMeasures::changed, this,
                [&] { wasShown = wasShown || measures.withGradients()->split->choices == earlier; });
        held.unlock();
        QVERIFY(bench.settled());
        QVERIFY(bench.measured());
        QVERIFY(!wasShown);
        for (const Capsule& capsule : bench.panel->model()->all()) {
            QVERIFY(!capsule.hasHook() || *capsule.worstGradient == 0);
        }
        disconnect(&measures, nullptr, this, nullptr);
    }

    /// Canceled by a person, it stays so; what had arrived stays too.
    void aMeasurementThatIsCanceledStaysSo() {
        const Troubled troubled;
        test::InliningBench bench(troubled.factory());
        QVERIFY(bench.startWith("bf16"));
        QVERIFY(bench.measure());
        const HookMeasures& measures = *bench.panel->measures();
        std::unique_lock held(*troubled.gate);
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
        QTRY_VERIFY_WITH_TIMEOUT(measures.isCurrent(measures.latest()), test::patience);
        QTest::mouseClick(bench.panel->bar()->cancelButton(), Qt::LeftButton);
        held.unlock();
        QTRY_VERIFY_WITH_TIMEOUT(!measures.request()->isUnderWay(), test::patience);
        QVERIFY(!measures.isCurrent(measures.whole()));
        QVERIFY(measures.isCurrent(measures.latest()));
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("Measuring was canceled")));
        const int asked = troubled.asked->load();
        QCoreApplication::processEvents();
        QCOMPARE(measures.request()->state(), RequestBase::State::Canceled);
        QVERIFY(bench.panel->bar()->measureButton()->isEnabled());
        QVERIFY(bench.measure());
        QCOMPARE(troubled.asked->load(), asked + 1);
    }

    void theDialogSavesTheHooksAsPython() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const test::TempFolder folder;
        const QString name = QString::fromStdString((folder.path() / "own_hooks").string());
        QFileDialog* dialog = saveDialog(bench, name);
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->acceptMode(), QFileDialog::AcceptSave);
        QMetaObject::invokeMethod(dialog, "accept");
        // The ending is added.
        QTRY_VERIFY_WITH_TIMEOUT(!contentOf(name + QStringLiteral(".py")).isEmpty(), test::patience);
        QVERIFY(contentOf(name + QStringLiteral(".py")).contains(QStringLiteral("saved_tensors_hooks")));
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->bar()->summary().contains(QStringLiteral("own_hooks.py")),
                                 test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->findChild<QFileDialog*>() == nullptr, test::patience);
    }

    void aDialogThatIsClosedWritesNothing() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        const test::TempFolder folder;
        const QString before = bench.panel->bar()->summary();
        QFileDialog* dialog =
            saveDialog(bench, QString::fromStdString((folder.path() / "own_hooks.py").string()));
        QVERIFY(dialog != nullptr);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel->findChild<QFileDialog*>() == nullptr, test::patience);
        QVERIFY(std::filesystem::is_empty(folder.path()));
        QCOMPARE(bench.panel->bar()->summary(), before);
    }

    void aFileThatCannotBeWrittenIsSaid() {
        test::InliningBench bench;
        QVERIFY(bench.startWith("bf16"));
        QString told;
        bench.panel->savePythonTo(QStringLiteral("/proc/hooks.py"),
                                  [&](const QString& problem) { told = problem; });
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty(), test::patience);
        QVERIFY2(told.startsWith(QLatin1String("Could not write /proc/hooks.py")), qPrintable(told));
        QCOMPARE(bench.panel->bar()->summary(), told);
        // What is said of a file goes with the next choice.
        test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
        QVERIFY(bench.settled());
        QVERIFY(bench.panel->bar()->summary().contains(QStringLiteral("stored")));
    }

    /// Under compiled autograd hooks are called when the backward runs; the log says which.
    void runTimeHooksAreToldInWords() {
        test::InliningBench bench;
        QVERIFY(bench.open(QStringLiteral(AOTSCOPE_TEST_DIR "/golden/compiled_autograd_saved_hooks.log.xz")));
        QVERIFY(bench.select(bench.ofCompile(load::CompileId::parse("0/0").value(), "joint")));
        QVERIFY(bench.settled());
        bench.window->action(QStringLiteral("show-inlining"))->trigger();
        NoticeStrip* told = bench.panel->runTimeHooks();
        QVERIFY2(
            told->words().startsWith(QStringLiteral("Not inlined (called at run time by compiled autograd)")),
            qPrintable(told->words()));
        QVERIFY(told->words().contains(QStringLiteral("unpack_hook: primals_3, primals_4, tanh, mm")));
        QVERIFY(told->isVisible());
        // They are shown in the graph of compiled autograd, which has no joint graph of its own.
        told->button()->click();
        QTRY_COMPARE_WITH_TIMEOUT(bench.selectedNode(), std::string("call_hook"), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(wordsOf(*bench.panel->pages())
                                     .contains(QStringLiteral("unpack_hook: primals_3, primals_4, tanh, mm")),
                                 test::patience);
        QVERIFY(bench.panel->pages()->message().contains(QStringLiteral("No joint graph")));
        // Another log has none.
        test::InliningBench other;
        QVERIFY(other.start());
        QVERIFY(other.panel->runTimeHooks()->words().isEmpty());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_hook_trouble, WindowHookTroubleTest)
#include "tst_window_hook_trouble.moc"

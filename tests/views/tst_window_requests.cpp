// Every panel with requests: canceled, failed, left while running, superseded by the same question about
// another log. It must always show the right state, and Retry must ask again.
#include "asking_panels.h"
#include "support/fake_engine_client.h"
#include "support/window_test.h"

#include "common/empty_page.h"
#include "common/give_keyboard.h"
#include "common/log_list.h"
#include "panels/run_model.h"
#include "panels/run_panel.h"
#include "partition/current_partition.h"
#include "steps/event_model.h"
#include "values/values_panel.h"

#include <QAbstractButton>
#include <QDockWidget>

#include <filesystem>

using namespace aotscope;
using namespace aotscope::views;

class TestWindowRequests : public QObject {
    Q_OBJECT

    std::unique_ptr<RequestsBench> m_bench;
    const AskingPanel* m_panel = nullptr;

    void forEachPanel() {
        QTest::addColumn<int>("panel");
        for (std::size_t i = 0; i < std::size(askingPanels); ++i) {
            QTest::newRow(askingPanels[i].dock) << int(i);
        }
    }
    [[nodiscard]] bool begin() {
        QFETCH(int, panel);
        m_panel = &askingPanels[panel];
        m_bench = std::make_unique<RequestsBench>();
        return m_bench->open();
    }
    /// A graph whose payload, picture and text were not asked for before, in the log that is not shown.
    [[nodiscard]] session::ArtifactReference first() const { return m_bench->graph(1, "forward"); }
    [[nodiscard]] session::ArtifactReference second() const { return m_bench->graph(0, "forward"); }
    [[nodiscard]] EmptyPage* page() const {
        return m_bench->window->dock(QLatin1String(m_panel->dock))->findChild<EmptyPage*>();
    }
    [[nodiscard]] bool pageSays(const char* words) const {
        return page()->message().contains(QLatin1String(words), Qt::CaseInsensitive);
    }
    /// A part of the page that is shown in place of the panel's content, which may have such pages itself;
    /// null: it has no such part.
    template<typename Part>
    [[nodiscard]] Part* partOfPage(QLatin1String name) const {
        for (Part* part : page()->template findChildren<Part*>(name)) {
            if (page()->isEmpty() && part->isVisibleTo(page())) {
                return part;
            }
        }
        return nullptr;
    }
    [[nodiscard]] QString explanation() const {
        const auto* words = partOfPage<QWidget>(QLatin1String(emptyPageName));
        return words != nullptr ? words->accessibleDescription() : QString();
    }
    [[nodiscard]] QAbstractButton* offered(const char* button) const {
        return partOfPage<QAbstractButton>(QLatin1String(button));
    }
    [[nodiscard]] bool shows(const session::ArtifactReference& graph) const {
        return m_panel->shows(*m_bench, graph) && !page()->isEmpty();
    }
    /// Asks, and stops the engine in the middle of it.
    [[nodiscard]] std::optional<test::FakeEngineClient::Job>
    askHalf(const session::ArtifactReference& graph) {
        m_bench->engine.hold(QLatin1String(m_panel->tag));
        m_panel->ask(*m_bench, graph);
        if (!QTest::qWaitFor([this] { return m_bench->engine.held().has_value(); }, test::patience)) {
            return std::nullopt;
        }
        const test::FakeEngineClient::Job job = *m_bench->engine.held();
        m_bench->engine.begin(job);
        return job;
    }

    test::OwnSettings m_settings;

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }
    void cleanup() { m_bench.reset(); }

    void canceledInTheMiddleItSaysSoAndAsksAgain_data() { forEachPanel(); }
    void canceledInTheMiddleItSaysSoAndAsksAgain() {
        QVERIFY(begin());
        QVERIFY(askHalf(first()));
        // Where something was shown before it stays until the answer comes.
        QTRY_VERIFY_WITH_TIMEOUT(offered("cancelRequest") || !page()->isEmpty(), test::patience);
        QVERIFY(!offered("retryRequest"));
        if (offered("cancelRequest")) {
            QVERIFY(explanation().contains(QStringLiteral("Halfway")));
            offered("cancelRequest")->click();
        } else {
            m_bench->window->action(QStringLiteral("cancel"))->trigger();
        }
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        QVERIFY2(pageSays("canceled"), qPrintable(page()->message()));
        QVERIFY(!offered("cancelRequest"));
        offered("retryRequest")->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held(), test::patience);
        QVERIFY2(!pageSays("canceled"), qPrintable(page()->message()));
        QVERIFY(!offered("retryRequest"));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// The partition of the earlier choices stays, and beside it stands Retry.
    void aCanceledChoiceIsRetriedBesideTheEarlierPartition_data() {
        QTest::addColumn<QString>("dock");
        for (const char* dock : {"saved", "budget", "memory", "inspector"}) {
            QTest::newRow(dock) << QString::fromLatin1(dock);
        }
    }
    void aCanceledChoiceIsRetriedBesideTheEarlierPartition() {
        QFETCH(QString, dock);
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        QDockWidget* panel = m_bench->window->dock(dock);
        CurrentPartition* split = m_bench->window->currentPartition();
        const std::string node = choosableOf(*split);
        QVERIFY(!node.empty());
        m_bench->window->selection()->select({*split->joint(), node});
        auto* retry = panel->findChild<QAbstractButton*>(QStringLiteral("retryShown"));
        QVERIFY(retry != nullptr);
        const auto isOffered = [&] { return !retry->isHidden(); };
        QVERIFY(!isOffered());
        m_bench->engine.hold(CurrentPartition::tag());
        split->force(std::vector<std::string>{node}, passes::Forced::Recompute);
        QVERIFY(m_bench->engine.held());
        m_bench->engine.cancel(m_bench->engine.held()->number);
        QVERIFY(split->wasCanceled());
        QVERIFY(split->snapshot());
        QVERIFY(isOffered());
        retry->click();
        QVERIFY(m_bench->engine.held());
        QVERIFY(!isOffered());
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(split->isCurrent(), test::patience);
        QVERIFY(!isOffered());
    }

    void failedItSaysWhyAndAsksAgain_data() { forEachPanel(); }
    void failedItSaysWhyAndAsksAgain() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.fail(*job, {.code = "test.failed", .message = "The disk is gone."});
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        QVERIFY2(explanation().contains(QStringLiteral("The disk is gone.")), qPrintable(explanation()));
        offered("retryRequest")->click();
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// It is asked whenever a node is selected, so that a failure must not bring another panel to the front.
    void aValueThatFailsLeavesItsPanelInFront() {
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        const MainWindow& window = *m_bench->window;
        window.panel<RunPanel>()->run();
        QTRY_VERIFY_WITH_TIMEOUT(window.currentGraph()->run(), test::patience);
        window.action(QStringLiteral("show-values"))->trigger();
        const ir::GraphPtr graph = window.currentGraph()->graph()->graph;
        window.currentGraph()->selectNode(graph->order()[graph->size() / 2]);
        auto* values = window.panel<ValuesPanel>();
        QTRY_VERIFY_WITH_TIMEOUT(values->pages()->message().contains(QStringLiteral("cannot be shown")),
                                 test::patience);
        QVERIFY(values->isVisible());
    }

    void browsedAwayFromAndBackItAsksAgain_data() { forEachPanel(); }
    void browsedAwayFromAndBackItAsksAgain() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.cancel(job->number);
        QTRY_VERIFY_WITH_TIMEOUT(offered("retryRequest"), test::patience);
        m_bench->engine.release();
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
        m_panel->ask(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(shows(first()), test::patience);
    }

    /// The other rank's answer was on its way when it was superseded.
    void anAnswerOfAnotherRankIsDropped_data() { forEachPanel(); }
    void anAnswerOfAnotherRankIsDropped() {
        QVERIFY(begin());
        const auto old = askHalf(first());
        QVERIFY(old);
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held() && m_bench->engine.held()->number != old->number,
                                 test::patience);
        m_bench->engine.answerLate(*old);
        QVERIFY(!m_panel->shows(*m_bench, first()));
        QVERIFY(!offered("retryRequest"));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
        QVERIFY(!m_panel->shows(*m_bench, first()));
    }

    void theEndOfAnotherRanksJobIsDropped_data() { forEachPanel(); }
    void theEndOfAnotherRanksJobIsDropped() {
        QVERIFY(begin());
        const auto old = askHalf(first());
        QVERIFY(old);
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(m_bench->engine.held() && m_bench->engine.held()->number != old->number,
                                 test::patience);
        const auto now = m_bench->engine.held();
        m_bench->engine.fail(*old, {.code = "test.failed", .message = "The disk is gone."});
        m_bench->engine.begin(*now);
        QVERIFY(!offered("retryRequest"));
        QVERIFY(!explanation().contains(QStringLiteral("The disk is gone.")));
        m_bench->engine.release();
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
    }

    /// What a closed log was asked for is asked no more, and its answer is not shown.
    void aClosedLogIsNotWaitedFor_data() { forEachPanel(); }
    void aClosedLogIsNotWaitedFor() {
        QVERIFY(begin());
        const auto job = askHalf(first());
        QVERIFY(job);
        m_bench->engine.send(session::CloseLog{first().log});
        QTRY_COMPARE_WITH_TIMEOUT(m_bench->window->logs()->logs().size(), std::size_t(1), test::patience);
        QVERIFY(!m_bench->engine.held() || m_bench->engine.held()->number != job->number);
        m_bench->engine.release();
        m_panel->ask(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(shows(second()), test::patience);
    }

    void aRunIsStillThereWhenSomebodyComesBack() {
        m_bench = std::make_unique<RequestsBench>();
        QVERIFY(m_bench->open());
        const auto& model = *m_bench->window->panel<RunPanel>()->model();
        const auto current = [&] { return m_bench->window->currentGraph()->graph(); };
        select(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == first(), test::patience);
        m_bench->window->panel<RunPanel>()->run();
        QTRY_VERIFY_WITH_TIMEOUT(model.run(), test::patience);
        const session::RunSnapshotPtr run = model.run();
        select(*m_bench, second());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == second(), test::patience);
        QVERIFY(!model.run());
        select(*m_bench, first());
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->reference == first(), test::patience);
        QCOMPARE(model.run(), run);
    }
};

AOTSCOPE_WINDOW_TEST(tst_window_requests, TestWindowRequests)

#include "tst_window_requests.moc"

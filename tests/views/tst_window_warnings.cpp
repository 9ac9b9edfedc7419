// What graphs show by themselves of wrong results, in the Problems dock.
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "panels/problem_model.h"
#include "panels/problems_panel.h"

#include <QFile>
#include <QTreeView>

using namespace aotscope;
using namespace aotscope::views;

namespace {

std::string logPath(const std::string& name) {
    return std::string(AOTSCOPE_TEST_DIR) + "/golden/" + name + ".log.xz";
}

/// The first row with this code; -1: there is none.
int rowOf(const ProblemModel& model, const QString& what) {
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.problemAt(row)->what == what) {
            return row;
        }
    }
    return -1;
}

} // namespace

class WindowWarningsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void aWarningLeadsToItsNode() {
        test::WindowBench bench;
        QVERIFY(bench.open(logPath("packs/function_warnings")));
        auto* panel = bench.window->panel<ProblemsPanel>();
        const QString code = QStringLiteral("function.same_argument");
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(*panel->model(), code) >= 0, test::patience);
        const int row = rowOf(*panel->model(), code);
        const Problem problem = *panel->model()->problemAt(row);
        QVERIFY(problem.severity == Severity::Warning);
        QVERIFY(problem.message.contains(QLatin1String("is two arguments")));
        QVERIFY(problem.selection.has_value());
        QCOMPARE(problem.selection->node, std::string("autograd_function_apply"));
        Q_EMIT panel->view()->activated(panel->model()->index(row, 0));
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->selection()->current() == problem.selection, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentGraph()->graph() &&
                                     bench.window->currentGraph()->graph()->reference ==
                                         problem.selection->artifact,
                                 test::patience);
    }

    void aGraphThatCannotBeReadIsAProblem() {
        const test::TempFolder folder;
        QFile sample(test::sampleLogPath());
        QVERIFY(sample.open(QIODevice::ReadOnly));
        QByteArray log = sample.readAll();
        const QByteArray call = " = torch.ops.aten.t.default(primals";
        const qsizetype place = log.indexOf(call);
        QVERIFY(place > 0);
        log.replace(place, call.size(), " = = torch.ops.aten.t.default(primals");
        test::WindowBench bench;
        QVERIFY(bench.open(folder.write("broken.log", log.toStdString()).string()));
        const ProblemModel& model = *bench.window->panel<ProblemsPanel>()->model();
        const auto unreadable = [&] {
            for (int row = 0; row < model.rowCount(); ++row) {
                const Problem& problem = *model.problemAt(row);
                if (problem.what == QLatin1String("unreadable graph") &&
                    problem.where.contains(QLatin1String("joint"))) {
                    return true;
                }
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(unreadable(), test::patience);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_warnings, WindowWarningsTest)
#include "tst_window_warnings.moc"

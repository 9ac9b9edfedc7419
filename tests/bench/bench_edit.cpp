// One key in the text of a hook that every saved tensor has, in the real window: bench_edit [LOG]
// [--json FILE]. Milliseconds from the key to the graphs and the memory curve on the screen, to the errors of
// the values, and to those of all gradients with all hooks together.
#include "bench_figures.h"
#include "support/corpus.h"
#include "support/inlining_bench.h"

#include "common/code_edit.h"
#include "hooks/hook_curves.h"
#include "hooks/hook_editor.h"
#include "hooks/hook_scatter.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTextCursor>
#include <QTreeView>

#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace aotscope;
using test::listOf;
using test::medianOf;
using test::require;

constexpr int edits = 9;

double cpuMilliseconds() {
    timespec time = {};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// Digits behind the bound of a clamp: a text that nothing is known of with each key.
class Typing {
public:
    explicit Typing(views::CodeEdit* edit) : m_edit(edit) {
        QTextCursor cursor = edit->document()->find(QStringLiteral(", 448.0"));
        cursor.setPosition(cursor.selectionEnd());
        edit->setTextCursor(cursor);
        edit->setFocus();
    }
    void press() const { QTest::keyClicks(m_edit, QStringLiteral("1")); }

private:
    views::CodeEdit* m_edit;
};

} // namespace

int main(int argc, char** argv) {
    std::string log = test::corpusTrace("gpt2_12l").string();
    std::string json;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
            json = argv[++i];
        } else {
            log = argv[i];
        }
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    const QApplication app(argc, argv);
    const test::OwnSettings settings;
    test::InliningBench bench;
    require(bench.open(log), "The log has no graph.");
    require(bench.select(bench.sibling("joint")) && bench.settled(), "There is no joint graph.");
    bench.window->action(QStringLiteral("show-inlining"))->trigger();
    test::InliningBench::take(bench.panel->bar()->modeChoice(), "all");
    test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "fp8_e4m3");
    require(bench.settled(), "The hook was not inlined.");
    test::InliningBench::take(bench.panel->bar()->hookForAllChoice(), "own text…");
    require(bench.settled(), "The hook's text was not copied.");
    const views::HookMeasures& measures = *bench.panel->measures();
    const auto arrives = [&](session::HookErrorsSnapshotPtr (views::HookMeasures::*measured)() const) {
        return QTest::qWaitFor([&] { return measures.isCurrent((measures.*measured)()); }, test::patience);
    };
    QTest::mouseClick(bench.panel->bar()->measureButton(), Qt::LeftButton);
    require(arrives(&views::HookMeasures::withGradients), "It could not be measured.");
    bench.panel->tabs()->setCurrentWidget(bench.panel->editor());
    const Typing typing(bench.panel->editor()->edit());

    std::vector<double> graphs;
    std::vector<double> values;
    std::vector<double> gradients;
    std::vector<double> cpu;
    for (int i = 0; i < edits; ++i) {
        const session::PartitionSnapshotPtr before = bench.split->snapshot();
        const double began = cpuMilliseconds();
        QElapsedTimer clock;
        clock.start();
        typing.press();
        require(QTest::qWaitFor([&] { return bench.split->snapshot() != before && bench.split->isCurrent(); },
                                test::patience),
                "The graphs did not follow.");
        bench.panel->curves()->repaint();
        graphs.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        require(bench.split->snapshot()->hooks->broken.empty(), "The hook is broken.");
        require(arrives(&views::HookMeasures::latest), "The errors of the values did not follow.");
        bench.panel->view()->viewport()->repaint();
        values.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        require(arrives(&views::HookMeasures::withGradients), "The errors of gradients did not follow.");
        bench.panel->view()->viewport()->repaint();
        bench.panel->scatter()->repaint();
        gradients.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        cpu.push_back(cpuMilliseconds() - began);
        // What each hook does alone is measured behind it, and ends with the next key.
    }
    std::cout << bench.split->snapshot()->joint->graph->size() << " nodes, " << bench.rowCount()
              << " saved tensors, each with the hook; medians of " << edits << " keys\n"
              << "  key to graphs and memory curve           " << medianOf(graphs) << " ms\n"
              << "  key to errors of the values              " << medianOf(values) << " ms\n"
              << "  key to errors of all gradients           " << medianOf(gradients) << " ms\n"
              << "  processor time of it, on all threads     " << medianOf(cpu) << " ms\n";
    if (!json.empty()) {
        std::ofstream(json) << "{\"key_to_graphs_and_curve_ms\": " << listOf(graphs)
                            << ", \"key_to_values_ms\": " << listOf(values)
                            << ", \"key_to_gradients_ms\": " << listOf(gradients)
                            << ", \"cpu_ms\": " << listOf(cpu) << "}\n";
    }
    return 0;
}

// A change of a fused kernel's text, in the real window: bench_kernel_edit [LOG] [--json FILE]. Milliseconds
// from the key that reruns it to its times and its largest error beside the baseline on the screen.
#include "bench_figures.h"
#include "support/corpus.h"
#include "support/window_bench.h"

#include "common/code_edit.h"
#include "common/shown_kernels.h"
#include "kernels/kernel_model.h"
#include "kernels/kernel_page.h"
#include "kernels/kernel_source.h"
#include "kernels/kernels_panel.h"
#include "kernels/rerun_form.h"
#include "kernels/rerun_history.h"
#include "torch_module.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTextCursor>
#include <QTreeView>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace aotscope;
using test::listOf;
using test::medianOf;
using test::require;

constexpr int edits = 9;

/// Processor time in /proc/PID/stat, with that of children that have ended; 0 unless `parent` is the process
/// or its parent.
double cpuSecondsOf(const std::filesystem::path& folder, pid_t parent) {
    std::ifstream file(folder / "stat");
    std::string text;
    std::getline(file, text);
    // The name in brackets may have spaces.
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos) {
        return 0;
    }
    std::istringstream fields(text.substr(name + 1));
    std::string state;
    pid_t itsParent = 0;
    fields >> state >> itsParent;
    if (itsParent != parent && folder.filename() != std::to_string(parent)) {
        return 0;
    }
    std::string skipped;
    for (int i = 0; i < 9; ++i) {
        fields >> skipped;
    }
    double ticks = 0;
    for (int i = 0; i < 4; ++i) {
        double each = 0;
        fields >> each;
        ticks += each;
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Of this process, the engine that runs changed kernels, and their compilers.
double cpuMilliseconds() {
    double seconds = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        if (entry.path().filename().string().find_first_not_of("0123456789") == std::string::npos) {
            seconds += cpuSecondsOf(entry.path(), ::getpid());
        }
    }
    return seconds * 1e3;
}

/// The kernel of most nodes; of several the last, because the run goes farthest up to there.
QModelIndex largestKernel(const views::KernelModel& model) {
    QModelIndex largest;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, 0);
        if (model.kernelAt(index) &&
            (!largest.isValid() || model.nodesAt(index).size() >= model.nodesAt(largest).size())) {
            largest = index;
        }
    }
    return largest;
}

/// What an edit takes, in milliseconds.
struct Figures {
    std::vector<double> result;
    std::vector<double> compiler;
    std::vector<double> engine;
    std::vector<double> cpu;
};

class Editing {
public:
    explicit Editing(views::KernelsPanel& panel) : m_panel(panel), m_page(*panel.page()) {
        m_page.tabs()->setCurrentWidget(m_page.source());
        m_edit = m_page.source()->edit();
        m_edit->setFocus();
    }

    /// The kernel as it is generated becomes the baseline.
    void keepBaseline() {
        rerun();
        m_page.baselineButton()->click();
    }
    void measure(Figures& figures) {
        QTextCursor cursor(m_edit->document());
        cursor.movePosition(QTextCursor::End);
        m_edit->setTextCursor(cursor);
        QTest::keyClicks(m_edit, QStringLiteral("// "));
        const double began = cpuMilliseconds();
        QElapsedTimer clock;
        clock.start();
        rerun();
        m_page.repaint();
        figures.result.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        figures.cpu.push_back(cpuMilliseconds() - began);
        require(m_page.said().contains(QStringLiteral("beside the baseline")),
                "The result is not compared with the baseline.");
        const session::RerunResult& last = *m_panel.history()->of(m_page.subject()).back()->result;
        require(last.build.has_value(), "The text was not compiled.");
        figures.compiler.push_back(last.build->seconds * 1e3);
        figures.engine.push_back(static_cast<double>(last.nanoseconds) * 1e-6);
    }

private:
    void rerun() {
        const std::size_t before = m_panel.history()->of(m_page.subject()).size();
        QTest::keyClick(m_edit, Qt::Key_Return, Qt::ControlModifier);
        require(QTest::qWaitFor(
                    [&] {
                        return m_panel.history()->of(m_page.subject()).size() > before &&
                               !m_page.request()->isUnderWay();
                    },
                    10 * test::patience),
                "The kernel was not rerun.");
    }

    views::KernelsPanel& m_panel;
    views::KernelPage& m_page;
    views::CodeEdit* m_edit = nullptr;
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
    test::WindowBench bench(app::torchBackendFactory());
    require(bench.open(log), "The log has no graph.");
    require(bench.select(bench.sibling("forward")), "There is no forward graph.");
    bench.window->action(QStringLiteral("show-kernels"))->trigger();
    bench.window->activateWindow();
    auto* panel = bench.window->panel<views::KernelsPanel>();
    panel->groupingBox()->setCurrentIndex(views::KernelsPanel::FusedKernels);
    require(QTest::qWaitFor([&] { return bench.window->parts().context.kernels->plan() != nullptr; },
                            test::patience),
            "The graph's kernels were not planned.");
    const QModelIndex row = largestKernel(*panel->model());
    require(row.isValid(), "The graph has no fused kernel.");
    panel->list()->selectionModel()->setCurrentIndex(row, QItemSelectionModel::ClearAndSelect |
                                                              QItemSelectionModel::Rows);
    Editing editing(*panel);
    editing.keepBaseline();
    // Opens LibTorch in the process that runs changed kernels.
    Figures first;
    editing.measure(first);
    Figures figures;
    for (int i = 0; i < edits; ++i) {
        editing.measure(figures);
    }
    std::cout << panel->page()->source()->kernel()->name << " of a graph of "
              << bench.window->currentGraph()->graph()->graph->size() << " nodes, "
              << panel->page()->form()->repetitions()->value() << " repetitions; medians of " << edits
              << " edits\n"
              << "  key to times and error beside the baseline   " << medianOf(figures.result) << " ms\n"
              << "    of that in the engine                      " << medianOf(figures.engine) << " ms\n"
              << "      of that in the compiler                  " << medianOf(figures.compiler) << " ms\n"
              << "  processor time of all, with the compiler     " << medianOf(figures.cpu) << " ms\n"
              << "  the first edit                               " << first.result.front() << " ms, "
              << first.cpu.front() << " ms of processor time\n";
    if (!json.empty()) {
        std::ofstream(json) << "{\"key_to_result_ms\": " << listOf(figures.result)
                            << ", \"engine_ms\": " << listOf(figures.engine)
                            << ", \"compiler_ms\": " << listOf(figures.compiler)
                            << ", \"cpu_ms\": " << listOf(figures.cpu)
                            << ", \"first_ms\": " << listOf(first.result) << "}\n";
    }
    return 0;
}

#pragma once

#include "support/fake_call.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "partition/current_partition.h"
#include "steps/current_call.h"
#include "steps/events_panel.h"
#include "steps/stack_canvas.h"
#include "steps/wrappers_panel.h"
#include "window/job_status.h"

#include <QAction>
#include <QTreeView>

namespace aotscope::test {

/// The window over a fake backend that steps through a fixed record (fake_call.h).
struct StepsBench : WindowBench {
    StepsBench() { answerCalls(*backend); }

    [[nodiscard]] bool start() {
        return open(sampleLogPath()) &&
               QTest::qWaitFor(
                   [this] { return window->currentPartition()->snapshot() && !window->parts().jobs->busy(); },
                   patience);
    }
    void trigger(const char* action) const {
        QAction* found = window->action(QString::fromLatin1(action));
        QTRY_VERIFY2_WITH_TIMEOUT(found->isEnabled(), action, patience);
        found->trigger();
    }
    [[nodiscard]] views::CurrentCall* call() const { return window->parts().context.call; }
    [[nodiscard]] views::WrappersPanel* wrappers() const { return window->panel<views::WrappersPanel>(); }
    [[nodiscard]] views::EventsPanel* events() const { return window->panel<views::EventsPanel>(); }
    /// Shows the Wrappers panel and waits for the stack.
    [[nodiscard]] bool showStack() const {
        trigger("show-wrappers");
        return QTest::qWaitFor([this] { return !wrappers()->stack()->levels().empty(); }, patience);
    }
    [[nodiscard]] bool awaitCall() const {
        return QTest::qWaitFor([this] { return call()->function() && call()->function()->call; }, patience);
    }
    [[nodiscard]] bool awaitPause(std::size_t event) const {
        return QTest::qWaitFor([&] { return call()->paused() && call()->pause()->next == event; }, patience);
    }
    [[nodiscard]] bool awaitIdle() const {
        return QTest::qWaitFor([this] { return !call()->calling(); }, patience);
    }
    [[nodiscard]] std::size_t point() const { return call()->function()->event; }
};

/// The texts of a column from top to bottom, with two spaces per level.
inline QStringList columnOf(const QTreeView& view, int column, const QModelIndex& parent = {},
                            int depth = 0) {
    QStringList texts;
    for (int row = 0; row < view.model()->rowCount(parent); ++row) {
        const QModelIndex index = view.model()->index(row, 0, parent);
        texts.append(QString(depth * 2, QLatin1Char(' ')) + index.siblingAtColumn(column).data().toString());
        texts += columnOf(view, column, index, depth + 1);
    }
    return texts;
}

} // namespace aotscope::test

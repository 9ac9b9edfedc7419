#pragma once

#include "support/window_bench.h"

#include "panels/inspector_panel.h"
#include "partition/current_partition.h"
#include "partition/saved_panel.h"

namespace aotscope::views {

/// The window with the sample log open and its joint graph shown and partitioned.
struct ExploreBench : test::WindowBench {
    CurrentPartition* split = nullptr;
    SavedPanel* saved = nullptr;
    InspectorPanel* inspector = nullptr;

    [[nodiscard]] bool start() {
        if (!open(test::sampleLogPath())) {
            return false;
        }
        split = window->currentPartition();
        saved = window->panel<SavedPanel>();
        inspector = window->panel<InspectorPanel>();
        return select(sibling("joint")) && settled();
    }
    /// Waits for the answer to the present choices.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return split->isCurrent(); }, test::patience);
    }
    void pick(const std::string& node) const {
        window->selection()->select({window->selection()->current()->artifact, node});
    }
    [[nodiscard]] const session::SavedTensor* saves(const std::string& name) const {
        for (const session::SavedTensor& row : split->snapshot()->saved) {
            if (row.name == name) {
                return &row;
            }
        }
        return nullptr;
    }
    /// A saved result of an operator that can be computed again.
    [[nodiscard]] std::string choosableSaved() const {
        for (const session::SavedTensor& row : split->snapshot()->saved) {
            const std::vector<std::string> names{row.name};
            if (!split->choosable(names).empty()) {
                return row.name;
            }
        }
        return {};
    }
};

} // namespace aotscope::views

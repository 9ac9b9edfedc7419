#pragma once

#include "support/window_bench.h"

#include "hooks/capsule_model.h"
#include "hooks/hook_measures.h"
#include "hooks/inlining_bar.h"
#include "hooks/inlining_panel.h"
#include "partition/current_partition.h"
#include "torch_module.h"

#include <QComboBox>
#include <QPushButton>

#include <string>

namespace aotscope::test {

/// The window with the sample's joint graph in the Inlining dock.
struct InliningBench : WindowBench {
    views::CurrentPartition* split = nullptr;
    views::InliningPanel* panel = nullptr;

    InliningBench() : InliningBench(app::torchBackendFactory()) {}
    explicit InliningBench(session::BackendFactory factory) : WindowBench(std::move(factory)) {
        split = window->currentPartition();
        panel = window->panel<views::InliningPanel>();
    }
    [[nodiscard]] bool start() {
        if (!open(sampleLogPath()) || !select(sibling("joint")) || !settled()) {
            return false;
        }
        window->action(QStringLiteral("show-inlining"))->trigger();
        return QTest::qWaitFor([this] { return panel->isVisible(); }, patience);
    }
    /// Waits for the halves with the present choices.
    [[nodiscard]] bool settled() const {
        return QTest::qWaitFor([this] { return split->isCurrent(); }, patience);
    }
    static void take(QComboBox* box, const char* words) {
        const int index = box->findText(QString::fromUtf8(words));
        QVERIFY2(index >= 0, words);
        box->setCurrentIndex(index);
        Q_EMIT box->activated(index);
    }
    /// One hook for every tensor that there is.
    [[nodiscard]] bool startWith(const char* hook) {
        if (!start()) {
            return false;
        }
        take(panel->bar()->modeChoice(), "all");
        take(panel->bar()->hookForAllChoice(), hook);
        return settled();
    }
    [[nodiscard]] bool measured() const {
        return QTest::qWaitFor(
            [this] {
                return panel->measures()->isCurrent(panel->measures()->whole()) &&
                       !panel->measures()->request()->isUnderWay();
            },
            patience);
    }
    [[nodiscard]] bool measure() const {
        QTest::mouseClick(panel->bar()->measureButton(), Qt::LeftButton);
        return measured();
    }
    [[nodiscard]] const views::Capsule& row(int number) const { return *panel->model()->tryRow(number); }
    [[nodiscard]] int rowCount() const { return panel->model()->rowCount(); }
    /// A tensor that has a hook.
    [[nodiscard]] std::string hooked() const {
        for (const views::Capsule& capsule : panel->model()->all()) {
            if (capsule.hasHook()) {
                return capsule.saved->name;
            }
        }
        return {};
    }
    [[nodiscard]] const views::Capsule& capsuleOf(const std::string& name) const {
        return row(panel->model()->rowOf(name));
    }
    [[nodiscard]] QModelIndex cell(const std::string& name, int column) const {
        return panel->model()->index(panel->model()->rowOf(name), column);
    }
    void toggle(const std::string& name) const {
        const QModelIndex index = cell(name, views::CapsuleModel::Name);
        const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        QVERIFY(panel->model()->setData(index, isOn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole));
    }
};

} // namespace aotscope::test

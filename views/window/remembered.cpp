#include "window/remembered.h"

#include "common/breakpoint_list.h"
#include "common/panel_layout.h"
#include "graph/graph_panel.h"
#include "kernels/kernel_variants.h"
#include "kernels/kernels_panel.h"
#include "steps/current_call.h"
#include "window/graph_dock.h"
#include "window/panel_docks.h"

#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QSettings>
#include <QSplitter>
#include <QTreeView>

#include <utility>
#include <vector>

namespace aotscope::views {

namespace {

/// Calls `what(part, key)` for each child of type Part in a panel.
template<typename Part, typename What>
void forEach(const PanelDocks& docks, const char* kind, const What& what) {
    for (const PanelSpec& spec : docks.specs()) {
        int number = 0;
        for (Part* part : docks.dock(QLatin1String(spec.id))->template findChildren<Part*>()) {
            const QString name = part->objectName().isEmpty() ? QString::number(number) : part->objectName();
            what(*part,
                 QStringLiteral("panels/%1/%2-%3").arg(QLatin1String(spec.id), QLatin1String(kind), name));
            ++number;
        }
    }
}

bool isFilter(const QLineEdit& field) {
    return field.objectName() == filterFieldName();
}

/// The key includes the number of columns: header state of fewer columns would hide new ones.
QString columnsKey(const QString& key) {
    return key + QStringLiteral("/columns");
}

QString stateKey(const QString& key) {
    return key + QStringLiteral("/state");
}

const QString breakpointsKey = QStringLiteral("window/breakpoints");
const QString variantsKey = QStringLiteral("window/kernelVariants");
const QString stepBreakpointsKey = QStringLiteral("window/stepBreakpoints");

template<typename Breakpoint>
QStringList textsOf(const std::vector<Breakpoint>& breakpoints) {
    QStringList texts;
    for (const Breakpoint& breakpoint : breakpoints) {
        texts.append(QString::fromStdString(breakpoint.toText()));
    }
    return texts;
}

} // namespace

void rememberPanels(const PanelDocks& docks, const ViewContext& context, QSettings& settings) {
    forEach<QTreeView>(docks, "table", [&](const QTreeView& view, const QString& key) {
        settings.setValue(columnsKey(key), view.header()->count());
        settings.setValue(stateKey(key), view.header()->saveState());
    });
    forEach<QSplitter>(docks, "splitter", [&](const QSplitter& splitter, const QString& key) {
        settings.setValue(key, splitter.saveState());
    });
    forEach<QLineEdit>(docks, "filter", [&](const QLineEdit& field, const QString& key) {
        if (isFilter(field)) {
            settings.setValue(key, field.text());
        }
    });
    settings.setValue(breakpointsKey, textsOf(context.breakpoints->all()));
    settings.setValue(stepBreakpointsKey, textsOf(context.call->breakpoints()));
    settings.setValue(variantsKey, docks.panel<KernelsPanel>()->variants()->toTexts());
    docks.panel<GraphDock>()->panel()->rememberViews(settings);
}

void restorePanels(const PanelDocks& docks, const ViewContext& context, QSettings& settings) {
    forEach<QTreeView>(docks, "table", [&](const QTreeView& view, const QString& key) {
        if (settings.value(columnsKey(key)).toInt() == view.header()->count()) {
            view.header()->restoreState(settings.value(stateKey(key)).toByteArray());
        }
    });
    forEach<QSplitter>(docks, "splitter", [&](QSplitter& splitter, const QString& key) {
        splitter.restoreState(settings.value(key).toByteArray());
    });
    forEach<QLineEdit>(docks, "filter", [&](QLineEdit& field, const QString& key) {
        if (isFilter(field)) {
            field.setText(settings.value(key).toString());
        }
    });
    for (const QString& text : settings.value(breakpointsKey).toStringList()) {
        const base::Result<session::Breakpoint> breakpoint = session::Breakpoint::parse(text.toStdString());
        if (breakpoint && !context.breakpoints->contains(*breakpoint)) {
            context.breakpoints->toggle(*breakpoint);
        }
    }
    std::vector<steps::StepBreakpoint> steps;
    for (const QString& text : settings.value(stepBreakpointsKey).toStringList()) {
        if (const auto breakpoint = steps::StepBreakpoint::parse(text.toStdString())) {
            steps.push_back(*breakpoint);
        }
    }
    context.call->setBreakpoints(std::move(steps));
    docks.panel<KernelsPanel>()->variants()->setTexts(settings.value(variantsKey).toStringList());
    docks.panel<GraphDock>()->panel()->restoreViews(settings);
}

} // namespace aotscope::views

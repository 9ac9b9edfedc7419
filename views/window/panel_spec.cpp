#include "window/panel_spec.h"

#include "budget/budget_panel.h"
#include "compare/compare_panel.h"
#include "hooks/inlining_panel.h"
#include "inductor/generated_code_panel.h"
#include "kernels/kernels_panel.h"
#include "memory/memory_panel.h"
#include "panels/compiles_panel.h"
#include "panels/inspector_panel.h"
#include "panels/payload_panel.h"
#include "panels/problems_panel.h"
#include "panels/run_panel.h"
#include "panels/text_panel.h"
#include "partition/saved_panel.h"
#include "retrace/retrace_panel.h"
#include "steps/events_panel.h"
#include "steps/wrappers_panel.h"
#include "timeline/timeline_panel.h"
#include "values/values_panel.h"
#include "window/graph_dock.h"

namespace aotscope::views {

namespace {

template<typename Panel>
QWidget* makePanel(const ViewContext& context) {
    return new Panel(context);
}

constexpr QKeyCombination control(Qt::Key key) {
    return Qt::CTRL | key;
}
constexpr QKeyCombination controlAlt(Qt::Key key) {
    return Qt::CTRL | Qt::ALT | key;
}

constexpr PanelSpec specs[] = {
    {"compiles", "Compiles", PanelPlace::Left, control(Qt::Key_1), "compiles", makePanel<CompilesPanel>},
    {"graph", "Graph", PanelPlace::Middle, control(Qt::Key_2), "graph", makePanel<GraphDock>},
    {"text", "Text", PanelPlace::BelowRight, control(Qt::Key_3), "text", makePanel<TextPanel>},
    {"inspector", "Inspector", PanelPlace::Right, control(Qt::Key_4), "inspector", makePanel<InspectorPanel>},
    {"problems", "Problems", PanelPlace::Bottom, control(Qt::Key_5), "problems", makePanel<ProblemsPanel>},
    {"payload", "Payload", PanelPlace::Bottom, control(Qt::Key_6), "payload", makePanel<PayloadPanel>},
    {"run", "Run", PanelPlace::Bottom, control(Qt::Key_7), "run", makePanel<RunPanel>},
    {"retrace", "Re-trace", PanelPlace::Bottom, control(Qt::Key_8), "retrace", makePanel<RetracePanel>},
    {"compare", "Compare", PanelPlace::Middle, control(Qt::Key_9), "compare", makePanel<ComparePanel>},
    {"saved", "Saved", PanelPlace::Bottom, control(Qt::Key_0), "saved", makePanel<SavedPanel>},
    {"memory", "Memory", PanelPlace::Bottom, controlAlt(Qt::Key_1), "memory", makePanel<MemoryPanel>},
    {"budget", "Budget", PanelPlace::Bottom, controlAlt(Qt::Key_2), "budget", makePanel<BudgetPanel>},
    {"events", "Events", PanelPlace::Left, controlAlt(Qt::Key_3), "events", makePanel<EventsPanel>},
    {"wrappers", "Wrappers", PanelPlace::Bottom, controlAlt(Qt::Key_4), "wrappers", makePanel<WrappersPanel>},
    {"values", "Values", PanelPlace::Bottom, controlAlt(Qt::Key_5), "values", makePanel<ValuesPanel>},
    {"inlining", "Inlining", PanelPlace::Bottom, controlAlt(Qt::Key_6), "inlining", makePanel<InliningPanel>},
    {"generated", "Generated code", PanelPlace::Bottom, controlAlt(Qt::Key_N), "generated",
     makePanel<GeneratedCodePanel>},
    {"timeline", "Timeline", PanelPlace::Bottom, controlAlt(Qt::Key_I), "timeline", makePanel<TimelinePanel>},
    {"kernels", "Kernels", PanelPlace::Bottom, controlAlt(Qt::Key_M), "kernels", makePanel<KernelsPanel>},
};

} // namespace

std::span<const PanelSpec> panelSpecs() {
    return specs;
}

} // namespace aotscope::views

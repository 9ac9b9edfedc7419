#pragma once

#include "support/window_bench.h"

#include "ir/text/parser.h"
#include "retrace/retrace_panel.h"

namespace aotscope::test {

inline constexpr const char* madeText = R"(class GraphModule(torch.nn.Module):
    def forward(self, arg0_1: "f32[8, 4][4, 1]cpu"):
        relu: "f32[8, 4][4, 1]cpu" = torch.ops.aten.relu.default(arg0_1);  arg0_1 = None
        return (relu,)
)";

/// A backend that "traces" every program to one small graph whose second output aliases its first input.
inline aot::RetraceResult traced() {
    aot::RetraceResult result;
    result.function.graph = *ir::parseGraphText(madeText);
    result.function.reason = "no input requires grad";
    result.function.metadata.inputInfo.resize(1);
    result.function.metadata.inputInfo[0].mutatesData = true;
    result.function.metadata.outputInfo.resize(2);
    result.function.metadata.outputInfo[1].outputType = ir::OutputType::AliasOfInput;
    result.function.metadata.outputInfo[1].baseIdx = 0;
    return result;
}

/// The window with the project's log and that backend.
struct RetraceBench : WindowBench {
    RetraceBench() {
        backend->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&, base::Progress&) {
            return traced();
        };
    }
    [[nodiscard]] bool openSample() { return open(sampleLogPath()); }
    [[nodiscard]] views::RetracePanel* panel() const { return window->panel<views::RetracePanel>(); }
    /// Traces the selected compile and waits for its end.
    [[nodiscard]] bool retrace() const {
        panel()->retraceCompile();
        return QTest::qWaitFor([this] { return !panel()->running(); }, patience);
    }
};

} // namespace aotscope::test

#pragma once

namespace aotscope::views {

class BreakpointList;
class CurrentCall;
class CurrentGraph;
class CurrentPartition;
class EngineClient;
class FileJobs;
class GraphTotalsCollector;
class LogList;
class RunDevice;
class SelectionHub;
class ShownKernels;
class ThemeSource;
class CompileSettings;

/// The objects that all panels share. They outlive the panels.
struct ViewContext {
    EngineClient* engine = nullptr;
    SelectionHub* selection = nullptr;
    ThemeSource* theme = nullptr;
    FileJobs* files = nullptr;
    LogList* logs = nullptr;
    CurrentGraph* graph = nullptr;
    CurrentPartition* partition = nullptr;
    GraphTotalsCollector* totals = nullptr;
    BreakpointList* breakpoints = nullptr;
    CompileSettings* settings = nullptr;
    CurrentCall* call = nullptr;
    RunDevice* device = nullptr;
    ShownKernels* kernels = nullptr;
};

} // namespace aotscope::views

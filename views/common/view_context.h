#pragma once

namespace aotscope::views {

class EngineClient;
class FileJobs;
class SelectionHub;
class ThemeSource;

/// What every panel is given; all outlive the panels.
struct ViewContext {
    EngineClient* engine = nullptr;
    SelectionHub* selection = nullptr;
    ThemeSource* theme = nullptr;
    FileJobs* files = nullptr;
};

} // namespace aotscope::views

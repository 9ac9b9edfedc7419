#pragma once

#include "program.h"

#include <functional>

namespace CLI {
class App;
}

/// One function per command: it declares the command's options, and when the command is the one called, sets
/// `chosen` to what does it.
namespace aotscope::cli {

/// Answers the exit code; throws Failure.
using Action = std::function<int(Program&)>;

void addOpenCommand(CLI::App& app, Action& chosen);
void addGraphCommand(CLI::App& app, Action& chosen);
void addDiffCommand(CLI::App& app, Action& chosen);
void addRunCommand(CLI::App& app, Action& chosen);
void addRetraceCommand(CLI::App& app, Action& chosen);
void addPayloadCommand(CLI::App& app, Action& chosen);
void addBudgetCommand(CLI::App& app, Action& chosen);
void addMemoryCommand(CLI::App& app, Action& chosen);
void addPartitionCommand(CLI::App& app, Action& chosen);
void addProblemsCommand(CLI::App& app, Action& chosen);
void addSchemasCommand(CLI::App& app, Action& chosen);
void addCoverageCommand(CLI::App& app, Action& chosen);
void addWhyCommand(CLI::App& app, Action& chosen);
void addReplayCommand(CLI::App& app, Action& chosen);

} // namespace aotscope::cli

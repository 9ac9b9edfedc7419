#pragma once

#include "program.h"

#include <functional>

namespace CLI {
class App;
}

/// One function per command. It declares the command's options and, if the command is called, sets `chosen`
/// to the function that executes it.
namespace aotscope::cli {

/// Returns the exit code; throws Failure.
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
void addRulesCommand(CLI::App& app, Action& chosen);
void addMetadataCommand(CLI::App& app, Action& chosen);
void addWrappersCommand(CLI::App& app, Action& chosen);
void addCacheCommand(CLI::App& app, Action& chosen);
void addRerunCommand(CLI::App& app, Action& chosen);
void addReplayCommand(CLI::App& app, Action& chosen);
void addStepCommand(CLI::App& app, Action& chosen);
void addHooksCommand(CLI::App& app, Action& chosen);
void addKernelsCommand(CLI::App& app, Action& chosen);

} // namespace aotscope::cli

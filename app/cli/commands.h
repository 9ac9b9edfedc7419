#pragma once

#include "command_line.h"
#include "program.h"

#include <functional>
#include <memory>
#include <string>

/// One function per command. It declares the command's options and, if the command is called, sets `chosen`
/// to the function that executes it.
namespace aotscope::cli {

/// Returns the exit code; throws Failure.
using Action = std::function<int(Program&)>;

template<typename Options>
struct AddedCommand {
    Command command;
    /// What its options set.
    std::shared_ptr<Options> options = std::make_shared<Options>();
};

/// Adds a command. If it is called, `execute` is chosen, with the values that its options have then.
template<typename Options>
[[nodiscard]] AddedCommand<Options> addCommand(Command app, Action& chosen, const std::string& name,
                                               const std::string& help,
                                               int (*execute)(Program&, const Options&)) {
    const AddedCommand<Options> added{app.addCommand(name, help)};
    added.command.onCall([&chosen, options = added.options, execute] {
        chosen = [options, execute](Program& program) { return execute(program, *options); };
    });
    return added;
}

void addOpenCommand(Command app, Action& chosen);
void addGraphCommand(Command app, Action& chosen);
void addDiffCommand(Command app, Action& chosen);
void addRunCommand(Command app, Action& chosen);
void addRetraceCommand(Command app, Action& chosen);
void addPayloadCommand(Command app, Action& chosen);
void addBudgetCommand(Command app, Action& chosen);
void addMemoryCommand(Command app, Action& chosen);
void addPartitionCommand(Command app, Action& chosen);
void addProblemsCommand(Command app, Action& chosen);
void addSchemasCommand(Command app, Action& chosen);
void addSchemaCommand(Command app, Action& chosen);
void addCoverageCommand(Command app, Action& chosen);
void addWhyCommand(Command app, Action& chosen);
void addRulesCommand(Command app, Action& chosen);
void addMetadataCommand(Command app, Action& chosen);
void addWrappersCommand(Command app, Action& chosen);
void addCacheCommand(Command app, Action& chosen);
void addRerunCommand(Command app, Action& chosen);
void addReplayCommand(Command app, Action& chosen);
void addStepCommand(Command app, Action& chosen);
void addHooksCommand(Command app, Action& chosen);
void addKernelsCommand(Command app, Action& chosen);
void addDevicesCommand(Command app, Action& chosen);
void addProfileCommand(Command app, Action& chosen);

} // namespace aotscope::cli

#include "answer.h"
#include "commands.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

namespace {

int showSchemas(Program& program, const std::string& name) {
    std::vector<AnswerKind> kinds = answerKinds();
    std::ranges::sort(kinds, {}, [](const AnswerKind& kind) { return std::string_view(kind.schema); });
    if (name.empty()) {
        for (const AnswerKind& kind : kinds) {
            program.console.result(std::string(kind.schema) + "\n");
        }
        return ExitYes;
    }
    const auto found = std::ranges::find(kinds, name, &AnswerKind::schema);
    if (found == kinds.end()) {
        throw usageFailure("There is no schema named \"" + name + "\".",
                           {"Without a name, schema lists them."});
    }
    program.console.result(jsonText(found->write()));
    return ExitYes;
}

} // namespace

void addSchemaCommand(Command app, Action& chosen) {
    const Command command = app.addCommand("schema", "JSON Schemas of what commands print with --json");
    auto name = std::make_shared<std::string>();
    command.addOption("NAME", name.get(), "aotscope.run/2; without it the names are listed");
    onCall(command, chosen, name, showSchemas);
}

} // namespace aotscope::cli

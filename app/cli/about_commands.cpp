#include "answer.h"
#include "commands.h"
#include "compile_answer.h"
#include "options.h"
#include "table.h"

#include "aot/versions/versions.h"
#include "contract/coverage.h"
#include "contract/devices.h"
#include "session/shared_backend.h"

#include <algorithm>
#include <cmath>

/// Commands about the program itself, which need no log: rules, coverage, devices, schema and schemas.
namespace aotscope::cli {

struct RuleAnswer {
    std::string_view rule;
    aot::TorchVersion begins;
    std::string_view source;
    std::optional<bool> applies = {};
};
AOTSCOPE_MEMBERS(RuleAnswer, rule, begins, source, applies)

struct RulesAnswer {
    std::vector<aot::TorchVersion> known;
    std::optional<aot::TorchVersion> torch;
    std::optional<aot::TorchVersion> rulesOf = {};
    std::vector<RuleAnswer> rules = {};
};
AOTSCOPE_MEMBERS(RulesAnswer, known, torch, rulesOf, rules)
AOTSCOPE_ANSWER(RulesAnswer, "aotscope.rules/1")

struct CoverageAnswer {
    std::vector<session::CoverageTotal> totals;
    std::vector<session::CoverageRow> rows;
};
AOTSCOPE_MEMBERS(CoverageAnswer, totals, rows)
AOTSCOPE_ANSWER(CoverageAnswer, "aotscope.coverage/1")

AOTSCOPE_ANSWER(session::DeviceList, "aotscope.devices/2")

namespace {

struct RulesCommandOptions {
    std::optional<aot::TorchVersion> torch;
    bool json = false;
};

/// Whether the rule applies to a file of the release.
bool holdsFor(const aot::VersionRule& rule, aot::TorchVersion made) {
    return rule.begins <= aot::rulesVersion(made);
}

RulesAnswer rulesAnswer(const RulesCommandOptions& options) {
    RulesAnswer answer{{aot::knownVersions().begin(), aot::knownVersions().end()}, options.torch};
    if (options.torch) {
        answer.rulesOf = aot::rulesVersion(*options.torch);
    }
    for (const aot::VersionRule& rule : aot::versionRules()) {
        answer.rules.push_back({rule.text, rule.begins, rule.source});
        if (options.torch) {
            answer.rules.back().applies = holdsFor(rule, *options.torch);
        }
    }
    return answer;
}

int showRules(Program& program, const RulesCommandOptions& options) {
    if (options.json) {
        program.console.result(answerText(rulesAnswer(options)));
        return ExitYes;
    }
    Table table({"since", "rule", paths("read from")});
    for (const aot::VersionRule& rule : aot::versionRules()) {
        if (!options.torch || holdsFor(rule, *options.torch)) {
            table.add({aot::torchVersionText(rule.begins), rule.text, rule.source});
        }
    }
    const aot::TorchVersion oldest = aot::knownVersions().front();
    std::string text = "Releases whose rules are known: " + aot::knownVersionsText() + ".\n";
    if (options.torch) {
        text += "For a file of torch " + aot::torchVersionText(*options.torch) + " the " +
                aot::rulesText(*options.torch) + " apply.\n";
    }
    text += "Since torch " + aot::torchVersionText(oldest) + " these changed:\n";
    program.console.result(text + (table.empty() ? "nothing\n" : table.shown()));
    return ExitYes;
}

struct CoverageCommandOptions {
    std::vector<std::string> areas;
    bool missing = false;
    bool json = false;
};

std::string rowsText(const std::vector<session::CoverageRow>& rows) {
    Table table({"area", "name", "state", "how", "group"});
    for (const session::CoverageRow& row : rows) {
        table.add({row.area, row.name, row.state, row.note, row.group});
    }
    return rows.empty() ? std::string() : table.shown() + "\n";
}

std::string coverageTotals(const std::vector<session::CoverageTotal>& totals) {
    Table table({"area", "group", numbers("covered"), numbers("fallback"), numbers("missing"),
                 numbers("outside"), numbers("works")});
    for (const session::CoverageTotal& total : totals) {
        table.add({total.area, total.group, total.covered, total.fallback, total.missing, total.outside,
                   roundedDownPercent(total.share)});
    }
    return table.shown();
}

int showCoverage(Program& program, const CoverageCommandOptions& options) {
    std::vector<session::CoverageRow> rows =
        orFail(ExitNo, program.session.backend().answer(session::CoverageCall()));
    std::erase_if(rows, [&](const session::CoverageRow& row) {
        return !options.areas.empty() &&
               std::ranges::find(options.areas, base::wordOf(row.area)) == options.areas.end();
    });
    // Totals count all rows, not only the listed ones.
    const std::vector<session::CoverageTotal> totals = session::coverageTotals(rows);
    if (options.missing) {
        std::erase_if(rows, [](const session::CoverageRow& row) {
            return row.state != session::CoverageState::Missing;
        });
    }
    program.console.result(options.json ? answerText(CoverageAnswer{totals, rows})
                                        : rowsText(rows) + coverageTotals(totals));
    return ExitYes;
}

/// "3352 GB/s"; empty if it is not known.
std::string amount(double value, double unit, const char* name) {
    return value <= 0 ? std::string() : std::to_string(std::llround(value / unit)) + " " + name;
}

std::string devicesText(const session::DeviceList& list) {
    Table table({"device", "name", numbers("memory"), numbers("cores"), numbers("capability"),
                 numbers("peak bandwidth"), numbers("peak float32")});
    for (const session::DeviceInfo& device : list.devices) {
        table.add({device.device.text(), device.name,
                   amount(static_cast<double>(device.memoryBytes), 1 << 30, "GiB"), device.cores,
                   device.computeCapability, amount(device.peakBytesPerSecond, 1e9, "GB/s"),
                   amount(device.peakFlopsPerSecond, 1e12, "TFLOP/s")});
    }
    std::string text = table.shown();
    if (!list.driverVersion.empty()) {
        text += "NVIDIA driver for CUDA " + list.driverVersion + "\n";
    }
    if (!list.noGpu.empty()) {
        text += "No GPU can be used: " + list.noGpu + "\n";
    }
    for (const session::MissingLibrary& library : list.missing) {
        text += "  missing: " + library.name + " (" + library.detail +
                "); to install it: " + library.install + "\n";
    }
    return text;
}

int showDevices(Program& program, const bool& json) {
    const auto devices = [](session::Backend& backend) { return base::Result(backend.devices()); };
    const session::DeviceList list = orFail(ExitNo, program.session.backend().use({}, devices));
    program.console.result(json ? answerText(list) : devicesText(list));
    return ExitYes;
}

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

void addRulesCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "rules",
                   "List what PyTorch compiles differently from one release to the next", showRules);
    command.setFooter(
        "A trace log of torch 2.15 or newer says which release made it, and its graphs are compiled "
        "again by that release's rules; logs without a release are older. Where a release has no "
        "rules of its own here, those of the nearest older one apply.");
    addTorchOption(command, options->torch, "Only the rules that hold for this release");
    command.addFlag("--json", &options->json, jsonHelp<RulesAnswer>());
}

void addCoverageCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "coverage",
        "List what retrace can trace, against PyTorch's own lists of functions and operators", showCoverage);
    command.setFooter(
        "Areas: calls (functions and methods that Dynamo graphs call), shapes (operators, with the source of "
        "their result shapes), decompositions (operators in the tables of core ATen and Inductor). States: "
        "covered (traced as PyTorch does), fallback (traced by a general method), missing (cannot be "
        "traced), outside (no operator has this name; not counted). Totals come last.");
    command.addOption("AREA", &options->areas, "calls, shapes, decompositions; all of them by default",
                      {.oneOf = {"calls", "shapes", "decompositions"}});
    command.addFlag("--missing", &options->missing,
                    "List only what is missing; the totals still count everything");
    command.addFlag("--json", &options->json, jsonHelp<CoverageAnswer>());
}

void addDevicesCommand(Command app, Action& chosen) {
    const auto [command, json] = addCommand(
        app, chosen, "devices", "List what graphs can run on, and why there is no GPU", showDevices);
    command.setFooter(
        "The peaks of a GPU follow from the clocks, widths and cores that its driver names. What "
        "LibTorch needs for GPUs and is not there is listed, each with the command that installs "
        "it.");
    command.addFlag("--json", json.get(), jsonHelp<session::DeviceList>());
}

void addSchemaCommand(Command app, Action& chosen) {
    const auto [command, name] =
        addCommand(app, chosen, "schema", "JSON Schemas of what commands print with --json", showSchemas);
    command.addOption("NAME", name.get(), "aotscope.run/2; without it the names are listed");
}

void addSchemasCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("schemas", "List the schema of every operator of LibTorch, sorted");
    command.onCall([&chosen] {
        chosen = [](Program& program) -> int {
            auto schemas = orFail(ExitNo, program.session.backend().answer(session::SchemasCall()));
            std::string text;
            for (const std::string& schema : schemas) {
                text += schema + "\n";
            }
            program.console.result(text);
            return ExitYes;
        };
    });
}

} // namespace aotscope::cli

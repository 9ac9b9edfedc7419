#include "answer.h"
#include "commands.h"
#include "table.h"

#include "contract/coverage.h"
#include "session/shared_backend.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

struct CoverageAnswer {
    std::vector<session::CoverageTotal> totals;
    std::vector<session::CoverageRow> rows;
};
AOTSCOPE_MEMBERS(CoverageAnswer, totals, rows)
AOTSCOPE_ANSWER(CoverageAnswer, "aotscope.coverage/1")

namespace {

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

} // namespace

void addCoverageCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "coverage", "List what retrace can trace, against PyTorch's own lists of functions and operators");
    command.setFooter(
        "Areas: calls (functions and methods that Dynamo graphs call), shapes (operators, with the source of "
        "their result shapes), decompositions (operators in the tables of core ATen and Inductor). States: "
        "covered (traced as PyTorch does), fallback (traced by a general method), missing (cannot be "
        "traced), outside (no operator has this name; not counted). Totals come last.");
    auto options = std::make_shared<CoverageCommandOptions>();
    command.addOption("AREA", &options->areas, "calls, shapes, decompositions; all of them by default",
                      {.oneOf = {"calls", "shapes", "decompositions"}});
    command.addFlag("--missing", &options->missing,
                    "List only what is missing; the totals still count everything");
    command.addFlag("--json", &options->json, jsonHelp<CoverageAnswer>());
    onCall(command, chosen, options, showCoverage);
}

} // namespace aotscope::cli

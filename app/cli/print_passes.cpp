#include "print_passes.h"

#include "table.h"

#include "explore/partition_by_choices.h"
#include "ir/text/printer.h"

#include <algorithm>

namespace aotscope::cli {
namespace {

constexpr const char* allPasses = "all";

/// Prints the passes of one partition and notes what each took.
class PassPrinter {
public:
    PassPrinter(Program& program, const PrintedPasses& printed, const std::string& title, bool toResult)
        : m_program(program), m_printed(printed), m_title(title), m_toResult(toResult) {}

    void print(const passes::PassRun& run) {
        const std::string name(base::wordOf(run.pass));
        m_times += (m_times.empty() ? "" : ", ") + name + " " + durationText(run.time.count());
        if (!isPrinted(name, run.hasChanged)) {
            return;
        }
        std::string text;
        for (const passes::PassGraph& left : run.graphs) {
            text += "# " + m_title + ", after " + name + ": " + left.name + "\n" +
                    ir::printGraph(*left.graph).text;
        }
        m_toResult ? m_program.console.result(text) : m_program.console.besideResult(text);
    }

    [[nodiscard]] const std::string& times() const { return m_times; }

private:
    [[nodiscard]] bool isPrinted(const std::string& pass, bool hasChanged) const {
        const auto& names = m_printed.after;
        const auto isNamed = [&names](const std::string& name) {
            return std::ranges::find(names, name) != names.end();
        };
        return (names.empty() || isNamed(pass) || isNamed(allPasses)) && (hasChanged || !m_printed.changed);
    }

    Program& m_program;
    const PrintedPasses& m_printed;
    const std::string& m_title;
    bool m_toResult;
    std::string m_times;
};

} // namespace

void addPrintOptions(Command command, PrintedPasses& printed) {
    const auto words = base::words<passes::PassKind>();
    std::vector<std::string> names(words.begin(), words.end());
    names.emplace_back(allPasses);
    command
        .addOption("--print-after", &printed.after,
                   "Print the graphs that a pass leaves, and how long passes took; repeatable")
        .takeAll()
        .oneValueEach()
        .oneOf(names);
    command.addFlag("--print-changed", &printed.changed,
                    "Print the graphs of passes that changed one: of all, or of those of --print-after");
}

void printPasses(Program& program, const PrintedPasses& printed, const std::vector<PartitionRun>& runs,
                 bool toResult) {
    if (printed.after.empty() && !printed.changed) {
        return;
    }
    for (const PartitionRun& run : runs) {
        if (!run.split) {
            continue;
        }
        PassPrinter printer(program, printed, run.graph, toResult);
        const auto print = [&printer](const passes::PassRun& pass) { printer.print(pass); };
        orFail(ExitNo, session::watchPasses(*run.split, print, program.progress()));
        program.console.message("Passes of " + run.graph + ": " + printer.times());
    }
}

} // namespace aotscope::cli

#pragma once

#include "command_line.h"
#include "partition_run.h"
#include "program.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// The passes whose graphs a person wants to see.
struct PrintedPasses {
    /// Their names, or "all".
    std::vector<std::string> after;
    /// Only passes that changed a graph; without names all of these.
    bool changed = false;
};

/// Adds `--print-after` and `--print-changed`. `printed` must outlive the command.
void addPrintOptions(Command command, PrintedPasses& printed);

/// Writes the graphs that these passes of the partitions left as text, each below a comment that names it: to
/// standard output, or if that is for other results (`toResult` is false) to stderr. Throws Failure.
void printPasses(Program& program, const PrintedPasses& printed, const std::vector<PartitionRun>& runs,
                 bool toResult);

} // namespace aotscope::cli

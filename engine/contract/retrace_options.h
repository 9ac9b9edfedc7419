#pragma once

#include "aot/retrace.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// How a person wants a function compiled again.
struct RetraceOptions {
    /// Whose rules apply; nothing: those of the release that wrote the file.
    std::optional<aot::TorchVersion> torch = {};
    /// Nothing: the table that the file's compile used.
    std::optional<aot::DecompositionTable> decompositions;
    /// Those of DecompositionTable::Chosen.
    std::vector<std::string> decomposedOperators = {};
    /// Whether the backend keeps input mutations in the graph (aot_autograd's
    /// keep_inference_input_mutations); nothing: as the file's compile did, as far as it shows.
    std::optional<bool> keepInputMutations = {};
    /// Functions that the program calls by a name that others have too: another function for each target.
    std::map<std::string, std::string> readAs = {};
    /// Options of PyTorch in place of the file's.
    std::vector<aot::ConfigSetting> config = {};
    /// Also compare source comments, descriptors and the printed text.
    bool exact = false;
    /// Also make the graphs of the stages.
    bool stages = false;
    /// Also run the traced graph and, as eager would, its program, both on generated inputs.
    bool numbers = false;
    /// Take the compile from the cache of compiled functions if it is there, and put it there otherwise. The
    /// partition of its joint graph is then cached too (recompile/cached_retrace.h).
    bool cache = false;
    /// Export instead of compiling. There is no logged graph to compare with then.
    std::optional<aot::ExportOptions> exported = {};
};

} // namespace aotscope::session

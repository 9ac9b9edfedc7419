#include "passes/saved_values.h"

namespace aotscope::passes {
namespace {

RecomputeBans bansOf(const PartitionOptions& options) {
    RecomputeBans bans = options.bans;
    if (options.aggressiveRecomputation) {
        bans.usedFarApart = false;
        bans.longFusibleChains = false;
        bans.materializedBackward = false;
        bans.notInAllowlist = false;
    }
    return bans;
}

} // namespace

base::Result<SavedValues> chooseSavedValues(const CutInput& input) {
    SavedValues saved;
    auto cut = solveMinCut(input, bansOf(input.options));
    if (!cut) {
        return std::move(cut).error();
    }
    saved.values = cut->saved;
    saved.cut = std::move(cut).value();
    return saved;
}

} // namespace aotscope::passes

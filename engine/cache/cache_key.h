#pragma once

#include "aot/retrace.h"
#include "aot/saved_tensors_hooks.h"
#include "passes/partition_options.h"

#include <optional>
#include <string>
#include <vector>

/// The cache of compiled functions: what a trace of a program gave, kept in memory and on disk. Follows torch
/// 2.15, torch/_functorch/_aot_autograd/autograd_cache.py and aot_autograd_result.py.
namespace aotscope::cache {

/// Grows when an entry or a key changes its form or meaning. Entries of another version are not read.
inline constexpr int formatVersion = 6;

/// One of the things that decide what a compile gives.
struct KeyComponent {
    /// "program", or the name of a member in its struct's list (aot/fields_json.h): "decompositions".
    std::string name;
    /// JSON; a word or text without its quotes, and "none" for a member that is not set.
    std::string text;
    friend bool operator==(const KeyComponent&, const KeyComponent&) = default;
};

/// Everything that decides what a compile gives: each member of what is compiled and of its environment that
/// the lists of members do not mark as NotInKey. Compare AOTAutogradCacheDetails.
struct CacheKey {
    /// The program comes first.
    std::vector<KeyComponent> components;
    /// Of all components: 32 lower-case hexadecimal digits.
    std::string digest;
    /// Digest of the program alone: entries with the same one are one graph in several configurations.
    std::string programDigest;
};

/// What decides the result besides the request.
struct CompileEnvironment {
    /// "LibTorch 2.15.0 (CPU)"
    std::string libTorch;
    /// Which build of this program compiles (engineIdentity).
    std::string engine;
    /// Set if the entry holds the halves of a joint graph.
    std::optional<passes::PartitionOptions> partition = {};
    /// The program's own, which may be inlined into the halves, and for which saved tensors.
    std::vector<aot::SavedTensorsHooks> hooks = {};
    /// Hooks that a person chose (aot::CompileChoices::chosenHooksText).
    std::string chosenHooks = {};
    passes::HookFilter hookFilter = passes::HookFilter::Donated;
};

/// The key of a trace. The values of symbols are no part of it: an entry's guards are checked against them.
/// Symbols keep the program's names, which PyTorch makes from hashes of their sources
/// (torch/fx/experimental/symbolic_shapes.py: _get_unique_id), so that they are the same in each run. The
/// program's source lines are part of it because the traced graph shows them.
[[nodiscard]] CacheKey keyOf(const aot::RetraceRequest& request, const CompileEnvironment& environment);

/// The key of the stages after the trace, with `environment.partition` set: of all that the traced function
/// holds, because these stages pass it on. The values of symbols are part of it: they decide how large a
/// saved tensor counts.
[[nodiscard]] CacheKey keyOfPartition(const aot::CompiledFunction& traced,
                                      const CompileEnvironment& environment);

/// Identifies the build of this program that runs: a digest of the build ids of its libraries and of
/// LibTorch's that are loaded now. Another build may compile differently, so its entries are not taken.
/// Compare torch 2.15, torch/_inductor/codecache.py: torch_key. Empty if no library has a build id.
[[nodiscard]] std::string engineIdentity();

/// A key of components that were read; computes the digests.
[[nodiscard]] CacheKey keyFrom(std::vector<KeyComponent> components);

/// Identifies a graph that a compiler gets: what PyTorch's entry names as fx_graph_cache_info.
[[nodiscard]] std::string graphKey(const ir::GraphPtr& graph);

/// Names the components in which two keys of one program differ, with both sides if they are short:
/// "decompositions (stored core, requested none)". Empty: equal.
[[nodiscard]] std::string componentsApart(const CacheKey& stored, const CacheKey& requested);

} // namespace aotscope::cache

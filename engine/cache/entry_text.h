#pragma once

#include "cache/cache_key.h"

#include "aot/retrace.h"

#include "base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace aotscope::cache {

/// A stored compile. Follows torch 2.15, torch/_functorch/_aot_autograd/aot_autograd_result.py:
/// GenericAOTAutogradResult; the graphs themselves are stored, because no compiler's output is.
struct CacheEntry {
    CacheKey key;
    /// Its program is null: who takes the entry has it. No stages and no numbers.
    aot::RetraceResult result;
    /// The keys that a compiler of the forward and the backward graph would use; empty: there is no such
    /// graph.
    std::string forwardKey;
    std::string backwardKey;
};
using CacheEntryPtr = std::shared_ptr<const CacheEntry>;

/// An entry of a trace or of a partition. The result's program, stages, numbers and outcome are left out.
[[nodiscard]] CacheEntry makeEntry(CacheKey key, const aot::RetraceResult& result);

/// What an entry says of itself before its compiled function.
struct EntryHeader {
    CacheKey key;
    std::string forwardKey;
    std::string backwardKey;
    std::int64_t nanoseconds = 0;
    std::optional<aot::TorchVersion> libTorch = {};
    std::set<std::string> changedOperators = {};
    std::vector<std::string> notes = {};
    std::vector<aot::RetraceGuard> guards = {};
    /// "inference", "joint", "forward and backward"
    std::string kind;
    /// Number of nodes of the traced graph.
    std::size_t nodes = 0;
    /// The traced graph as JSON; empty: it is inside of the compiled function, as for a partition.
    std::string_view graph = {};
    /// The compiled function, as JSON.
    std::string_view function = {};
};

/// The entry as text: a line with the format's version; a line with the MD5 digest and the length of what
/// follows; a line of JSON with everything of EntryHeader except texts, and the lengths of these; the
/// components' texts; the traced graph, apart because it is read several times faster so; and the compiled
/// function as aot/compiled_function_json.h writes it.
[[nodiscard]] std::string entryToText(const CacheEntry& entry);

/// Reads an entry up to its compiled function; views into `text`. Nothing in it is trusted. Errors:
/// cache.foreign (no entry), cache.version (of an older or newer program), cache.truncated, cache.oversized
/// (longer than it says), cache.damaged (another digest), cache.form (names the field).
[[nodiscard]] base::Result<EntryHeader> readEntryHeader(std::string_view text);

/// The whole entry. Errors: as above, those of compiledFunctionFromJson, cache.broken_graph (a graph breaks a
/// rule).
[[nodiscard]] base::Result<CacheEntry> readEntry(std::string_view text);

/// The same without the first two lines, which are found to be right.
[[nodiscard]] base::Result<CacheEntry> readEntryBody(std::string_view body);

} // namespace aotscope::cache

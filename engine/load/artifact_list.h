#pragma once

#include "base/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aotscope::load {

using RecordId = base::Id<struct RecordTag>;
using CompileIndex = base::Id<struct CompileTag>;

/// Kinds of envelope that this program knows by key; a record of any other kind is `Other` and kept.
enum class RecordKind : std::uint8_t {
    Other,
    Str,
    DynamoStart,
    DynamoOutputGraph,
    DynamoGuards,
    DynamoCppGuards,
    AotJointGraph,
    AotForwardGraph,
    AotBackwardGraph,
    AotInferenceGraph,
    CompiledAutogradGraph,
    InductorPreGradGraph,
    InductorPostGradGraph,
    InductorOutputCode,
    GraphDump,
    CompilationMetrics,
    BackwardCompilationMetrics,
    RuntimeCompilationMetrics,
    DescribeStorage,
    DescribeTensor,
    DescribeSource,
    CreateSymbol,
    CreateUnbackedSymbol,
    SymbolicShapeSpecialization,
    GuardAddedFast,
    GuardAdded,
    ExpressionCreated,
    ExportedProgram,
    ChromiumEvent,
    DumpFile,
    Link,
    Artifact,
};

/// A part of a compile that the user can open: a graph, code, an artifact, the address of a link.
struct Artifact {
    RecordId record;
    CompileIndex compile;
    RecordKind kind = RecordKind::Other;
    /// "joint", "forward", "backward", "inference", "dynamo", "compiled_autograd" for the main graphs; else
    /// the name of the artifact or envelope. Unique within its compile: a second "joint" is "joint#2".
    std::string name;
    bool isGraph = false;
    /// First line of the payload in the file (1-based), and its size in the file in bytes. A link has no
    /// payload: the line of its header, and 0.
    std::size_t line = 0;
    std::uint64_t bytes = 0;
};

/// The artifacts of one compile in file order, indexed by name. A compile usually has a dozen, but if the
/// records of a log name no compile, one row has those of the whole log.
class ArtifactList {
public:
    ArtifactList() = default;
    /// Repeated names get the suffixes "#2", "#3", …
    explicit ArtifactList(std::vector<Artifact> artifacts);

    [[nodiscard]] std::span<const Artifact> all() const { return m_artifacts; }
    [[nodiscard]] auto begin() const { return m_artifacts.begin(); }
    [[nodiscard]] auto end() const { return m_artifacts.end(); }
    [[nodiscard]] std::size_t size() const { return m_artifacts.size(); }
    [[nodiscard]] bool empty() const { return m_artifacts.empty(); }
    [[nodiscard]] const Artifact& operator[](std::size_t place) const { return m_artifacts[place]; }
    /// Places of the graphs, in file order.
    [[nodiscard]] std::span<const std::uint32_t> graphs() const { return m_graphs; }

    /// Place by Artifact::name; "joint#1" is the first of several. A graph's name without "#" means the last
    /// one, because a graph that is logged again replaces the one before.
    [[nodiscard]] std::optional<std::size_t> tryPlace(std::string_view name) const;
    /// Null: there is none.
    [[nodiscard]] const Artifact* tryFind(std::string_view name) const;
    /// Places of all artifacts whose name without number is `name`.
    [[nodiscard]] std::span<const std::uint32_t> placesOf(std::string_view name) const;
    /// The name that identifies this artifact: its own, or "joint#1" for the first of several.
    [[nodiscard]] std::string exactName(std::size_t place) const;

private:
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>()(name);
        }
    };

    std::vector<Artifact> m_artifacts;
    std::vector<std::uint32_t> m_graphs;
    /// By name without number.
    std::unordered_map<std::string, std::vector<std::uint32_t>, NameHash, std::equal_to<>> m_places;
};

} // namespace aotscope::load

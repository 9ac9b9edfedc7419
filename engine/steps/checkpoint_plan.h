#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::steps {

/// A storage that a checkpoint keeps alive or holds a copy of, by a number that is unique among all.
struct KeptStorage {
    std::uint64_t number = 0;
    std::int64_t bytes = 0;
};

/// Which events of a call have a checkpoint: a state that can be continued from. Keeps them within a bound of
/// bytes and spread over the events; what a checkpoint consists of is another's affair. A storage that
/// several checkpoints keep counts once.
///
/// Beyond the bound those go first whose loss lengthens the way between two checkpoints least for the bytes
/// that it frees. It then asks for fewer, as making one only to drop it again takes time.
class CheckpointPlan {
public:
    /// `spacing`: how many events to leave between two, at least; more where there is no room for as many.
    CheckpointPlan(std::int64_t limit, std::size_t spacing, std::size_t most = 512)
        : m_limit(limit), m_spacing(spacing), m_most(most) {}

    /// Whether a checkpoint at that event would not be too close to others.
    [[nodiscard]] bool wants(std::size_t event) const;

    /// Adds a checkpoint and returns the events whose checkpoints are dropped for it, itself possibly among
    /// them. `isEnd`: it is the end of a graph, which spares computing all of it; such ones go last.
    std::vector<std::size_t> add(std::size_t event, std::vector<KeptStorage> storages, bool isEnd = false);

    /// Counts a copy that a checkpoint needs because a storage that it keeps is about to be written to.
    /// Returns the events whose checkpoints are dropped for it.
    std::vector<std::size_t> replace(std::uint64_t storage, KeptStorage copy);

    /// Forgets all.
    void clear();

    [[nodiscard]] std::vector<std::size_t> events() const;
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }
    [[nodiscard]] std::int64_t limit() const { return m_limit; }

private:
    struct Checkpoint {
        std::vector<KeptStorage> storages;
        bool isEnd = false;
    };
    struct Storage {
        std::int64_t bytes = 0;
        std::size_t keepers = 0;
    };
    using Checkpoints = std::map<std::size_t, Checkpoint>;
    void keep(const KeptStorage& storage);
    void release(const KeptStorage& storage);
    [[nodiscard]] std::int64_t freedBytes(const Checkpoint& checkpoint) const;
    [[nodiscard]] Checkpoints::iterator leastUseful();
    [[nodiscard]] std::vector<std::size_t> dropBeyondBounds();
    void widenSpacing();

    std::int64_t m_limit;
    std::size_t m_spacing;
    std::size_t m_most;
    /// The last behind which there was a checkpoint, kept or not; the spacing is a share of that way.
    std::size_t m_farthest = 0;
    /// Where a checkpoint was dropped as soon as it was there.
    std::optional<std::size_t> m_refused;
    std::int64_t m_bytes = 0;
    Checkpoints m_checkpoints;
    std::map<std::uint64_t, Storage> m_storages;
};

} // namespace aotscope::steps

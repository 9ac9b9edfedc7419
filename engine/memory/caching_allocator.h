#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::memory {

/// PyTorch's CUDA caching allocator as a model, with its default settings and one stream: it takes segments
/// from the GPU, cuts blocks off them, and keeps freed blocks for later. Follows torch 2.15,
/// c10/cuda/CUDACachingAllocator.cpp, and the constants in c10/core/AllocatorConfig.h.
class CachingAllocator {
public:
    /// A block in use: a segment, numbered in order, and where in it.
    struct Block {
        std::uint32_t segment = 0;
        std::int64_t offset = 0;
        /// At least the requested bytes: a multiple of 512, and the rest of a large segment where what would
        /// be left is at most 1 MiB.
        std::int64_t bytes = 0;
        friend auto operator<=>(const Block&, const Block&) = default;
    };

    /// For 0 bytes there is no block.
    [[nodiscard]] std::optional<Block> allocate(std::int64_t bytes);
    void free(const Block& block);

    /// The bytes of blocks in use (`memory_allocated`), and of segments (`memory_reserved`).
    [[nodiscard]] std::int64_t allocated() const { return m_allocated; }
    [[nodiscard]] std::int64_t reserved() const { return m_reserved; }

private:
    /// Blocks by their place, with their size and whether they are in use.
    struct Piece {
        std::int64_t bytes = 0;
        bool isUsed = false;
    };
    using Place = std::pair<std::uint32_t, std::int64_t>;
    /// By size, then place.
    using Free = std::set<std::pair<std::int64_t, Place>>;

    [[nodiscard]] Free& freeOf(std::uint32_t segment) { return m_isSmall[segment] ? m_small : m_large; }
    [[nodiscard]] Place found(std::int64_t bytes);
    void join(std::map<Place, Piece>::iterator into, std::map<Place, Piece>::iterator from);

    std::map<Place, Piece> m_pieces;
    std::map<std::uint32_t, bool> m_isSmall;
    Free m_small;
    Free m_large;
    std::uint32_t m_segments = 0;
    std::int64_t m_allocated = 0;
    std::int64_t m_reserved = 0;
};

} // namespace aotscope::memory

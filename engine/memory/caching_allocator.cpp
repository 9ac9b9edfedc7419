#include "memory/caching_allocator.h"

#include <iterator>

namespace aotscope::memory {

namespace {

constexpr std::int64_t smallestBlock = 512;
/// The largest request that goes into a small segment.
constexpr std::int64_t smallRequest = std::int64_t{1} << 20;
constexpr std::int64_t smallSegment = std::int64_t{2} << 20;
constexpr std::int64_t largeSegment = std::int64_t{20} << 20;
/// Requests from here on get segments of their own size.
constexpr std::int64_t ownSegment = std::int64_t{10} << 20;
constexpr std::int64_t segmentMultiple = std::int64_t{2} << 20;

std::int64_t roundedUp(std::int64_t bytes, std::int64_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

std::int64_t segmentFor(std::int64_t bytes) {
    return bytes <= smallRequest ? smallSegment
           : bytes < ownSegment  ? largeSegment
                                 : roundedUp(bytes, segmentMultiple);
}

} // namespace

/// The smallest free block that is large enough, of a new segment if there is none.
CachingAllocator::Place CachingAllocator::found(std::int64_t bytes) {
    const bool isSmall = bytes <= smallRequest;
    const Free& free = isSmall ? m_small : m_large;
    const auto fits = free.lower_bound({bytes, Place()});
    if (fits != free.end()) {
        return fits->second;
    }
    const Place place{m_segments++, 0};
    const std::int64_t size = segmentFor(bytes);
    m_isSmall[place.first] = isSmall;
    m_pieces[place] = {size, false};
    freeOf(place.first).insert({size, place});
    m_reserved += size;
    return place;
}

std::optional<CachingAllocator::Block> CachingAllocator::allocate(std::int64_t bytes) {
    if (bytes <= 0) {
        return std::nullopt;
    }
    const std::int64_t size = roundedUp(bytes, smallestBlock);
    const Place place = found(size);
    Piece& piece = m_pieces.at(place);
    Free& free = freeOf(place.first);
    free.erase({piece.bytes, place});
    const std::int64_t left = piece.bytes - size;
    if (m_isSmall[place.first] ? left >= smallestBlock : left > smallRequest) {
        const Place rest{place.first, place.second + size};
        m_pieces[rest] = {left, false};
        free.insert({left, rest});
        piece.bytes = size;
    }
    piece.isUsed = true;
    m_allocated += piece.bytes;
    return Block{place.first, place.second, piece.bytes};
}

/// Adds the free block behind to the one before it; neither is in the list of free blocks.
void CachingAllocator::join(std::map<Place, Piece>::iterator into, std::map<Place, Piece>::iterator from) {
    into->second.bytes += from->second.bytes;
    m_pieces.erase(from);
}

void CachingAllocator::free(const Block& block) {
    auto piece = m_pieces.find({block.segment, block.offset});
    if (piece == m_pieces.end() || !piece->second.isUsed) {
        return;
    }
    m_allocated -= piece->second.bytes;
    piece->second.isUsed = false;
    Free& free = freeOf(block.segment);
    const auto isFreeNeighbour = [&](std::map<Place, Piece>::iterator other) {
        return other->first.first == block.segment && !other->second.isUsed;
    };
    if (const auto next = std::next(piece); next != m_pieces.end() && isFreeNeighbour(next)) {
        free.erase({next->second.bytes, next->first});
        join(piece, next);
    }
    if (piece != m_pieces.begin() && isFreeNeighbour(std::prev(piece))) {
        const auto before = std::prev(piece);
        free.erase({before->second.bytes, before->first});
        join(before, piece);
        piece = before;
    }
    free.insert({piece->second.bytes, piece->first});
}

} // namespace aotscope::memory

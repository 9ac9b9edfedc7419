// The model of the CUDA caching allocator against histories that PyTorch's own allocator wrote (over a
// stand-in for the CUDA runtime; allocator_history/*.txt are the corpus snapshots of these names, with
// addresses as segment:offset), and against what its documentation says of single sizes.
#include "memory/caching_allocator.h"
#include "memory/memory_profile.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

using namespace aotscope;
using memory::CachingAllocator;

namespace {

constexpr std::int64_t kib = 1 << 10;
constexpr std::int64_t mib = 1 << 20;

/// What is left of a history when its events are done, from the file and from the model.
struct History {
    int events = 0;
    std::map<std::string, std::int64_t> used;
    std::map<std::string, std::int64_t> expectedUsed;
    std::int64_t reserved = 0;
};

std::string placeOf(const CachingAllocator::Block& block) {
    return std::to_string(block.segment) + ":" + std::to_string(block.offset);
}

void replay(const std::string& name, CachingAllocator& allocator, History& history) {
    std::ifstream in(AOTSCOPE_SOURCE_DIR "/tests/memory/allocator_history/" + name + ".txt");
    std::map<std::string, CachingAllocator::Block> blocks;
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string what;
        std::string place;
        std::int64_t bytes = 0;
        words >> what >> place;
        INFO(name << ": " << line);
        if (what == "alloc") {
            words >> bytes;
            const auto block = allocator.allocate(bytes);
            REQUIRE(block);
            CHECK(placeOf(*block) == place);
            blocks[place] = *block;
            ++history.events;
        } else if (what == "free") {
            REQUIRE(blocks.contains(place));
            allocator.free(blocks.at(place));
            blocks.erase(place);
            ++history.events;
        } else if (what == "segment") {
            words >> bytes;
            history.reserved += bytes;
        } else if (what == "block" && place == "used") {
            words >> place >> bytes;
            history.expectedUsed[place] = bytes;
        }
    }
    for (const auto& [place, block] : blocks) {
        history.used[place] = block.bytes;
    }
}

std::pair<std::int64_t, std::int64_t> alone(std::int64_t bytes) {
    CachingAllocator allocator;
    const auto block = allocator.allocate(bytes);
    return {block ? block->bytes : 0, allocator.reserved()};
}

} // namespace

TEST_CASE("every block lies where PyTorch's allocator put it") {
    for (const char* name : {"basic", "train_aot_eager"}) {
        CachingAllocator allocator;
        History history;
        replay(name, allocator, history);
        CHECK(history.events > 50);
        CHECK(history.used == history.expectedUsed);
        CHECK(allocator.reserved() == history.reserved);
        std::int64_t used = 0;
        for (const auto& [place, bytes] : history.expectedUsed) {
            used += bytes;
        }
        CHECK(allocator.allocated() == used);
    }
}

TEST_CASE("single requests get blocks and segments of the documented sizes") {
    CHECK(alone(0) == std::pair<std::int64_t, std::int64_t>(0, 0));
    CHECK(alone(1) == std::pair<std::int64_t, std::int64_t>(512, 2 * mib));
    CHECK(alone(513) == std::pair<std::int64_t, std::int64_t>(kib, 2 * mib));
    CHECK(alone(mib) == std::pair(mib, 2 * mib));
    CHECK(alone(mib + 1) == std::pair(mib + 512, 20 * mib));
    CHECK(alone(10 * mib - 512) == std::pair(10 * mib - 512, 20 * mib));
    // A segment of its own, cut only where more than 1 MiB would be left.
    CHECK(alone(10 * mib) == std::pair(10 * mib, 10 * mib));
    CHECK(alone(10 * mib + 1) == std::pair(10 * mib + 512, 12 * mib));
    CHECK(alone(11 * mib) == std::pair(12 * mib, 12 * mib));
}

TEST_CASE("free neighbours are joined, and used again before a new segment is taken") {
    CachingAllocator allocator;
    const auto first = allocator.allocate(mib / 2);
    const auto second = allocator.allocate(mib / 2);
    const auto third = allocator.allocate(mib);
    CHECK(allocator.reserved() == 2 * mib);
    allocator.free(*first);
    allocator.free(*second);
    CHECK(allocator.allocated() == mib);
    const auto joined = allocator.allocate(mib);
    CHECK(joined->offset == 0);
    CHECK(joined->segment == third->segment);
    CHECK(allocator.reserved() == 2 * mib);
    // Twice given back is given back once.
    allocator.free(*joined);
    allocator.free(*joined);
    CHECK(allocator.allocated() == mib);
}

TEST_CASE("a profile with the allocator's rounding has its blocks") {
    // 11.5 MiB get a whole segment of 12; once it is free, 11.2 MiB find it and get all of it too.
    const auto graph = ir::parseGraphText(
        "class GraphModule(torch.nn.Module):\n"
        "    def forward(self, x: \"f32[100][1]cuda:0\"):\n"
        "        a: \"f32[3014656][1]cuda:0\" = torch.ops.aten.full.default([3014656], 1)\n"
        "        b: \"f32[][]cuda:0\" = torch.ops.aten.sum.default(a)\n"
        "        c: \"f32[2936013][1]cuda:0\" = torch.ops.aten.full.default([2936013], 1)\n"
        "        return (b, c)\n");
    REQUIRE(graph.ok());
    memory::ProfileOptions options;
    options.rounding = memory::Rounding::CachingAllocator;
    const memory::MemoryProfile profile = memory::profileGraph(**graph, options);
    CHECK(profile.intermediateBytes ==
          std::vector<std::int64_t>{0, 12 * mib, 12 * mib + 512, 12 * mib + 512, 12 * mib + 512});
    CHECK(profile.bytes.front() == 512);
}

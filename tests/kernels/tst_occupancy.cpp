#include "kernels/occupancy.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

using namespace aotscope::kernels;

namespace {

Limiter limiterOf(const std::string& word) {
    static const std::map<std::string, Limiter> words{{"warps", Limiter::Warps},
                                                      {"blocks", Limiter::Blocks},
                                                      {"registers", Limiter::Registers},
                                                      {"shared", Limiter::SharedMemory},
                                                      {"barriers", Limiter::Barriers}};
    return words.at(word);
}

std::string textOf(const Occupancy& occupancy) {
    std::string text = std::to_string(occupancy.blocks) + " blocks";
    for (const Limiter limiter : occupancy.limiters) {
        text += ", " + std::string(aotscope::base::wordOf(limiter));
    }
    return text;
}

} // namespace

TEST_CASE("blocks per multiprocessor and what limits them are NVIDIA's own answers") {
    std::ifstream file(AOTSCOPE_TEST_DIR "/kernels/occupancy_answers.txt");
    REQUIRE(file.good());
    std::set<std::string> architectures;
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        std::istringstream words(line);
        std::string architecture;
        BlockNeeds needs;
        Occupancy expected;
        words >> architecture >> needs.threads >> needs.registers >> needs.staticSharedBytes >>
            needs.dynamicSharedBytes >> needs.barriers >> expected.blocks;
        for (std::string word; words >> word;) {
            expected.limiters.push_back(limiterOf(word));
        }
        const auto limits = multiprocessorLimits(architecture);
        REQUIRE_MESSAGE(limits.ok(), architecture);
        const Occupancy found = occupancyOf(*limits, needs);
        CHECK_MESSAGE(found.blocks == expected.blocks, line);
        if (found.limiters == std::vector<Limiter>{Limiter::Barriers}) {
            // The header leaves the names of the limits that the barriers then undercut.
            CHECK_MESSAGE(line.ends_with(" barriers"), line);
        } else {
            CHECK_MESSAGE(textOf(found) == textOf(expected), line);
        }
        CHECK(found.warps == found.blocks * ((needs.threads + 31) / 32));
        architectures.insert(architecture);
        ++count;
    }
    CHECK(count > 5000);
    CHECK(architectures.size() == knownArchitectures().size());
}

TEST_CASE("the share of warps is that of the CUDA programming guide's limits") {
    // 2048 threads of a multiprocessor of compute capability 9.0, and 65,536 registers: 32 for each thread.
    const auto hopper = multiprocessorLimits("sm_90a");
    REQUIRE(hopper.ok());
    CHECK(occupancyOf(*hopper, {.threads = 256, .registers = 32}).share() == 1.0);
    CHECK(occupancyOf(*hopper, {.threads = 256, .registers = 64}).share() == 0.5);
    // 1536 threads of compute capability 8.9.
    const auto ada = multiprocessorLimits("sm_89");
    REQUIRE(ada.ok());
    CHECK(occupancyOf(*ada, {.threads = 1024, .registers = 32}).share() == doctest::Approx(1024.0 / 1536));
    CHECK(occupancyOf(*ada, {.threads = 768, .registers = 32}).share() == 1.0);
}

TEST_CASE("blocks that cannot be launched have none, and unknown architectures are an error") {
    const auto limits = multiprocessorLimits("sm_80");
    REQUIRE(limits.ok());
    CHECK(occupancyOf(*limits, {.threads = 1025, .registers = 8}).blocks == 0);
    CHECK(occupancyOf(*limits, {.threads = 0, .registers = 8}).blocks == 0);
    CHECK(occupancyOf(*limits, {.threads = 1024, .registers = 65}).limiters ==
          std::vector<Limiter>{Limiter::Registers});
    const auto unknown = multiprocessorLimits("sm_20");
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().code == "kernels.unknown_architecture");
    CHECK(unknown.error().hint.find("sm_100") != std::string::npos);
}

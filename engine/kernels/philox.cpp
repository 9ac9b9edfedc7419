#include "kernels/philox.h"

#include <algorithm>

namespace aotscope::kernels {

std::array<std::uint32_t, 4> philoxWords(std::uint64_t seed, std::uint64_t subsequence,
                                         std::uint64_t offset) {
    constexpr int rounds = 10;
    auto keyLow = static_cast<std::uint32_t>(seed);
    auto keyHigh = static_cast<std::uint32_t>(seed >> 32U);
    std::array<std::uint32_t, 4> counter = {
        static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32U),
        static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32U)};
    for (int round = 0; round < rounds; ++round) {
        const std::uint64_t first = std::uint64_t{0xD2511F53U} * counter[0];
        const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * counter[2];
        counter = {static_cast<std::uint32_t>(second >> 32U) ^ counter[1] ^ keyLow,
                   static_cast<std::uint32_t>(second),
                   static_cast<std::uint32_t>(first >> 32U) ^ counter[3] ^ keyHigh,
                   static_cast<std::uint32_t>(first)};
        keyLow += 0x9E3779B9U;
        keyHigh += 0xBB67AE85U;
    }
    return counter;
}

std::int64_t philoxThreads(std::int64_t elements) {
    constexpr std::int64_t block = 256;
    constexpr std::int64_t mostBlocks = 1056;
    return block * std::min((elements + block - 1) / block, mostBlocks);
}

std::int64_t philoxOffsetStep(std::int64_t elements) {
    return ((elements - 1) / (philoxThreads(elements) * 4) + 1) * 4;
}

float philoxUniform(std::int64_t seed, std::int64_t offset, std::int64_t index, std::int64_t threads) {
    const std::int64_t turn = index / threads;
    const auto words =
        philoxWords(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(index % threads),
                    static_cast<std::uint64_t>(offset / 4 + turn / 4));
    constexpr float scale = 2.3283064365386963e-10F;
    const float number = static_cast<float>(words[static_cast<std::size_t>(turn % 4)]) * scale + scale / 2;
    return number == 1.0F ? 0.0F : number;
}

} // namespace aotscope::kernels

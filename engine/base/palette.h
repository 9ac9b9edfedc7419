#pragma once

#include "base/formatted.h"

#include <cstdint>
#include <string>

/// Colours of pictures.
namespace aotscope::base {

/// 0xRRGGBB
using Rgb = std::uint32_t;

/// "#c48300"
[[nodiscard]] inline std::string hexColor(Rgb color) {
    return formatted("#%06x", color & 0xffffffU);
}

/// On a white page. Those of values are the Okabe–Ito palette, which colour-blind people can distinguish,
/// with lightness steps.
namespace light {
inline constexpr Rgb background = 0xffffff;
inline constexpr Rgb box = 0xebedf1;
inline constexpr Rgb line = 0xd2d6de;
inline constexpr Rgb text = 0x1d222b;
inline constexpr Rgb dimText = 0x58606e;
inline constexpr Rgb accent = 0x0a5cb4;
inline constexpr Rgb parameter = 0x1f86c4;
inline constexpr Rgb buffer = 0x005c92;
inline constexpr Rgb input = 0x008a64;
inline constexpr Rgb saved = 0xc48300;
inline constexpr Rgb recomputed = 0xb45a8c;
inline constexpr Rgb gradient = 0xc45400;
inline constexpr Rgb tangent = 0xa89c00;
inline constexpr Rgb temporary = 0x8a93a3;
inline constexpr Rgb output = 0x4d8f2a;
} // namespace light

} // namespace aotscope::base

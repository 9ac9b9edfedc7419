#pragma once

#include "layout/category.h"

#include <array>
#include <cstdint>
#include <string>

namespace aotscope::layout {

/// 0xRRGGBB
using Rgb = std::uint32_t;

/// The colours of a picture of a graph: in the window, in SVG and PNG, and as the command line draws it.
struct PictureColors {
    Rgb background = 0;
    /// What a box is filled with.
    Rgb box = 0;
    Rgb line = 0;
    Rgb text = 0;
    Rgb dimText = 0;
    /// Of what is selected.
    Rgb accent = 0;
    /// By Category; Okabe–Ito, extended by lightness, so that colour-blind people tell them apart.
    std::array<Rgb, categoryCount> categories = {};

    [[nodiscard]] Rgb of(Category category) const { return categories[std::size_t(category)]; }
    /// Of an edge that carries data, and of a band that carries what is saved.
    [[nodiscard]] Rgb edge() const;
    [[nodiscard]] Rgb band() const;
};

[[nodiscard]] const PictureColors& lightPicture();
[[nodiscard]] const PictureColors& darkPicture();

/// How much of an edge's colour, and of a band's, shows on the background.
inline constexpr double edgeShare = 0.75;
inline constexpr double bandShare = 0.7;
/// `share` of `over` on `under`.
[[nodiscard]] Rgb mix(Rgb under, Rgb over, double share);
/// "#c48300"
[[nodiscard]] std::string hexColor(Rgb color);

} // namespace aotscope::layout

#pragma once

#include "layout/category.h"

#include "base/palette.h"

#include <array>

namespace aotscope::layout {

using base::hexColor;
using base::Rgb;

/// The colours of a picture of a graph, in the window, in SVG and PNG, and from the command line.
struct PictureColors {
    Rgb background = 0;
    /// Fill colour of boxes.
    Rgb box = 0;
    Rgb line = 0;
    Rgb text = 0;
    Rgb dimText = 0;
    /// Colour of the selection.
    Rgb accent = 0;
    /// By Category.
    std::array<Rgb, categoryCount> categories = {};

    [[nodiscard]] Rgb of(Category category) const { return categories[std::size_t(category)]; }
    /// Colours of a data edge, and of the band of a saved edge.
    [[nodiscard]] Rgb edge() const;
    [[nodiscard]] Rgb band() const;
};

[[nodiscard]] const PictureColors& lightPicture();
[[nodiscard]] const PictureColors& darkPicture();

/// Opacity of edges and of bands on the background.
inline constexpr double edgeShare = 0.75;
inline constexpr double bandShare = 0.7;
/// Blends `over` onto `under` with opacity `share`.
[[nodiscard]] Rgb mix(Rgb under, Rgb over, double share);

} // namespace aotscope::layout

#include "layout/picture_colors.h"

#include "base/formatted.h"

#include <cmath>

namespace aotscope::layout {

Rgb PictureColors::edge() const {
    return mix(background, dimText, edgeShare);
}

Rgb PictureColors::band() const {
    return mix(background, of(Category::Saved), bandShare);
}

const PictureColors& lightPicture() {
    static constexpr PictureColors colors{.background = 0xffffff,
                                          .box = 0xebedf1,
                                          .line = 0xd2d6de,
                                          .text = 0x1d222b,
                                          .dimText = 0x58606e,
                                          .accent = 0x0a5cb4,
                                          .categories = {0x1f86c4, 0x005c92, 0x008a64, 0xc48300, 0xb45a8c,
                                                         0xc45400, 0xa89c00, 0x8a93a3, 0x4d8f2a, 0x704ad0,
                                                         0xb4bac6}};
    return colors;
}

const PictureColors& darkPicture() {
    static constexpr PictureColors colors{.background = 0x15171c,
                                          .box = 0x242832,
                                          .line = 0x333844,
                                          .text = 0xdcdfe5,
                                          .dimText = 0xa1a8b5,
                                          .accent = 0x62adf5,
                                          .categories = {0x56b4e9, 0x3a8cd0, 0x1fb88c, 0xe69f00, 0xd886b3,
                                                         0xe06c14, 0xf0e442, 0x6c7586, 0x8fd46a, 0xa484ff,
                                                         0x4a515f}};
    return colors;
}

Rgb mix(Rgb under, Rgb over, double share) {
    Rgb mixed = 0;
    for (const unsigned shift : {16U, 8U, 0U}) {
        const double from = (under >> shift) & 0xffU;
        const double to = (over >> shift) & 0xffU;
        mixed |= static_cast<Rgb>(std::lround(from + (to - from) * share)) << shift;
    }
    return mixed;
}

std::string hexColor(Rgb color) {
    return base::formatted("#%06x", color & 0xffffffU);
}

} // namespace aotscope::layout

#include "layout/picture_colors.h"

#include <cmath>

namespace aotscope::layout {

Rgb PictureColors::edge() const {
    return mix(background, dimText, edgeShare);
}

Rgb PictureColors::band() const {
    return mix(background, of(Category::Saved), bandShare);
}

const PictureColors& lightPicture() {
    namespace light = base::light;
    static constexpr PictureColors colors{
        .background = light::background,
        .box = light::box,
        .line = light::line,
        .text = light::text,
        .dimText = light::dimText,
        .accent = light::accent,
        .categories = {light::parameter, light::buffer, light::input, light::saved, light::recomputed,
                       light::gradient, light::tangent, light::temporary, light::output, 0x704ad0, 0xb4bac6}};
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

} // namespace aotscope::layout

#include "fake/reference_layout.h"

namespace aotscope::torch::reference {

namespace {

/// `is_channels_last_contiguous_or_false_2d`
bool isChannelsLast(const Layout& layout) {
    if (layout.dims() != 4) {
        return false;
    }
    c10::SymInt expected = 1;
    for (const std::size_t d : {1, 3, 2, 0}) {
        const c10::SymInt& size = layout.sizes()[d];
        if (orFalse(size.sym_eq(1))) {
            continue;
        }
        if (orTrue(layout.strides()[d].sym_ne(expected))) {
            return false;
        }
        expected = expected * size;
    }
    return true;
}

bool isKnownAtLeast(const c10::SymInt& left, const c10::SymInt& right) {
    if (orFalse(right.sym_eq(0))) {
        return true;
    }
    if (orFalse(left.sym_eq(0))) {
        return false;
    }
    return orFalse(isAtMost(right, left)) || orFalse((left % right).sym_eq(0));
}

/// Whether a dimension belongs inside another one (positive), outside of it (negative), or neither.
int comesInside(const std::vector<Layout>& layouts, std::size_t one, std::size_t other) {
    const Sizes& sizes = layouts.front().sizes();
    for (const Layout& layout : layouts) {
        const c10::SymInt& left = layout.strides()[one];
        const c10::SymInt& right = layout.strides()[other];
        if (orFalse(left.sym_eq(0)) || orFalse(right.sym_eq(0))) {
            continue;
        }
        if (orFalse(left.sym_eq(right))) {
            if (isKnownAtLeast(sizes[other], sizes[one])) {
                continue;
            }
            return 1;
        }
        if (isKnownAtLeast(right, left)) {
            return -1;
        }
        if (isKnownAtLeast(left, right)) {
            return 1;
        }
    }
    return 0;
}

} // namespace

std::vector<std::int64_t> memoryOrder(const std::vector<Layout>& layouts, bool sameShapes) {
    for (const Layout& layout : layouts) {
        if (!sameShapes) {
            sameShape(layouts.front().sizes(), layout.sizes());
        }
    }
    const std::size_t dims = layouts.front().dims();
    bool contiguous = true;
    bool channelsLast = true;
    for (const Layout& layout : layouts) {
        // PyTorch compares nothing for fewer than two dimensions.
        contiguous = contiguous && (dims < 2 || isContiguous(layout));
        channelsLast = channelsLast && isChannelsLast(layout);
    }
    return commonOrder(dims, contiguous, channelsLast,
                       [&](std::size_t one, std::size_t other) { return comesInside(layouts, one, other); });
}

} // namespace aotscope::torch::reference

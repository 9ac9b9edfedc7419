#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace aotscope::torch {

/// Splits a dimension in two, the first of size `outer`.
template<typename Number>
void splitDimension(std::vector<Number>& sizes, std::vector<Number>& strides, std::size_t dim,
                    const Number& outer) {
    const auto behind = static_cast<std::ptrdiff_t>(dim) + 1;
    const Number inner = sizes[dim] / outer;
    const Number stride = strides[dim];
    sizes[dim] = outer;
    strides[dim] = stride * inner;
    sizes.insert(sizes.begin() + behind, inner);
    strides.insert(strides.begin() + behind, stride);
}

/// Merges dimensions `first` to `last`; false if no single stride reaches their elements in order.
template<typename Number, typename Questions>
bool collapseDimensions(std::vector<Number>& sizes, std::vector<Number>& strides, std::size_t first,
                        std::size_t last, const Questions& numbers) {
    Number stride = strides[last];
    Number length = sizes[last];
    for (std::size_t i = last; i-- > first;) {
        if (numbers.equal(sizes[i], 1)) {
            continue;
        }
        if (!numbers.equal(sizes[i + 1], 1) && !numbers.equal(strides[i], strides[i + 1] * sizes[i + 1])) {
            return false;
        }
        if (numbers.less(strides[i], stride)) {
            stride = strides[i];
        }
    }
    for (std::size_t i = last; i-- > first;) {
        length = length * sizes[i];
    }
    const auto from = static_cast<std::ptrdiff_t>(first) + 1;
    const auto to = static_cast<std::ptrdiff_t>(last) + 1;
    sizes.erase(sizes.begin() + from, sizes.begin() + to);
    strides.erase(strides.begin() + from, strides.begin() + to);
    sizes[first] = length;
    strides[first] = stride;
    return true;
}

/// Replaces a tensor's sizes and strides by those of a view of sizes `wanted`, which has as many elements,
/// not 0. Builds the dimensions from the left, each from as few of the tensor's as possible; the strides for
/// dimensions of size 1 differ from those of at::view. False if there is no such view. `numbers` answers
/// `equal`, `less` and `divides` for numbers that may be symbolic. Follows torch 2.11,
/// torch/_refs/__init__.py: _reshape_view_helper_core_alg.
template<typename Number, typename Questions>
bool buildView(std::vector<Number>& sizes, std::vector<Number>& strides, const std::vector<Number>& wanted,
               const Questions& numbers) {
    std::size_t done = 0;
    for (const Number& length : wanted) {
        if (done >= sizes.size()) {
            const Number last = sizes.back();
            splitDimension(sizes, strides, sizes.size() - 1, last);
        } else if (!numbers.equal(length, sizes[done])) {
            Number collected = sizes[done];
            std::size_t end = done;
            while (!numbers.divides(length, collected)) {
                if (++end == sizes.size()) {
                    return false;
                }
                collected = collected * sizes[end];
            }
            if (end != done && !collapseDimensions(sizes, strides, done, end, numbers)) {
                return false;
            }
            if (!numbers.equal(collected, length)) {
                splitDimension(sizes, strides, done, length);
            }
        }
        ++done;
    }
    // The remaining dimensions have size 1.
    sizes.resize(std::min(done, sizes.size()));
    strides.resize(sizes.size());
    return sizes.size() == wanted.size();
}

} // namespace aotscope::torch

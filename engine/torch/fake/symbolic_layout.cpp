#include "fake/shape_environment.h"

#include <c10/core/Contiguity.h>
#include <c10/core/MemoryFormat.h>

#include <algorithm>
#include <numeric>

/// What LibTorch asks of symbolic sizes and strides together. Follows torch 2.11,
/// torch/fx/experimental/sym_node.py: _make_node_sizes_strides.
namespace aotscope::torch {

namespace {

bool contiguous(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    std::int64_t expected = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (sizes[i] == 0) {
            return true;
        }
        if (sizes[i] != 1) {
            if (strides[i] != expected) {
                return false;
            }
            expected *= sizes[i];
        }
    }
    return true;
}

template<std::size_t dims>
bool channelsLastContiguous(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    if (sizes.size() != dims) {
        return false;
    }
    std::int64_t expected = 1;
    std::vector<std::size_t> order = {1};
    for (std::size_t i = dims; i-- > 2;) {
        order.push_back(i);
    }
    order.push_back(0);
    for (const std::size_t d : order) {
        if (sizes[d] != 1) {
            if (strides[d] != expected) {
                return false;
            }
            expected *= sizes[d];
        }
    }
    return true;
}

bool nonOverlappingAndDense(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return sizes[b] < 2 ? sizes[a] >= 2 : sizes[a] >= 2 && strides[a] < strides[b];
    });
    std::int64_t expected = 1;
    for (const std::size_t d : order) {
        if (sizes[d] < 2) {
            return true;
        }
        if (strides[d] != expected) {
            return false;
        }
        expected *= sizes[d];
    }
    return true;
}

} // namespace

c10::SymNode SymbolicNode::layoutQuestion(Nodes sizes, Nodes strides,
                                          bool (*answer)(c10::IntArrayRef, c10::IntArrayRef)) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < m_environment.valueCount(); ++k) {
        std::vector<std::int64_t> sizeValues;
        std::vector<std::int64_t> strideValues;
        for (const c10::SymNode& size : sizes) {
            sizeValues.push_back(static_cast<std::int64_t>(of(size).value(k)));
        }
        for (const c10::SymNode& stride : strides) {
            strideValues.push_back(static_cast<std::int64_t>(of(stride).value(k)));
        }
        values.push_back(answer(sizeValues, strideValues) ? 1.0 : 0.0);
    }
    return c10::make_intrusive<SymbolicNode>(m_environment, Kind::Bool, ir::SymExpr(""), std::move(values),
                                             SymProvenance{});
}

c10::SymNode SymbolicNode::is_contiguous(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, contiguous);
}
c10::SymNode SymbolicNode::is_channels_last_contiguous_2d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, channelsLastContiguous<4>);
}
c10::SymNode SymbolicNode::is_channels_last_contiguous_3d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, channelsLastContiguous<5>);
}
c10::SymNode SymbolicNode::is_channels_last_strides_2d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, c10::is_channels_last_strides_2d);
}
c10::SymNode SymbolicNode::is_channels_last_strides_3d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, c10::is_channels_last_strides_3d);
}
c10::SymNode SymbolicNode::is_non_overlapping_and_dense(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, nonOverlappingAndDense);
}

} // namespace aotscope::torch

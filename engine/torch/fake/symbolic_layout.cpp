#include "fake/shape_environment.h"

#include "base/mapped.h"

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

bool nonOverlappingAndDense(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
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
        const auto valueOf = [k](const c10::SymNode& node) {
            return static_cast<std::int64_t>(of(node).value(k));
        };
        values.push_back(answer(base::mapped(sizes, valueOf), base::mapped(strides, valueOf)) ? 1.0 : 0.0);
    }
    return m_environment.node(Kind::Bool, ir::SymExpr(""), std::move(values));
}

c10::SymNode SymbolicNode::is_contiguous(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, contiguous);
}
c10::SymNode SymbolicNode::is_channels_last_contiguous_2d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, c10::_compute_channels_last_contiguous_2d<std::int64_t>);
}
c10::SymNode SymbolicNode::is_channels_last_contiguous_3d(Nodes sizes, Nodes strides) {
    return layoutQuestion(sizes, strides, c10::_compute_channels_last_contiguous_3d<std::int64_t>);
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

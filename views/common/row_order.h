#pragma once

#include "base/mapped.h"

#include <Qt>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace aotscope::views {

/// Sorts `rows` by key. Each key is computed once; the sort is stable.
template<typename Row, typename KeyOf>
[[nodiscard]] std::vector<Row> orderedBy(const std::vector<Row>& rows, Qt::SortOrder order, KeyOf keyOf) {
    using Key = decltype(keyOf(rows.front()));
    std::vector<std::pair<Key, std::size_t>> keys;
    keys.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        keys.emplace_back(keyOf(rows[i]), i);
    }
    const auto key = [](const auto& entry) -> const Key& { return entry.first; };
    if (order == Qt::AscendingOrder) {
        std::ranges::stable_sort(keys, std::ranges::less(), key);
    } else {
        std::ranges::stable_sort(keys, std::ranges::greater(), key);
    }
    return base::mapped(keys, [&](const auto& entry) { return rows[entry.second]; });
}

} // namespace aotscope::views

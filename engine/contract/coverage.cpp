#include "contract/coverage.h"

#include <algorithm>

namespace aotscope::session {

std::vector<CoverageTotal> coverageTotals(std::span<const CoverageRow> rows) {
    std::vector<CoverageTotal> totals;
    for (const CoverageRow& row : rows) {
        auto total = std::ranges::find_if(totals, [&](const CoverageTotal& known) {
            return known.area == row.area && known.group == row.group;
        });
        if (total == totals.end()) {
            total = totals.insert(totals.end(), {.area = row.area, .group = row.group});
        }
        switch (row.state) {
        case CoverageState::Covered:
            ++total->covered;
            break;
        case CoverageState::Fallback:
            ++total->fallback;
            break;
        case CoverageState::Missing:
            ++total->missing;
            break;
        case CoverageState::Outside:
            ++total->outside;
            break;
        }
        const std::size_t works = total->covered + total->fallback;
        const std::size_t counted = works + total->missing;
        total->share = counted == 0 ? 1 : static_cast<double>(works) / static_cast<double>(counted);
    }
    return totals;
}

} // namespace aotscope::session

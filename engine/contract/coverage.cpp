#include "contract/coverage.h"

#include <algorithm>

namespace aotscope::session {

double CoverageTotal::share() const {
    const std::size_t works = covered + fallback;
    const std::size_t counted = works + missing;
    return counted == 0 ? 1 : static_cast<double>(works) / static_cast<double>(counted);
}

std::vector<CoverageTotal> coverageTotals(std::span<const CoverageRow> rows) {
    std::vector<CoverageTotal> totals;
    for (const CoverageRow& row : rows) {
        auto total = std::ranges::find_if(totals, [&](const CoverageTotal& known) {
            return known.area == row.area && known.group == row.group;
        });
        if (total == totals.end()) {
            total = totals.insert(totals.end(), {row.area, row.group, 0, 0, 0, 0});
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
    }
    return totals;
}

} // namespace aotscope::session

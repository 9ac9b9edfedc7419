#include "session/coverage.h"

#include <algorithm>

namespace aotscope::session {

double CoverageTotal::share() const {
    const std::size_t works = covered + fallback;
    const std::size_t counted = works + missing;
    return counted == 0 ? 1 : static_cast<double>(works) / static_cast<double>(counted);
}

std::string_view coverageAreaName(CoverageArea area) {
    switch (area) {
    case CoverageArea::Calls:
        return "calls";
    case CoverageArea::Shapes:
        return "shapes";
    case CoverageArea::Decompositions:
        return "decompositions";
    }
    return {};
}

std::string_view coverageStateName(CoverageState state) {
    switch (state) {
    case CoverageState::Covered:
        return "covered";
    case CoverageState::Fallback:
        return "fallback";
    case CoverageState::Missing:
        return "missing";
    case CoverageState::Outside:
        return "outside";
    }
    return {};
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

#include "decompositions/coverage.h"

#include <doctest/doctest.h>

#include <iostream>
#include <map>

using namespace aotscope;
using torch::DecompositionSource;

namespace {

/// Prints what is missing, and returns the number of functional operators per source.
std::map<DecompositionSource, int> countAndPrint(aot::DecompositionTable table, const char* name) {
    std::map<DecompositionSource, int> counts;
    for (const torch::DecompositionCoverage& row : torch::decompositionCoverage(table)) {
        ++counts[row.source];
        if (row.source == DecompositionSource::Missing) {
            std::cout << name << " missing " << row.op << "\n";
        }
    }
    for (const auto& [source, count] : counts) {
        std::cout << name << ": " << count << " " << base::wordOf(source) << "\n";
    }
    return counts;
}

} // namespace

TEST_CASE("most of the operators that PyTorch's tables decompose are decomposed") {
    for (const auto& [table, name] : {std::pair(aot::DecompositionTable::Core, "core"),
                                      std::pair(aot::DecompositionTable::Inductor, "inductor")}) {
        auto counts = countAndPrint(table, name);
        const int done = counts[DecompositionSource::Ours] + counts[DecompositionSource::Composite];
        CHECK(done >= 10 * counts[DecompositionSource::Missing]);
        CHECK(done >= 210);
    }
}

TEST_CASE("no operator is decomposed that PyTorch's table leaves whole") {
    for (const auto table : {aot::DecompositionTable::Core, aot::DecompositionTable::Inductor}) {
        std::string names;
        for (const std::string& op : torch::decompositionsWithoutOrigin(table)) {
            names += op + " ";
        }
        CHECK(names == "");
    }
}

TEST_CASE("without a table nothing is decomposed") {
    CHECK(torch::decompositionCoverage(aot::DecompositionTable::None).empty());
}

// Dead code removal: each file in dead_code_cases is a graph as it was recorded, and what FX leaves of it
// (make_dead_code_cases.py).
#include "trace/dead_code.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "support/corpus.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

using namespace aotscope;

namespace {

std::string withoutLastLineEnds(const std::string& text) {
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

} // namespace

TEST_CASE("what stays of a graph is what FX leaves of it") {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(AOTSCOPE_TEST_DIR) /
                                                                 "torch/dead_code_cases")) {
        files.insert(entry.path());
    }
    REQUIRE(files.size() >= 6);
    for (const std::filesystem::path& file : files) {
        CAPTURE(file);
        const std::string text = test::readFile(file);
        const auto section = [&](const std::string& name, const std::string& next) {
            const std::size_t begin = text.find(name) + name.size();
            const std::size_t end = next.empty() ? text.size() : text.find(next);
            REQUIRE(end != std::string::npos);
            return text.substr(begin, end - begin);
        };
        const auto graph = ir::parseGraphText(section("before:\n", "\nafter:\n"));
        REQUIRE(graph);
        const auto left = [&](bool keepsRandom) {
            ir::GraphBuilder changed(**graph);
            torch::eliminateDeadCode(changed, keepsRandom);
            return withoutLastLineEnds(ir::printGraph(*changed.finish()).text);
        };
        CHECK(left(true) == withoutLastLineEnds(section("\nafter:\n", "\ncompiled:\n")));
        CHECK(left(false) == withoutLastLineEnds(section("\ncompiled:\n", "")));
    }
}

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
        const std::string before = "before:\n";
        const std::string after = "\nafter:\n";
        const std::size_t begin = text.find(before) + before.size();
        const std::size_t end = text.find(after);
        REQUIRE(end != std::string::npos);
        const auto graph = ir::parseGraphText(text.substr(begin, end - begin));
        REQUIRE(graph);
        ir::GraphBuilder changed(**graph);
        torch::eliminateDeadCode(changed);
        const std::string left = ir::printGraph(*changed.finish()).text;
        CHECK(withoutLastLineEnds(left) == withoutLastLineEnds(text.substr(end + after.size())));
    }
}

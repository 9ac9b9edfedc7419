// Floats turned into tensors: each file in tensorify_cases is a joint graph and what torch 2.15 makes of it
// (make_tensorify_cases.py).
#include "passes/tensorify_floats.h"

#include "ir/printed_text.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "support/corpus.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

using namespace aotscope;

namespace {

/// The text between two lines of a case's file.
std::string part(const std::string& text, const std::string& from, const std::string& to = {}) {
    const std::size_t begin = text.find(from);
    REQUIRE(begin != std::string::npos);
    const std::size_t end = to.empty() ? text.size() : text.find(to, begin);
    REQUIRE(end != std::string::npos);
    return text.substr(begin + from.size(), end - begin - from.size());
}

} // namespace

TEST_CASE("floats become the tensors that PyTorch makes of them") {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(AOTSCOPE_TEST_DIR) /
                                                                 "passes/tensorify_cases")) {
        files.insert(entry.path());
    }
    REQUIRE(files.size() == 9);
    passes::PartitionRules rules;
    rules.tensorifiesMore = true;
    for (const std::filesystem::path& file : files) {
        CAPTURE(file);
        const std::string text = test::readFile(file);
        const auto graph = ir::parseGraphText(part(text, "before:\n", "\nafter:\n"));
        REQUIRE_MESSAGE(graph.ok(), graph.error().text());
        CHECK(test::withoutTrailingSpaces(ir::printGraph(*passes::tensorifyFloats(*graph, rules)).text) ==
              test::withoutTrailingSpaces(part(text, "\nafter:\n")));
    }
}

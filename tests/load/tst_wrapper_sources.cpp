#include "support/corpus_case.h"

#include "load/trace_log.h"
#include "load/wrapper_sources.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

using namespace aotscope;
using load::WrapperSource;

TEST_CASE("the code of the wrappers is found by section, with its line") {
    CHECK(load::wrapperSources("# dedup_wrapper\ndef inner_fn(args):\n    # a comment\n    return 1\n\n"
                               "# mutation_epilogue\ndef apply(x):\n\n    return x\n") ==
          std::vector<WrapperSource>{
              {"dedup_wrapper", "def inner_fn(args):\n    # a comment\n    return 1", 1},
              {"mutation_epilogue", "def apply(x):\n\n    return x", 6},
          });
}

TEST_CASE("what only looks like a section is none") {
    CHECK(load::wrapperSources("").empty());
    CHECK(load::wrapperSources("def f():\n    pass").empty());
    // A comment in the code, words, and a heading without an empty line before it.
    const auto sources =
        load::wrapperSources("# first\ncode()\n# not_a_section\n\n# several words here\n\n# \n\n#second\n");
    REQUIRE(sources.size() == 1);
    CHECK(sources[0].section == "first");
    CHECK(load::wrapperSources("# last") == std::vector<WrapperSource>{{"last", "", 1}});
    std::string many;
    for (int i = 0; i < 100'000; ++i) {
        many += "# s\n\n";
    }
    CHECK(load::wrapperSources(many).size() == 1000);
}

TEST_CASE("every log of torch 2.15 tells its wrappers' code" * test::needsCorpus()) {
    const auto folder = test::corpusDir() / "traces-2.15";
    if (!std::filesystem::exists(folder)) {
        return;
    }
    std::map<std::string, int> sections;
    int artifacts = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        if (!file.ends_with(".log") && !file.ends_with(".log.xz")) {
            continue;
        }
        const auto log = load::TraceLog::read(entry.path());
        REQUIRE(log.ok());
        for (std::uint32_t i = 0; i < (*log)->recordCount(); ++i) {
            if ((*log)->artifactName(load::RecordId(i)) != load::wrapperSourcesArtifact) {
                continue;
            }
            ++artifacts;
            for (const WrapperSource& source : load::wrapperSources((*log)->payload(load::RecordId(i)))) {
                CHECK(source.text.starts_with("def "));
                ++sections[source.section];
            }
        }
    }
    CHECK(artifacts == 76);
    CHECK(sections["runtime_wrapper_orchestration"] == artifacts);
    CHECK(sections["mutation_epilogue"] == 8);
    CHECK(sections["output_alias_wrapper"] == 6);
    CHECK(sections["synthetic_base_wrapper"] == 2);
    CHECK(sections["effect_tokens_wrapper"] == 2);
    CHECK(sections["subclass_wrapper"] == 2);
    CHECK(sections.size() == 14);
}

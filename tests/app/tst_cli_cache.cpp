// The cache of compiled functions, and what is shown of metadata and wrappers, on the command line.
#include "app/cli_support.h"
#include "app/expected_table.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace aotscope;
using test::contains;
using Json = nlohmann::json;

namespace {

/// Runs the command line with a cache folder of its own.
struct CachedCli {
    test::TempFolder home;

    [[nodiscard]] test::Ran run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli");
        return test::runChild(std::move(arguments), {"XDG_CACHE_HOME=" + home.path().string(),
                                                     "XDG_STATE_HOME=" + home.path().string()});
    }
    [[nodiscard]] Json json(std::vector<std::string> arguments) const {
        return test::json(run(std::move(arguments)));
    }
    [[nodiscard]] std::filesystem::path folder() const { return home.path() / "aotscope" / "compiled"; }
    [[nodiscard]] std::vector<std::filesystem::path> entries() const {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder())) {
            if (entry.path().extension() == ".aotfn") {
                files.push_back(entry.path());
            }
        }
        std::ranges::sort(files);
        return files;
    }
};

/// What may differ between two runs that say the same.
Json withoutTimes(Json compiles) {
    for (Json& compile : compiles) {
        compile.erase("nanoseconds");
        compile.erase("cache");
    }
    return compiles;
}

/// The columns log, compile, second run and reason.
std::string cacheRow(const Json& compile) {
    const std::string graph = compile["graph"];
    const Json& cache = compile["cache"];
    const std::string state = cache.is_null() ? "no compile" : cache["state"].get<std::string>();
    const Json reason = cache.is_null() ? Json() : cache[state == "bypass" ? "reason" : "not_stored"];
    return graph.substr(0, graph.find(':')) + '\t' + test::idOf(compile) + '\t' + state + '\t' +
           (reason.is_null() || reason == "" ? "-" : reason.get<std::string>());
}

} // namespace

TEST_CASE("the second run over the corpus is a hit wherever the first one stored, and says the same" *
          test::needsCorpus()) {
    const CachedCli cli;
    std::vector<std::string> arguments = {"retrace", "--exact", "--json", "--cache"};
    for (const std::filesystem::path& log : test::corpusLogs()) {
        arguments.push_back(log.string());
    }
    const Json first = cli.json(arguments);
    const Json second = cli.json(arguments);
    REQUIRE(first.is_object());
    REQUIRE(second.is_object());
    CHECK(withoutTimes(first["compiles"]) == withoutTimes(second["compiles"]));
    std::vector<std::string> rows = {"log\tcompile\tsecond run\treason"};
    for (std::size_t i = 0; i < first["compiles"].size(); ++i) {
        const Json& before = first["compiles"][i]["cache"];
        const Json& after = second["compiles"][i]["cache"];
        INFO(first["compiles"][i]["graph"]);
        INFO(after.dump());
        if (before.is_null()) {
            // There is no program to compile, or it needs what is not supported.
            CHECK(after.is_null());
        } else if (before["state"] == "bypass") {
            CHECK(after == before);
            CHECK_FALSE(before["reason"].get<std::string>().empty());
        } else if (before["not_stored"] == "") {
            CHECK(after["state"] == "hit");
            CHECK(after["key"] == before["key"]);
        } else {
            CHECK(after["state"] == "miss");
        }
        rows.push_back(cacheRow(second["compiles"][i]));
    }
    test::checkTable(std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / "corpus.cache.tsv", rows);
}

TEST_CASE("partitions are cached too, and the files are the same" * test::needsCorpus()) {
    const CachedCli cli;
    const std::string log = test::corpusLog("mlp_sgd");
    const auto written = [&](const char* name, bool cached) {
        std::vector<std::string> arguments = {"retrace", log, "--out", (cli.home.path() / name).string()};
        if (cached) {
            arguments.emplace_back("--cache");
        }
        CHECK(cli.run(arguments).code == 0);
        return test::filesBelow(cli.home.path() / name);
    };
    const auto plain = written("plain", false);
    CHECK_FALSE(std::filesystem::exists(cli.folder()));
    const auto stored = written("stored", true);
    const auto found = written("found", true);
    CHECK_FALSE(plain.empty());
    CHECK(stored == plain);
    CHECK(found == plain);
    const Json list = cli.json({"cache", "list", "--json"});
    CHECK(list["schema"] == "aotscope.cache/2");
    int halves = 0;
    for (const Json& entry : list["entries"]) {
        const bool isSplit = entry["kind"] == "forward and backward";
        halves += isSplit ? 1 : 0;
        CHECK((entry["forward_key"] != "") == (isSplit || entry["kind"] == "inference"));
        CHECK((entry["backward_key"] != "") == isSplit);
    }
    CHECK(halves > 0);
}

TEST_CASE("another configuration is another entry, and the list shows it" * test::needsCorpus()) {
    const CachedCli cli;
    const std::string log = test::corpusLog("mlp_sgd");
    CHECK(cli.run({"retrace", log, "--cache"}).code == 0);
    const std::size_t before = cli.entries().size();
    const Json core = cli.json({"retrace", log, "--cache", "--json", "--decompositions", "core"});
    CHECK(contains(core["compiles"][0]["cache"]["reason"],
                   "another configuration: decompositions (stored none, "
                   "requested core)"));
    CHECK(cli.entries().size() == 2 * before);
    const auto list = cli.run({"cache", "list"});
    CHECK(contains(list.out, "core"));
    CHECK(contains(list.out, "none"));
    const Json entries = cli.json({"cache", "list", "--json"})["entries"];
    REQUIRE(entries.size() == 2 * before);
    const auto nameOf = [&](std::size_t entry) { return entries[entry]["file"]["name"]; };
    CHECK(nameOf(0)["program"] == nameOf(1)["program"]);
    CHECK(nameOf(0)["key"] != nameOf(1)["key"]);
    // Showing one, by the first digits of its key.
    const std::string key = nameOf(0)["key"];
    const auto shown = cli.run({"cache", "show", key.substr(0, 10)});
    CHECK(shown.code == 0);
    CHECK(contains(shown.out, "key " + key));
    CHECK(contains(shown.out, "RuntimeWrapper"));
    const Json whole = cli.json({"cache", "show", key, "--json"});
    CHECK(whole["entries"][0]["compiled_function"]["graph"]["num_nodes"].get<int>() > 0);
    CHECK(cli.run({"cache", "show", "zz"}).code == 2);
    CHECK(cli.run({"cache"}).code == 2);
    CHECK(cli.json({"cache", "clear", "--json"})["removed"] == entries.size());
    CHECK(cli.entries().empty());
}

TEST_CASE("a damaged entry is a miss that says so" * test::needsCorpus()) {
    const CachedCli cli;
    const std::vector<std::string> arguments = {"retrace", test::corpusLog("set_storage_resize"), "--cache",
                                                "--json"};
    (void)cli.run(arguments);
    REQUIRE_FALSE(cli.entries().empty());
    for (const std::filesystem::path& file : cli.entries()) {
        std::string content = test::readFile(file);
        content[content.size() / 2] ^= 1;
        std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    }
    CHECK(contains(cli.run({"cache", "list"}).out, "does not match its digest"));
    const Json again = cli.json(arguments);
    for (const Json& compile : again["compiles"]) {
        CHECK(compile["cache"]["state"] == "miss");
        CHECK(contains(compile["cache"]["reason"], "does not match its digest"));
    }
    for (const Json& compile : cli.json(arguments)["compiles"]) {
        CHECK(compile["cache"]["state"] == "hit");
    }
}

TEST_CASE("metadata is shown as found and as logged" * test::needsCorpus()) {
    int shown = 0;
    for (const std::filesystem::path& log : test::corpusLogs()) {
        if (log.string().find("traces-2.15") == std::string::npos) {
            continue;
        }
        const Json told = test::json(test::cli({"metadata", log.string(), "--json"}));
        if (!told.is_object()) {
            continue; // Nothing in it can be traced.
        }
        CHECK(told["schema"] == "aotscope.metadata/2");
        for (const Json& compile : told["compiles"]) {
            INFO(compile["graph"]);
            if (compile["traced"].is_null() || compile["logged"].is_null()) {
                continue;
            }
            ++shown;
            // What both sides name they say alike, unless a difference names the field.
            if (compile["equal"] == true) {
                const std::size_t inputs = compile["traced"]["input_info"].size();
                CHECK(inputs == compile["logged"]["input_info"].size());
                CHECK(compile["traced"]["output_info"].size() == compile["logged"]["output_info"].size());
                for (std::size_t i = 0; i < inputs; ++i) {
                    CHECK(compile["traced"]["input_info"][i]["mutation_type"] ==
                          compile["logged"]["input_info"][i]["mutation_type"]);
                }
            }
        }
    }
    CHECK(shown > 30);
}

TEST_CASE("a call of a compile that the cache holds says so and gives the same values" *
          test::needsCorpus()) {
    const CachedCli cli;
    const std::string golden = (test::corpusDir() / "golden" / "mlp_sgd.json").string();
    const std::vector<std::string> arguments = {"run", golden, "--reference", "eager", "--json", "--cache"};
    const Json missed = cli.json(arguments).at("functions").at(0);
    CHECK(missed.at("cache").at("state") == "miss");
    CHECK(missed.at("cache").at("reason") == "not compiled before");
    CHECK(missed.at("partition_cache").at("state") == "miss");
    const Json hit = cli.json(arguments).at("functions").at(0);
    CHECK(hit.at("cache").at("state") == "hit");
    CHECK(hit.at("cache").at("reason") == "from disk");
    CHECK(hit.at("partition_cache").at("state") == "hit");
    CHECK(hit.at("record").at("eager") == missed.at("record").at("eager"));
    CHECK(hit.at("agrees") == true);
    CHECK(hit.at("record").at("eager").at("losses").at(0).get<double>() ==
          doctest::Approx(0.06183119863271713));
    const auto text = cli.run({"run", golden, "--trace-wrappers", "--cache"});
    CHECK(contains(text.out, "  cache hit: from disk, instead of a trace of "));
    CHECK(contains(text.out, "  cache of the partition hit: from disk"));
    CHECK(contains(cli.run({"wrappers", golden, "--run", "--cache"}).out, "  cache hit: from disk"));
}

TEST_CASE("aliases and intermediate bases are told in words" * test::needsCorpus()) {
    const auto ran = test::cli({"metadata", test::corpusLog("out_alias_intermediate")});
    CHECK(contains(ran.out, "shares memory with"));
    CHECK(contains(ran.out, "intermediate bases"));
    CHECK(contains(ran.out, "NOT_MUTATED"));
    CHECK(contains(ran.out, "the logged metadata is equal"));
    CHECK(test::cli({"metadata", "/nowhere.log"}).code == 3);
}

TEST_CASE("wrappers are listed with the code that torch 2.15 logged" * test::needsCorpus()) {
    const std::string folder = (test::corpusDir() / "traces-2.15" / "synthetic_base_views").string();
    const Json told = test::json(test::cli({"wrappers", folder, "--json"}));
    CHECK(told["schema"] == "aotscope.wrappers/2");
    int code = 0;
    for (const Json& compile : told["compiles"]) {
        CHECK(compile["absent"].size() + compile["wrappers"].size() == 9);
        CHECK(compile["partitioned"] == true);
        CHECK(compile["other_sources"].empty());
        for (const Json& wrapper : compile["wrappers"]) {
            CHECK_FALSE(wrapper["reason"].get<std::string>().empty());
            for (const Json& source : wrapper["sources"]) {
                // What PyTorch generated code for, does something.
                CHECK(wrapper["applies"] == true);
                CHECK(contains(source["text"], "def "));
                ++code;
            }
        }
    }
    CHECK(code > 5);
    const auto text = test::cli({"wrappers", folder});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "wrapper AOTSyntheticBaseWrapper: applied"));
    CHECK(contains(text.out, "logged code: synthetic_base_wrapper (line "));
    CHECK(contains(text.out, "      | def "));
}

TEST_CASE("wrappers of another path are named with the reason" * test::needsCorpus()) {
    const auto text = test::cli({"wrappers", (test::corpusDir() / "traces-2.15" / "mlp_inference").string()});
    CHECK(text.code == 0);
    CHECK(contains(text.out, "wrapper AOTDispatchAutograd: not made: the inference path"));
}

TEST_CASE("of a compile that cannot be traced the logged code and metadata are shown" * test::needsCorpus()) {
    const std::string folder = (test::corpusDir() / "traces-2.15" / "dup_args_dedupe").string();
    const auto wrappers = test::cli({"wrappers", folder});
    CHECK(wrappers.code == 1);
    CHECK(contains(wrappers.out, "not traced: there is no Dynamo graph"));
    CHECK(contains(wrappers.out, "logged code: dedup_wrapper (line "));
    const auto metadata = test::cli({"metadata", folder});
    CHECK(metadata.code == 1);
    CHECK(contains(metadata.out, "as logged:"));
    CHECK(contains(metadata.out, "NOT_MUTATED"));
}

TEST_CASE("a program that leaves gradient mode off does not get the partition of one that does not") {
    const CachedCli cli;
    const std::string path =
        std::string(AOTSCOPE_SOURCE_DIR) + "/resources/sample/transformer_encoder_layer.log";
    std::string log = test::readFile(path);
    const std::string end = "\t        return (x_3,)\n";
    REQUIRE(test::countOf(log, end) == 1);
    log.insert(
        log.find(end),
        "\t        _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None\n");
    const std::string changed = cli.home.write("leaves_grad_off.log", log).string();
    const auto called = [&](const std::string& file) {
        const Json answer = cli.json({"wrappers", "--run", "--id", "0/0", "--cache", "--json", file});
        REQUIRE(answer.is_object());
        return answer["compiles"][0];
    };
    const auto gradModeLeft = [](const Json& compile) {
        const auto& wrappers = compile["wrappers"];
        const auto runtime = std::ranges::find_if(
            wrappers, [](const Json& wrapper) { return wrapper["wrapper"] == "RuntimeWrapper"; });
        REQUIRE(runtime != wrappers.end());
        return (*runtime)["state"]["grad_enabled_mutation"];
    };
    CHECK(gradModeLeft(called(path)).is_null());
    const Json off = called(changed);
    CHECK(off["call"]["partition_cache"]["state"] == "miss");
    // The joint graph is the same one.
    CHECK(contains(off["call"]["partition_cache"]["reason"], "another configuration: metadata"));
    CHECK(gradModeLeft(off) == false);
    CHECK(called(path)["call"]["partition_cache"]["state"] == "hit");
    CHECK(called(changed)["call"]["partition_cache"]["state"] == "hit");
}

TEST_CASE("a changed hook is another entry, and the reason says so") {
    const CachedCli cli;
    const std::string log = std::string(AOTSCOPE_TEST_DIR) + "/golden/packs-2.15/hook_library.log.xz";
    const auto partition = [&](const std::string& hook, const std::string& mode) {
        const Json told = cli.json(
            {"wrappers", "--run", "--id", "0/0", "--cache", "--hook", hook, "--mode", mode, "--json", log});
        REQUIRE(told.is_object());
        return told["compiles"][0]["call"]["partition_cache"];
    };
    CHECK(partition("bf16", "all")["state"] == "miss");
    CHECK(partition("bf16", "all")["state"] == "hit");
    const Json changed = partition("fp8_e4m3", "all");
    CHECK(changed["state"] == "miss");
    CHECK(contains(changed.dump(), "hooks"));
    CHECK(partition("bf16", "donated")["state"] == "miss");
    CHECK(partition("bf16", "all")["state"] == "hit");
}

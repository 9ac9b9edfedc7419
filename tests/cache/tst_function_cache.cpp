// Hit or miss, and why.
#include "cache/small_compiles.h"
#include "support/temp_folder.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace aotscope;
using test::requestOf;
using test::resultOf;
using test::smallEnvironment;
using test::symbolicText;

namespace {

cache::FunctionCache cacheAt(const std::filesystem::path& folder) {
    return cache::FunctionCache({.disk = {.folder = folder}});
}

cache::CacheKey keyOf(const std::string& text = symbolicText()) {
    return cache::keyOf(requestOf(text), smallEnvironment());
}

std::filesystem::path onlyEntry(const std::filesystem::path& folder) {
    const auto files = cache::EntryFolder({.folder = folder}).list();
    REQUIRE(files.size() == 1);
    return folder / files.front().name.fileName();
}

std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool isHit(const cache::Lookup& found) {
    CHECK((found.entry != nullptr) == (found.outcome.state == aot::CacheState::Hit));
    return found.entry != nullptr;
}

} // namespace

TEST_CASE("what was stored is found, in memory and by another process from disk") {
    const test::TempFolder folder;
    cache::FunctionCache first = cacheAt(folder.path());
    const cache::Lookup before = first.lookup(keyOf(), {});
    CHECK_FALSE(isHit(before));
    CHECK(before.outcome.reason == "not compiled before");
    CHECK(before.outcome.key == keyOf().digest);
    REQUIRE(first.store(keyOf(), resultOf()).ok());
    const cache::Lookup remembered = first.lookup(keyOf(), {});
    REQUIRE(isHit(remembered));
    CHECK(remembered.outcome.reason == "from memory");
    CHECK(remembered.outcome.savedNanoseconds == 1234);
    cache::FunctionCache second = cacheAt(folder.path());
    const cache::Lookup stored = second.lookup(keyOf(), {});
    REQUIRE(isHit(stored));
    CHECK(stored.outcome.reason == "from disk");
    CHECK(ir::equalGraphs(*stored.entry->result.function.graph, *resultOf().function.graph));
    CHECK(second.lookup(keyOf(), {}).outcome.reason == "from memory");
    CHECK(*second.clear() == 1);
    CHECK_FALSE(isHit(second.lookup(keyOf(), {})));
}

TEST_CASE("without a folder entries live in memory alone") {
    cache::FunctionCache functions{cache::CacheOptions{}};
    REQUIRE(functions.store(keyOf(), resultOf()).ok());
    CHECK(isHit(functions.lookup(keyOf(), {})));
    CHECK(functions.list().empty());
}

TEST_CASE("another configuration of a program is another entry, and the miss names what differs") {
    const test::TempFolder folder;
    REQUIRE(cacheAt(folder.path()).store(keyOf(), resultOf()).ok());
    aot::RetraceRequest request = requestOf(symbolicText());
    request.decompositions = aot::DecompositionTable::Core;
    const cache::CacheKey core = cache::keyOf(request, smallEnvironment());
    cache::FunctionCache functions = cacheAt(folder.path());
    const cache::Lookup missed = functions.lookup(core, {});
    CHECK_FALSE(isHit(missed));
    CHECK(missed.outcome.reason == "compiled before in another configuration: decompositions (stored none, "
                                   "requested core)");
    REQUIRE(functions.store(core, resultOf("2")).ok());
    CHECK(functions.list().size() == 2);
    CHECK(functions.list()[0].file.name.program == functions.list()[1].file.name.program);
    CHECK(isHit(functions.lookup(core, {})));
    CHECK(isHit(functions.lookup(keyOf(), {})));
}

TEST_CASE("a changed hook is a recompile that says so") {
    cache::FunctionCache functions{cache::CacheOptions{}};
    cache::CompileEnvironment environment = smallEnvironment();
    const auto hookOf = [](const char* scale) { return test::parsed(test::smallGraphText(scale)); };
    environment.hooks = {{hookOf("1"), hookOf("1")}};
    const cache::CacheKey old = cache::keyOf(requestOf(symbolicText()), environment);
    REQUIRE(functions.store(old, resultOf()).ok());
    environment.hooks = {{hookOf("2"), hookOf("1")}};
    const cache::Lookup missed = functions.lookup(cache::keyOf(requestOf(symbolicText()), environment), {});
    CHECK_FALSE(isHit(missed));
    CHECK(missed.outcome.reason == "compiled before in another configuration: hooks");
}

TEST_CASE("guards are checked against the new values; a failed one is the recompile reason") {
    const test::TempFolder folder;
    {
        cache::FunctionCache functions = cacheAt(folder.path());
        REQUIRE(functions.store(keyOf(), resultOf("1", {"s77 <= 25"})).ok());
    }
    for (const bool inMemory : {false, true}) {
        cache::FunctionCache functions = cacheAt(folder.path());
        if (inMemory) {
            REQUIRE(isHit(functions.lookup(keyOf(), {{"s77", 8}})));
        }
        const cache::Lookup missed = functions.lookup(keyOf(), {{"s77", 32}});
        CHECK_FALSE(isHit(missed));
        CHECK(missed.outcome.reason ==
              "compiled before for other sizes; guard s77 <= 25 fails: s77 = 32 (model.py:12)");
    }
    // The recompile is one more entry of the same key, and each is taken where its guards hold.
    cache::FunctionCache functions = cacheAt(folder.path());
    REQUIRE(functions.store(keyOf(), resultOf("2", {"s77 > 25"})).ok());
    cache::FunctionCache other = cacheAt(folder.path());
    CHECK(other.list().size() == 2);
    const cache::Lookup small = other.lookup(keyOf(), {{"s77", 8}});
    const cache::Lookup large = other.lookup(keyOf(), {{"s77", 32}});
    REQUIRE(isHit(small));
    REQUIRE(isHit(large));
    CHECK(ir::equalGraphs(*small.entry->result.function.graph, *resultOf("1").function.graph));
    CHECK(ir::equalGraphs(*large.entry->result.function.graph, *resultOf("2").function.graph));
}

TEST_CASE("no damaged, foreign, older or oversized file is taken; the miss says why, and storing heals it") {
    const test::TempFolder folder;
    REQUIRE(cacheAt(folder.path()).store(keyOf(), resultOf()).ok());
    const std::filesystem::path path = onlyEntry(folder.path());
    const std::string good = contentOf(path);
    const auto reasonWith = [&](const std::string& content) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
        cache::FunctionCache functions = cacheAt(folder.path());
        const cache::Lookup missed = functions.lookup(keyOf(), {});
        CHECK_FALSE(isHit(missed));
        CHECK_FALSE(functions.list().front().header.ok());
        return missed.outcome.reason;
    };
    const auto says = [](const std::string& reason, const char* words) {
        CHECK_MESSAGE(reason.starts_with("the stored entry is not taken: "), reason);
        CHECK_MESSAGE(reason.find(words) != std::string::npos, reason);
    };
    says(reasonWith(""), "cut off");
    says(reasonWith(good.substr(0, good.size() - 1)), "bytes after its first lines");
    says(reasonWith(good + "x"), "bytes after its first lines");
    says(reasonWith("#!/bin/sh\necho this is no entry at all\n"), "not an entry");
    says(reasonWith(test::withVersion(good, cache::formatVersion - 1)), "older than");
    for (std::size_t at = 200; at < good.size(); at += 97) {
        std::string changed = good;
        changed[at] = static_cast<char>(changed[at] ^ 0x20);
        says(reasonWith(changed), "changed");
    }
    {
        cache::FunctionCache small({.disk = {.folder = folder.path(), .mostEntryBytes = 10}});
        CHECK(small.lookup(keyOf(), {}).outcome.reason.find("more than an entry may have") !=
              std::string::npos);
        CHECK_FALSE(small.store(keyOf(), resultOf()).ok());
        // In memory it is there all the same.
        CHECK(isHit(small.lookup(keyOf(), {})));
    }
    REQUIRE(cacheAt(folder.path()).store(keyOf(), resultOf()).ok());
    cache::FunctionCache healed = cacheAt(folder.path());
    CHECK(isHit(healed.lookup(keyOf(), {})));
}

TEST_CASE("an entry under another's name is not taken") {
    const test::TempFolder folder;
    REQUIRE(cacheAt(folder.path()).store(keyOf(), resultOf()).ok());
    const std::filesystem::path path = onlyEntry(folder.path());
    const cache::CacheKey other = keyOf(symbolicText("s27"));
    const cache::EntryName name{other.programDigest, other.digest, std::string(32, '0')};
    std::filesystem::rename(path, folder.path() / name.fileName());
    cache::FunctionCache functions = cacheAt(folder.path());
    const cache::Lookup missed = functions.lookup(other, {{"s27", 8}});
    CHECK_FALSE(isHit(missed));
    CHECK(missed.outcome.reason.find("another compile than its name says") != std::string::npos);
}

TEST_CASE("memory holds the most recently used up to its bound") {
    const std::size_t nodes = resultOf().function.graph->size();
    cache::FunctionCache functions({.disk = {}, .nodesInMemory = 2 * nodes});
    const cache::CacheKey a = keyOf(symbolicText("s1"));
    const cache::CacheKey b = keyOf(symbolicText("s2"));
    const cache::CacheKey c = keyOf(symbolicText("s3"));
    REQUIRE(functions.store(a, resultOf()).ok());
    REQUIRE(functions.store(b, resultOf()).ok());
    CHECK(isHit(functions.lookup(a, {})));
    REQUIRE(functions.store(c, resultOf()).ok());
    CHECK(isHit(functions.lookup(a, {})));
    CHECK_FALSE(isHit(functions.lookup(b, {})));
    CHECK(isHit(functions.lookup(c, {})));
}

TEST_CASE("two processes that compile at once both keep their entries") {
    const test::TempFolder folder;
    std::vector<pid_t> children;
    for (const char* symbol : {"s1", "s2"}) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            bool stored = true;
            for (int i = 0; i < 20; ++i) {
                stored = cacheAt(folder.path()).store(keyOf(symbolicText(symbol)), resultOf()).ok() && stored;
                stored = cacheAt(folder.path()).store(keyOf(), resultOf()).ok() && stored;
            }
            ::_exit(stored ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
    cache::FunctionCache functions = cacheAt(folder.path());
    CHECK(functions.list().size() == 3);
    for (const char* symbol : {"s1", "s2", "s77"}) {
        CHECK(isHit(functions.lookup(keyOf(symbolicText(symbol)), {})));
    }
}

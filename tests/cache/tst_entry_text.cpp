// An entry as text: it comes back whole, and no changed byte is taken.
#include "aot/golden_units.h"
#include "cache/small_compiles.h"

#include "aot/compile.h"
#include "aot/compiled_function_json.h"
#include "load/md5.h"

#include <random>

using namespace aotscope;

namespace {

cache::CacheEntry smallEntry() {
    return cache::makeEntry(cache::keyOf(test::requestOf(test::symbolicText()), test::smallEnvironment()),
                            test::resultOf("1", {"s77 <= 25"}));
}

std::string codeOf(std::string_view text) {
    const auto read = cache::readEntry(text);
    const auto header = cache::readEntryHeader(text);
    // Listing and taking agree on everything before the compiled function.
    if (!header) {
        CHECK_FALSE(read.ok());
    }
    return read ? "" : read.error().code;
}

/// The text with its digest and length made right again, as a forger would.
std::string resealed(const std::string& body) {
    load::Md5 digest;
    digest.update(body);
    return "aotscope compiled function " + std::to_string(cache::formatVersion) + "\n" + digest.hexDigest() +
           " " + std::to_string(body.size()) + "\n" + body;
}

std::string bodyOf(const std::string& text) {
    const std::size_t first = text.find('\n');
    return text.substr(text.find('\n', first + 1) + 1);
}

} // namespace

TEST_CASE("an entry comes back as it was") {
    const cache::CacheEntry entry = smallEntry();
    const std::string text = cache::entryToText(entry);
    const auto read = cache::readEntry(text);
    REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
    CHECK(read->key.components == entry.key.components);
    CHECK(read->key.digest == entry.key.digest);
    CHECK(read->key.programDigest == entry.key.programDigest);
    CHECK(read->forwardKey == entry.forwardKey);
    CHECK(read->forwardKey.size() == 32);
    CHECK(read->backwardKey.empty());
    CHECK(read->result.nanoseconds == 1234);
    CHECK(read->result.notes == entry.result.notes);
    CHECK(read->result.libTorch == entry.result.libTorch);
    CHECK(read->result.changedOperators == entry.result.changedOperators);
    CHECK(read->result.function.guards.front().expression.text() == "s77 <= 25");
    CHECK(aot::compiledFunctionToJson(read->result.function) ==
          aot::compiledFunctionToJson(entry.result.function));
    CHECK(cache::entryToText(*read) == text);
    const auto header = cache::readEntryHeader(text);
    REQUIRE(header.ok());
    CHECK(header->kind == "inference");
    CHECK(header->nodes == entry.result.function.graph->size());
    CHECK(header->guards.size() == 1);
}

TEST_CASE("PyTorch's golden compiles come back from entries, with keys of both halves" *
          test::needsCorpus()) {
    int halves = 0;
    int inference = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        if (golden.function.graph->size() > 150 || golden.hasSubclasses) {
            return;
        }
        aot::RetraceResult result{.function = golden.function};
        if (result.function.joint) {
            aot::CompiledFunction traced = golden.function;
            traced.partition = nullptr;
            auto split = aot::compile(std::move(traced), {.partition = passes::PartitionOptions()});
            if (!split) {
                return;
            }
            result.function = *split;
        }
        INFO(golden.where);
        cache::CompileEnvironment environment = test::smallEnvironment();
        environment.partition = passes::PartitionOptions{};
        const cache::CacheEntry entry =
            cache::makeEntry(cache::keyOfPartition(golden.function, environment), result);
        const auto read = cache::readEntry(cache::entryToText(entry));
        REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().text()));
        CHECK(aot::compiledFunctionToJson(read->result.function) ==
              aot::compiledFunctionToJson(entry.result.function));
        CHECK(read->forwardKey == cache::graphKey(result.function.forward()));
        CHECK(read->backwardKey.empty() == !result.function.joint);
        CHECK(read->forwardKey != read->backwardKey);
        ++(result.function.joint ? halves : inference);
    });
    CHECK(halves > 20);
    CHECK(inference > 5);
}

TEST_CASE("no changed byte is taken") {
    const std::string text = cache::entryToText(smallEntry());
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = static_cast<char>(changed[i] ^ 1);
        if (cache::readEntry(changed).ok()) {
            FAIL_CHECK("byte " << i << " of " << text.size() << " can be changed");
        }
    }
    CHECK(text.size() > 1000);
}

TEST_CASE("each kind of damage has its name") {
    const std::string text = cache::entryToText(smallEntry());
    for (std::size_t length = 0; length < text.size(); ++length) {
        const std::string code = codeOf(std::string_view(text).substr(0, length));
        const bool isNamed = code == "cache.truncated" || code == "cache.damaged";
        CHECK_MESSAGE(isNamed, "cut after " << length << ": " << code);
    }
    CHECK(codeOf(text + "x") == "cache.oversized");
    CHECK(codeOf("not an entry at all, but long enough") == "cache.foreign");
    for (const int version : {cache::formatVersion - 1, cache::formatVersion + 1}) {
        CHECK(codeOf(test::withVersion(text, version)) == "cache.version");
    }
    std::string damaged = text;
    damaged.back() = 'x';
    CHECK(codeOf(damaged) == "cache.damaged");
}

TEST_CASE("whatever bytes are in a forged entry, it is read or refused") {
    const std::string body = bodyOf(cache::entryToText(smallEntry()));
    std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same bytes each time
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    int refused = 0;
    constexpr int rounds = 2'000;
    for (int i = 0; i < rounds; ++i) {
        std::string forged = body;
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            const std::size_t at = below(forged.size());
            switch (below(3)) {
            case 0:
                forged[at] = static_cast<char>(random());
                break;
            case 1:
                forged.erase(at, 1 + below(40));
                break;
            default:
                forged.insert(at, forged.substr(below(forged.size()), 1 + below(40)));
            }
        }
        const auto read = cache::readEntry(resealed(forged));
        refused += read ? 0 : 1;
        if (read) {
            CHECK(cache::readEntry(cache::entryToText(*read)).ok());
        }
    }
    CHECK(refused > rounds / 2);
}

TEST_CASE("a forged entry with the right digest is checked field by field") {
    const std::string body = bodyOf(cache::entryToText(smallEntry()));
    CHECK(codeOf(resealed(body)).empty());
    const auto replaced = [&](const std::string& what, const std::string& with) {
        std::string forged = body;
        const std::size_t at = forged.find(what);
        REQUIRE_MESSAGE(at != std::string::npos, what);
        forged.replace(at, what.size(), with);
        return codeOf(resealed(forged));
    };
    CHECK(replaced("\"key\":\"", "\"key\":\"0") == "cache.form");
    CHECK(replaced("\"nanoseconds\":1234", "\"nanoseconds\":-1") == "cache.form");
    CHECK(replaced("\"bytes\":", "\"bytes\":9999999999") == "cache.form");
    CHECK(replaced("\"notes\":[", "\"notes\":[1,") == "cache.form");
    CHECK(replaced("\"components\":", "\"component\":") == "cache.form");
    CHECK(replaced("{", "[") == "cache.form");
    CHECK(replaced("\"path\":\"inference\"", "\"path\":\"elsewhere\"") == "aot.json_form");
    // As long as before: these are found in the graph itself.
    CHECK_FALSE(replaced(R"("op": "call_function", "target": "aten.add)",
                         R"("op": "call_nothing_", "target": "aten.add)")
                    .empty());
    CHECK(replaced(R"({"node": "arg0_1"})", R"({"node": "arg9_1"})") == "ir.json_value");
    CHECK_FALSE(codeOf(resealed("")).empty());
    CHECK_FALSE(codeOf(resealed(body.substr(0, body.find('\n') + 1))).empty());
    CHECK_FALSE(codeOf(resealed(body.substr(0, body.size() / 2))).empty());
}

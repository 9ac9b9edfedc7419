#include "load/json_outline.h"

#include "base/progress.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <string>

using namespace aotscope::load;
using aotscope::base::Progress;
using aotscope::base::ProgressState;

namespace {

JsonOutlinePtr outlineOf(std::string_view text) {
    Progress progress;
    return JsonOutline::of(text, progress).value();
}

/// "key=value" of every member, in as many batches as necessary.
std::string members(const JsonOutline& outline, const JsonOutline::Value& of) {
    std::string told;
    std::size_t next = 0;
    do {
        const JsonOutline::Members some = outline.members(of, next);
        for (const JsonOutline::Member& member : some.found) {
            told += std::string(member.key) + "=" + std::string(outline.text(member.value)) + "|";
        }
        next = some.next;
    } while (next != 0);
    return told;
}

std::string rootMembers(std::string_view text) {
    const JsonOutlinePtr outline = outlineOf(text);
    return members(*outline, outline->root());
}

/// Of this thread; other work on the machine does not count.
double workedMilliseconds() {
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

/// Time in milliseconds of the slowest answer while walking down the first members and to the end of each
/// level.
double slowestAnswer(const JsonOutline& outline, std::size_t levels) {
    double slowest = 0;
    JsonOutline::Value at = outline.root();
    for (std::size_t level = 0; level < levels && outline.isContainer(at); ++level) {
        JsonOutline::Value inner;
        std::size_t next = 0;
        do {
            const double begin = workedMilliseconds();
            const JsonOutline::Members some = outline.members(at, next);
            slowest = std::max(slowest, workedMilliseconds() - begin);
            if (next == 0 && !some.found.empty()) {
                inner = some.found.front().value;
            }
            next = some.next;
        } while (next != 0);
        at = inner;
    }
    return slowest;
}

std::string repeated(std::string_view part, std::size_t bytes) {
    std::string text;
    text.reserve(bytes + part.size());
    while (text.size() < bytes) {
        text += part;
    }
    return text;
}

/// The text is so long that examining all of it would block a window too long.
void checkAnswers(const std::string& text) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr double longest = 500;
#else
    constexpr double longest = 50;
#endif
    CAPTURE(text.substr(0, 20));
    const JsonOutlinePtr outline = outlineOf(text);
    REQUIRE(outline);
    CHECK(slowestAnswer(*outline, 2 * JsonOutline::deepest) < longest);
}

} // namespace

TEST_CASE("the members of JSON are found level by level") {
    CHECK(!outlineOf("text"));
    CHECK(!outlineOf("  "));
    CHECK(rootMembers(R"( {"size": [1, NaN], "deep": {"on": true}, "s": "a,\"}b"} )") ==
          R"(size=[1, NaN]|deep={"on": true}|s="a,\"}b"|)");
    CHECK(rootMembers("[1 , [2,3],{}]") == "=1 |=[2,3]|={}|");
    CHECK(rootMembers("[]").empty());
    const JsonOutlinePtr outline = outlineOf("[[], {\"a\": 1}, \"x\"]");
    const auto found = outline->members(outline->root()).found;
    REQUIRE(found.size() == 3);
    CHECK(outline->isContainer(found[0].value));
    CHECK(!outline->hasMembers(found[0].value));
    CHECK(outline->hasMembers(found[1].value));
    CHECK(!outline->isContainer(found[2].value));
    CHECK(members(*outline, found[1].value) == "a=1|");
}

TEST_CASE("what is no JSON has members too") {
    CHECK(rootMembers("{\"a\": [1, 2") == "a=[1, 2|");
    CHECK(rootMembers("{key : 1, \"unclosed") == "key=1|unclosed=|");
    CHECK(rootMembers("[1, 2}") == "=1|=2|");
    CHECK(rootMembers("{,,:}").size() < 20);
    CHECK(rootMembers("[\"\\\\\", \"\\\"\"]") == "=\"\\\\\"|=\"\\\"\"|");
}

TEST_CASE("members of large JSON come in pieces, all of them") {
    std::string text = "{";
    for (int i = 0; i < 50'000; ++i) {
        text += "\"key " + std::to_string(i) + "\": [" + std::to_string(i) + ", " + std::to_string(i) + "],";
    }
    text.back() = '}';
    const JsonOutlinePtr outline = outlineOf(text);
    CHECK(outline->members(outline->root()).next != 0);
    const std::string all = members(*outline, outline->root());
    CHECK(std::count(all.begin(), all.end(), '|') == 50'000);
    CHECK(all.ends_with("key 49999=[49999, 49999]|"));
}

TEST_CASE("large parts inside are stepped over to the same places") {
    const std::string list = "[" + repeated("[\"a]\\\"\", 1],", 700'000) + "0]";
    const std::string words = "\"" + repeated("say \\\"[\\\" ", 400'000) + "\"";
    const std::string space(300'000, ' ');
    const std::string digits(300'000, '7');
    CHECK(rootMembers("{\"list\":" + list + ",\"words\": " + words + "," + space + "\"n\":" + digits + "}") ==
          "list=" + list + "|words=" + words + "|n=" + digits + "|");
}

TEST_CASE("no answer looks through much of a hostile text") {
    constexpr std::size_t bytes = 32U << 20U;
    // One after the other: each is large.
    checkAnswers(repeated("[", bytes));
    checkAnswers(repeated("{\"a\":", bytes));
    checkAnswers("[\"" + repeated("\\\"[", bytes) + "\"]");
    checkAnswers("[" + repeated("1", bytes) + "]");
    checkAnswers("[" + repeated(" ", bytes) + "1]");
    checkAnswers("[" + repeated("1," + std::string(100'000, ' '), bytes) + "1]");
    checkAnswers("[" + repeated("[" + repeated("1,", 100'000) + "1],", bytes) + "1]");
    checkAnswers("{\"" + repeated("k", bytes) + "\": 1}");
    checkAnswers("{" + repeated(":", bytes));
}

TEST_CASE("below the deepest level a value is one without members") {
    const std::string text = std::string(5'000, '[') + std::string(5'000, ']');
    const JsonOutlinePtr outline = outlineOf(text);
    JsonOutline::Value at = outline->root();
    while (outline->isContainer(at)) {
        const auto found = outline->members(at).found;
        REQUIRE(found.size() == 1);
        at = found.front().value;
    }
    CHECK(at.depth == JsonOutline::deepest);
    CHECK(outline->text(at).size() == 8'000);
}

TEST_CASE("making an outline can be canceled") {
    const std::string text = "[" + repeated("1,", 8U << 20U) + "1]";
    std::stop_source stop;
    int told = 0;
    Progress progress(
        [&](const ProgressState&) {
            ++told;
            stop.request_stop();
        },
        stop.get_token());
    const auto outline = JsonOutline::of(text, progress);
    REQUIRE(!outline);
    CHECK(aotscope::base::isCanceled(outline.error()));
    CHECK(told == 1);
}

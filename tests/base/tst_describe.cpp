#include "base/describe.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace aotscope {
namespace {

struct Place {
    std::string fileName;
    int line = 0;
};
AOTSCOPE_MEMBERS(Place, fileName, line)

class Log {
public:
    enum class Level { Note, Warning, LastingError };
};
AOTSCOPE_WORDS(Log::Level, "note", "warning", "lasting_error")

struct Plain {
    int number = 0;
};
enum class Bare { One };

static_assert(base::HasMembers<Place> && !base::HasMembers<Plain> && !base::HasMembers<Log::Level>);
static_assert(base::HasWords<Log::Level> && !base::HasWords<Bare> && !base::HasWords<Place>);

struct Hundred {
    int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aA, bB, cC, dD, eE, fF,
        gG, hH, iI, jJ, kK, lL, mM, nN, oO, pP, qQ, rR, sS, tT, uU, vV, wW, xX, yY, zZ, a1, b1, c1, d1, e1,
        f1, g1, h1;
};
AOTSCOPE_MEMBERS(Hundred, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aA,
                 bB, cC, dD, eE, fF, gG, hH, iI, jJ, kK, lL, mM, nN, oO, pP, qQ, rR, sS, tT, uU, vV, wW, xX,
                 yY, zZ, a1, b1, c1, d1, e1, f1, g1, h1)

} // namespace

TEST_CASE("the members of a struct are visited in order, by names in snake case") {
    const Place place{.fileName = "model.py", .line = 3};
    std::vector<std::string> names;
    base::visitMembers(place, [&](const char* name, const auto&) { names.emplace_back(name); });
    CHECK(names == std::vector<std::string>{"file_name", "line"});
    Place changed;
    base::visitMembers(changed, [](const char* name, auto& member) {
        if constexpr (std::is_same_v<decltype(member), int&>) {
            CHECK(std::string(name) == "line");
            member = 7;
        }
    });
    CHECK(changed.line == 7);
}

TEST_CASE("the members of several structs are visited side by side") {
    const Place left{.fileName = "model.py", .line = 3};
    const Place right{.fileName = "model.py", .line = 4};
    std::vector<std::string> differing;
    base::visitMembers(
        left,
        [&](const char* name, const auto& ofLeft, const auto& ofRight) {
            if (ofLeft != ofRight) {
                differing.emplace_back(name);
            }
        },
        right);
    CHECK(differing == std::vector<std::string>{"line"});
}

TEST_CASE("a struct may have more members than Boost.Describe takes") {
    Hundred many{};
    std::size_t count = 0;
    base::visitMembers(many, [&](const char*, int&) { ++count; });
    CHECK(count * sizeof(int) == sizeof(Hundred));
}

TEST_CASE("the words of an enumeration go both ways") {
    CHECK(base::wordOf(Log::Level::LastingError) == "lasting_error");
    CHECK(base::fromWord<Log::Level>("warning") == Log::Level::Warning);
    CHECK_FALSE(base::fromWord<Log::Level>("warn").has_value());
    CHECK(base::wordOf(static_cast<Log::Level>(9)) == "unknown");
}

} // namespace aotscope

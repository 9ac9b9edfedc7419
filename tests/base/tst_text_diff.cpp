#include "base/text_diff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using aotscope::base::DiffLine;
using aotscope::base::diffLines;
using aotscope::base::unifiedDiff;

namespace {

/// Rebuilds one side from the comparison.
std::string rebuilt(const std::vector<DiffLine>& lines, DiffLine::Kind absent) {
    std::string text;
    for (const DiffLine& line : lines) {
        if (line.kind != absent) {
            text += std::string(line.text) + '\n';
        }
    }
    return text;
}

std::size_t changes(const std::vector<DiffLine>& lines) {
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [](const DiffLine& line) { return line.kind != DiffLine::Kind::Same; }));
}

std::vector<std::string> randomLines(std::mt19937& random, std::size_t atMost) {
    std::vector<std::string> lines(std::uniform_int_distribution<std::size_t>(0, atMost)(random));
    for (std::string& line : lines) {
        line = std::string(1, static_cast<char>('a' + random() % 4));
    }
    return lines;
}

std::string textOf(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + '\n';
    }
    return text;
}

/// The smallest number of line edits, found with the quadratic algorithm.
std::size_t fewestEdits(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    std::vector<std::vector<std::size_t>> common(left.size() + 1, std::vector<std::size_t>(right.size() + 1));
    for (std::size_t i = 1; i <= left.size(); ++i) {
        for (std::size_t j = 1; j <= right.size(); ++j) {
            common[i][j] = left[i - 1] == right[j - 1] ? common[i - 1][j - 1] + 1
                                                       : std::max(common[i - 1][j], common[i][j - 1]);
        }
    }
    return left.size() + right.size() - 2 * common.back().back();
}

} // namespace

TEST_CASE("equal texts have no differences") {
    CHECK(changes(diffLines("a\nb\n", "a\nb\n")) == 0);
    CHECK(diffLines("", "").empty());
    CHECK(unifiedDiff("a\nb", "a\nb", "x", "y").empty());
}

TEST_CASE("a changed line is shown as removed and then added with both line numbers") {
    const std::vector<DiffLine> lines = diffLines("a\nb\nc\n", "a\nB\nc\n");
    REQUIRE(lines.size() == 4);
    CHECK(lines[1].kind == DiffLine::Kind::Removed);
    CHECK(lines[1].text == "b");
    CHECK(lines[1].leftLine == 1);
    CHECK(lines[1].rightLine == 1);
    CHECK(lines[2].kind == DiffLine::Kind::Added);
    CHECK(lines[2].text == "B");
    CHECK(lines[2].leftLine == 2);
    CHECK(lines[3].leftLine == 2);
    CHECK(lines[3].rightLine == 2);
}

TEST_CASE("comparisons are as short as possible and rebuild both texts") {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<std::string> left = randomLines(random, 20);
        const std::vector<std::string> right = randomLines(random, 20);
        const std::string leftText = textOf(left);
        const std::string rightText = textOf(right);
        const std::vector<DiffLine> lines = diffLines(leftText, rightText);
        CAPTURE(leftText);
        CAPTURE(rightText);
        REQUIRE(rebuilt(lines, DiffLine::Kind::Added) == leftText);
        REQUIRE(rebuilt(lines, DiffLine::Kind::Removed) == rightText);
        REQUIRE(changes(lines) == fewestEdits(left, right));
    }
}

TEST_CASE("past the limit the remainder is removed and then added, and both texts are still whole") {
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        const std::string leftText = textOf(randomLines(random, 60));
        const std::string rightText = textOf(randomLines(random, 60));
        for (const std::size_t limit : {0U, 1U, 4U, 9U}) {
            const std::vector<DiffLine> lines = diffLines(leftText, rightText, limit);
            REQUIRE(rebuilt(lines, DiffLine::Kind::Added) == leftText);
            REQUIRE(rebuilt(lines, DiffLine::Kind::Removed) == rightText);
        }
    }
}

TEST_CASE("two large texts without a common line are compared within the limit") {
    std::string left;
    std::string right;
    for (int i = 0; i < 100'000; ++i) {
        left += "left " + std::to_string(i) + '\n';
        right += "right " + std::to_string(i) + '\n';
    }
    CHECK(changes(diffLines(left, right, 200)) == 200'000);
}

TEST_CASE("the unified form is what the diff tool prints") {
    const std::string left = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
    const std::string right = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n16\n17\n";
    CHECK(unifiedDiff(left, right, "a.txt", "b.txt") == "--- a.txt\n"
                                                        "+++ b.txt\n"
                                                        "@@ -2,7 +2,7 @@\n"
                                                        " 2\n"
                                                        " 3\n"
                                                        " 4\n"
                                                        "-5\n"
                                                        "+five\n"
                                                        " 6\n"
                                                        " 7\n"
                                                        " 8\n"
                                                        "@@ -12,5 +12,5 @@\n"
                                                        " 12\n"
                                                        " 13\n"
                                                        " 14\n"
                                                        "-15\n"
                                                        " 16\n"
                                                        "+17\n");
}

TEST_CASE("a missing newline at the end is a difference and is said") {
    CHECK(unifiedDiff("a\nb\n", "a\nb", "x", "y", 0) == "--- x\n"
                                                        "+++ y\n"
                                                        "@@ -2 +2 @@\n"
                                                        "-b\n"
                                                        "+b\n"
                                                        "\\ No newline at end of file\n");
}

TEST_CASE("lines added to nothing start at line zero of the empty side") {
    CHECK(unifiedDiff("", "a\nb\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n");
}

#include "base/elf_image.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

using aotscope::base::ElfImage;

TEST_CASE("an image has the parts of its file, and one that is cut off is none") {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto image = ElfImage::open(bytes);
    REQUIRE(image);
    CHECK(std::ranges::any_of(image->segments(), [](const auto& one) { return one.p_type == PT_DYNAMIC; }));
    const auto named = std::ranges::find(image->sections(), ".interp",
                                         [&](const auto& section) { return image->name(section); });
    REQUIRE(named != image->sections().end());
    // The path of the loader, with its zero.
    CHECK(image->contents(*named).find("ld-") != std::string_view::npos);
    CHECK(image->part(bytes.size() - 1, 2).empty());
    CHECK(image->part(bytes.size() + 1, 0).empty());
    CHECK(!ElfImage::open(std::string_view(bytes).substr(0, bytes.size() - 1)));
    CHECK(!ElfImage::open("\x7f"
                          "ELF"));
    CHECK(ElfImage::text(std::string_view("a\0bc\0", 5), 2) == "bc");
    CHECK(ElfImage::text("bc", 1) == "c");
    CHECK(ElfImage::text("bc", 2).empty());
}

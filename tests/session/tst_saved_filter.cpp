#include "explore/saved_filter.h"

#include <doctest/doctest.h>

using namespace aotscope;
using session::SavedFilter;

namespace {

session::SavedTensor attention() {
    session::SavedTensor tensor;
    tensor.name = "mm_3";
    tensor.bytes = 2'000'000;
    tensor.dtype = "bfloat16";
    tensor.shape = "[8, 128, s77]";
    tensor.reason = "saved: relu cannot fuse with it";
    tensor.module = "layers.0.attn.out_proj";
    tensor.source = "/home/me/model.py:41";
    tensor.from = 10;
    tensor.last = 90;
    tensor.shareOfPeak = 0.25;
    return tensor;
}

bool chooses(const std::string& line) {
    const auto filter = SavedFilter::parse(line);
    REQUIRE_MESSAGE(filter.ok(), line);
    return filter->matches(attention());
}

base::Error errorOf(const std::string& line) {
    const auto filter = SavedFilter::parse(line);
    REQUIRE_MESSAGE(!filter.ok(), line);
    return filter.error();
}

} // namespace

TEST_CASE("numbers are compared, with units") {
    for (const char* line :
         {"bytes>1MB", "bytes>=2MB", "bytes<2MiB", "bytes=2000kB", "bytes!=2MiB", "bytes>1e6", "share>20%",
          "share<=0.25", "from<20", "last>=90", "BYTES>1mb", "bytes==2000000B"}) {
        CAPTURE(line);
        CHECK(chooses(line));
    }
    for (const char* line : {"bytes>2MB", "bytes<1MiB", "share>25%", "from>10", "last<90", "bytes>1GiB"}) {
        CAPTURE(line);
        CHECK_FALSE(chooses(line));
    }
}

TEST_CASE("texts hold a pattern, from where a part begins") {
    for (const char* line : {"module:attn*",
                             "module:attn",
                             "module:layers.?.attn*",
                             "module:*proj",
                             "module:out_proj",
                             "name:mm_?",
                             "dtype:bf16",
                             "dtype:bfloat16",
                             "dtype:b*16",
                             "shape:s77",
                             "shape:\"8, 128\"",
                             "source:model.py:41",
                             "source:model.py*",
                             "category:saved",
                             "reason:FUSE",
                             "mm",
                             "relu",
                             "\"cannot fuse\"",
                             "attn*",
                             ""}) {
        CAPTURE(line);
        CHECK(chooses(line));
    }
    for (const char* line :
         {"module:ttn*", "module:attn?", "dtype:f32", "name:mm_??", "gelu", "\"fuse cannot\""}) {
        CAPTURE(line);
        CHECK_FALSE(chooses(line));
    }
}

TEST_CASE("all terms must hold, and - denies one") {
    CHECK(chooses("bytes>1MB module:attn* dtype:bf16 relu"));
    CHECK_FALSE(chooses("bytes>1MB module:mlp"));
    CHECK(chooses("-module:mlp"));
    CHECK_FALSE(chooses("-module:attn bytes>1MB"));
    CHECK(chooses("  bytes>1MB   -dtype:f32  "));
    CHECK(SavedFilter::parse("   ")->isEmpty());
}

TEST_CASE("what cannot be read is told with its place and what to write") {
    CHECK(errorOf("mm size>1").place.column == 4);
    CHECK(errorOf("size>1").message.find("size") != std::string::npos);
    CHECK(errorOf("size>1").hint.find("bytes") != std::string::npos);
    CHECK(errorOf("bytes>many").message.find("many") != std::string::npos);
    CHECK(errorOf("bytes>1furlong").code == "session.filter");
    CHECK(errorOf("bytes:1").hint.find("bytes>1") != std::string::npos);
    CHECK(errorOf("bytes>").code == "session.filter");
    CHECK(errorOf("module>3").hint.find("module:") != std::string::npos);
    CHECK(errorOf("mm \"open").place.column == 4);
    CHECK(errorOf("-").code == "session.filter");
}

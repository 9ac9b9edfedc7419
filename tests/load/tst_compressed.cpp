#include "load/trace_log.h"

#include "load/whole_file.h"

#include "log_text.h"
#include "support/corpus_case.h"

#include <doctest/doctest.h>

#ifdef AOTSCOPE_HAVE_ZLIB
#include <zlib.h>
#endif

using namespace aotscope::load;
using aotscope::test::problemList;
using aotscope::test::record;
using aotscope::test::recordAt;
using aotscope::test::TemporaryFile;

namespace {

#ifdef AOTSCOPE_HAVE_ZLIB
std::string gzipped(const std::string& text) {
    z_stream stream = {};
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}
#endif

std::string varied() {
    std::string text;
    for (int i = 0; i < 2000; ++i) {
        text += record("\"aot_joint_graph\": {}", "graph number " + std::to_string(i * 7919));
    }
    return text;
}

} // namespace

#ifdef AOTSCOPE_HAVE_ZLIB
TEST_CASE("a gz log is told by its content and reads as the plain one") {
    // Two members in one file, as `cat a.gz b.gz` makes.
    const TemporaryFile file(gzipped(varied()) + gzipped(varied()), "plain-name.log");
    const auto log = aotscope::test::readFileOk(file.path());
    CHECK(problemList(*log).empty());
    CHECK(log->recordCount() == 4000);
    CHECK(log->payload(recordAt(1)) == "graph number 7919");
}

TEST_CASE("of a cut gz log what was there is shown") {
    const std::string whole = gzipped(varied());
    const TemporaryFile file(whole.substr(0, whole.size() / 2));
    const auto log = aotscope::test::readFileOk(file.path());
    CHECK(log->recordCount() > 100);
    CHECK(log->recordCount() < 2000);
    CHECK(problemList(*log).find("load.decompress") != std::string::npos);
}

TEST_CASE("any packed file is given as plain bytes, whole or its start") {
    const std::string plain = varied();
    const TemporaryFile file(gzipped(plain));
    const TemporaryFile unpacked(plain);
    aotscope::base::Progress progress;
    for (const auto& path : {file.path(), unpacked.path()}) {
        CHECK(readStart(path, 1000) == plain.substr(0, 1000));
        CHECK(readWhole(path, plain.size(), progress).value() == plain);
        CHECK(!readWhole(path, plain.size() - 1, progress));
    }
    const std::string whole = gzipped(plain);
    const TemporaryFile cut(whole.substr(0, whole.size() / 2));
    CHECK(readStart(cut.path(), 1000) == plain.substr(0, 1000));
    CHECK(readWhole(cut.path(), plain.size(), progress).error().code == "load.decompress");
    CHECK(readStart("/no/such/file", 1000).empty());
    CHECK(readWhole("/no/such/file", 1000, progress).error().code == "load.open");
}

TEST_CASE("a damaged gz log ends at the damage") {
    std::string bytes = gzipped(varied());
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) {
        bytes[i] = static_cast<char>(~bytes[i]);
    }
    const TemporaryFile file(bytes);
    const auto log = aotscope::test::readFileOk(file.path());
    CHECK(log->recordCount() > 100);
    CHECK(problemList(*log).find("load.decompress") != std::string::npos);
}

TEST_CASE("a file that unpacks beyond the limit is refused and the limit named") {
    const TemporaryFile file(gzipped(record("\"x\": {}") + std::string(8U << 20U, 'x')));
    ReadOptions options;
    options.maxUnpackedBytes = 1'000'000;
    const auto log = TraceLog::read(file.path(), options);
    REQUIRE(!log.ok());
    CHECK(log.error().code == "load.decompress");
    CHECK(log.error().message.find("1000000") != std::string::npos);
    CHECK(log.error().place.file == file.path().string());
}

TEST_CASE("a gz file of something else is no trace log") {
    const TemporaryFile file(gzipped("just text\n"));
    const auto log = TraceLog::read(file.path());
    REQUIRE(!log.ok());
    CHECK(log.error().code == "load.not_a_trace_log");
}
#endif

#ifdef AOTSCOPE_HAVE_LZMA
TEST_CASE("an xz log of the corpus reads, whole and cut" * aotscope::test::needsCorpus()) {
    const auto path =
        aotscope::test::corpusDir() / "traces/gpt2_12l/dedicated_log_torch_trace_gpt2_12l.log.xz";
    ReadOptions options;
    options.verifyPayloads = true;
    const auto whole = aotscope::test::readFileOk(path, options);
    CHECK(problemList(*whole).empty());
    CHECK(whole->compiles().size() > 5);

    const std::string bytes = aotscope::test::readFile(path);
    const TemporaryFile file(bytes.substr(0, bytes.size() / 2));
    const auto cut = aotscope::test::readFileOk(file.path());
    CHECK(cut->recordCount() > 10);
    CHECK(cut->recordCount() < whole->recordCount());
    CHECK(problemList(*cut).find("load.decompress") != std::string::npos);
}

TEST_CASE("a file that only claims to be xz is refused") {
    const TemporaryFile file(std::string_view("\xfd"
                                              "7zXZ\0nonsense",
                                              14));
    CHECK(!TraceLog::read(file.path()).ok());
}
#endif

#include "load/tensor_file.h"
#include "load/tensor_formats.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

using namespace aotscope;

namespace {

std::string fileOf(const std::string& header, const std::string& data = {}) {
    std::string bytes;
    for (std::size_t i = 0, rest = header.size(); i < 8; ++i, rest >>= 8) {
        bytes.push_back(static_cast<char>(rest & 0xff));
    }
    return bytes + header + data;
}

std::string messageOf(const std::string& bytes) {
    auto tensors = load::parseSafetensors(bytes);
    REQUIRE(!tensors.ok());
    CHECK(tensors.error().code == "load.not_safetensors");
    return tensors.error().message;
}

} // namespace

TEST_CASE("a safetensors file reads back as it was written") {
    const load::StoredTensors tensors{
        {"a \"quoted\" name", {"float32", {2}, std::string("\0\0\x80\x3f\0\0\0\x40", 8)}},
        {"empty", {"int64", {0, 3}, ""}},
        {"scalar", {"bool", {}, std::string(1, '\1')}}};
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / "aotscope_tst_safetensors.bin";
    REQUIRE(load::writeSafetensors(file, tensors).ok());
    const auto read = load::readTensorFile(file);
    std::filesystem::remove(file);
    REQUIRE(read.ok());
    CHECK(*read == tensors);
}

TEST_CASE("metadata beside the tensors is no tensor") {
    const auto tensors = load::parseSafetensors(fileOf(
        R"({"__metadata__":{"format":"pt"},"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab"));
    REQUIRE(tensors.ok());
    CHECK(tensors->size() == 1);
    CHECK(tensors->at("x").bytes == "ab");
}

TEST_CASE("broken safetensors files are refused with the reason") {
    CHECK(messageOf("") != "");
    CHECK(messageOf(std::string(8, '\xff')) != "");
    CHECK(messageOf(fileOf("{")) != "");
    CHECK(messageOf(fileOf("[]")) != "");
    CHECK(messageOf(fileOf(std::string(100'000, '['))) != "");
    const auto entry = [](const std::string& rest) { return fileOf("{\"x\":{" + rest + "}}", "abcd"); };
    CHECK(messageOf(entry(R"("shape":[1],"data_offsets":[0,4])")).find("\"x\"") != std::string::npos);
    CHECK(messageOf(entry(R"("dtype":"F99","shape":[1],"data_offsets":[0,4])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4])")) != "");
    CHECK(messageOf(entry(R"("dtype":"F32","shape":[1],"data_offsets":["0","4"])")) != "");
}

TEST_CASE("a tensor whose bytes do not fit its shape is not written") {
    const auto written =
        load::writeSafetensors(std::filesystem::temp_directory_path() / "aotscope_never_written.bin",
                               {{"x", {"float32", {2}, "abc"}}});
    REQUIRE(!written.ok());
    CHECK(written.error().code == "load.not_safetensors");
}

TEST_CASE("what is no file is refused instead of waited for") {
    const std::filesystem::path pipe =
        std::filesystem::temp_directory_path() / ("aotscope-pipe-" + std::to_string(::getpid()));
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::filesystem::path& path :
         {pipe, std::filesystem::path("/dev/zero"), std::filesystem::temp_directory_path(),
          pipe.parent_path() / "aotscope_missing.safetensors"}) {
        CAPTURE(path.string());
        const auto read = load::readTensorFile(path);
        REQUIRE(!read.ok());
        CHECK(read.error().code == "load.open");
        CHECK(read.error().place.file == path.string());
    }
    std::filesystem::remove(pipe);
}

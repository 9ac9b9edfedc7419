// Arrays that numpy and safetensors wrote (make_arrays.py), and damaged ones.
#include "load/tensor_file.h"
#include "load/tensor_formats.h"
#include "support/corpus.h"
#include "support/found_libraries.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace aotscope;

namespace {

std::filesystem::path arrayFile(const std::string& name) {
    return std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "tests/load/arrays" / name;
}

load::StoredTensor array(const std::string& name) {
    auto read = load::readTensorFile(arrayFile(name), "x");
    REQUIRE_MESSAGE(read.ok(), read.error().text());
    return std::move(read->at("x"));
}

template<typename T>
std::vector<T> numbersOf(const load::StoredTensor& tensor) {
    std::vector<T> numbers(tensor.bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), tensor.bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

template<typename T>
std::vector<T> counted(std::size_t count) {
    std::vector<T> numbers(count);
    std::iota(numbers.begin(), numbers.end(), T(0));
    return numbers;
}

std::string refused(const std::string& bytes) {
    const auto read = load::parseNpy(bytes);
    REQUIRE(!read.ok());
    CHECK(read.error().code == "load.not_npy");
    return read.error().message;
}

/// A file of version 1 with this header.
std::string npyOf(const std::string& header, const std::string& data = {}) {
    return std::string(load::npyMagic) + std::string("\1\0", 2) + static_cast<char>(header.size() & 0xff) +
           static_cast<char>(header.size() >> 8) + header + data;
}

bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("arrays of numpy are read in C order and little-endian, whatever their file has") {
    const std::vector<std::int64_t> twoByThree{2, 3};
    CHECK(array("c_order.npy").shape == twoByThree);
    CHECK(array("c_order.npy").dtype == "float32");
    CHECK(numbersOf<float>(array("c_order.npy")) == counted<float>(6));
    CHECK(array("fortran_order.npy") == array("c_order.npy"));
    CHECK(array("fortran_3d.npy").shape == std::vector<std::int64_t>{2, 3, 4});
    CHECK(numbersOf<std::int16_t>(array("fortran_3d.npy")) == counted<std::int16_t>(24));
    CHECK(array("big_endian.npy").dtype == "int32");
    CHECK(numbersOf<std::int32_t>(array("big_endian.npy")) == counted<std::int32_t>(6));
    CHECK(array("big_endian_complex.npy").dtype == "complex64");
    CHECK(numbersOf<float>(array("big_endian_complex.npy")) ==
          std::vector<float>{0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5});
    CHECK(array("scalar.npy").shape.empty());
    CHECK(numbersOf<double>(array("scalar.npy")) == std::vector<double>{0.1});
    CHECK(array("empty.npy").shape == std::vector<std::int64_t>{0, 3});
    CHECK(array("empty.npy").bytes.empty());
    CHECK(numbersOf<std::uint16_t>(array("one_dimension.npy")) == std::vector<std::uint16_t>{0x3e00, 0xc000});
    CHECK(array("bools.npy") == load::StoredTensor{"bool", {3}, std::string("\1\0\1", 3)});
    CHECK(numbersOf<std::uint16_t>(array("version_2.npy")) == counted<std::uint16_t>(6));
    CHECK(array("version_3.npy") == array("version_2.npy"));
}

TEST_CASE("every dtype of numpy that a tensor can have is written with numpy's own bytes") {
    for (const char* name : {"c_order", "scalar", "empty", "one_dimension", "bools", "type_f8", "type_f4",
                             "type_f2", "type_i8", "type_i4", "type_i2", "type_i1", "type_u8", "type_u4",
                             "type_u2", "type_u1", "type_c16", "type_c8"}) {
        CAPTURE(name);
        const std::string file = std::string(name) + ".npy";
        const auto written = load::npyBytes(array(file));
        REQUIRE(written.ok());
        CHECK(*written == test::readFile(arrayFile(file)));
    }
}

TEST_CASE("arrays that are no tensors are refused with the reason") {
    const auto message = [](const char* name) {
        const auto read = load::readTensorFile(arrayFile(name));
        REQUIRE(!read.ok());
        CHECK(read.error().place.file == arrayFile(name).string());
        return read.error().text();
    };
    CHECK(says(message("fields.npy"), "named fields"));
    CHECK(says(message("text.npy"), "<U2"));
    CHECK(says(message("objects.npy"), "|O"));
    CHECK(says(message("bfloat16.npy"), "safetensors"));
}

TEST_CASE("archives of numpy are read and written") {
    if (!found::hasZip()) {
        return;
    }
    const auto stored = load::readTensorFile(arrayFile("stored.npz"));
    REQUIRE_MESSAGE(stored.ok(), stored.error().text());
    CHECK(stored->size() == 3);
    CHECK(stored->at("x") == array("c_order.npy"));
    CHECK(stored->at("mask").dtype == "bool");
    CHECK(stored->at("empty").shape == std::vector<std::int64_t>{0});
    const auto deflated = load::readTensorFile(arrayFile("deflated.npz"));
    REQUIRE(deflated.ok());
    CHECK(deflated->at("x") == array("c_order.npy"));
    CHECK(deflated->at("zeros").bytes == std::string(8000, '\0'));
    CHECK(load::readTensorFile(arrayFile("positional.npz"))->contains("arr_0"));

    const test::TempFolder folder;
    const auto file = folder.path() / "again.npz";
    REQUIRE(load::writeNpz(file, *stored).ok());
    CHECK(*load::readTensorFile(file) == *stored);
    const std::string once = test::readFile(file);
    REQUIRE(load::writeNpz(file, *stored).ok());
    CHECK(test::readFile(file) == once);
    const auto refusedNpz = load::writeNpz(file, {{"b", {"bfloat16", {1}, "ab"}}});
    REQUIRE(!refusedNpz.ok());
    CHECK(says(refusedNpz.error().message, "\"b\""));
    CHECK(test::readFile(file) == once);
}

TEST_CASE("damaged archives are refused, and one that unpacks to too much") {
    if (!found::hasZip()) {
        return;
    }
    const std::string whole = test::readFile(arrayFile("deflated.npz"));
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        CHECK(!load::parseNpz(whole.substr(0, size)).ok());
    }
    std::string damaged = whole;
    damaged[80] = static_cast<char>(damaged[80] ^ 0x55);
    const auto read = load::parseNpz(damaged);
    REQUIRE(!read.ok());
    CHECK(read.error().code == "load.not_npz");
    CHECK(says(read.error().message, "x.npy"));
    const auto bomb = load::parseNpz(whole, {}, 4000);
    REQUIRE(!bomb.ok());
    CHECK(says(bomb.error().message, "zeros.npy"));
}

TEST_CASE("dtypes that only safetensors has are read, and a folder takes what each format can hold") {
    const auto narrow = load::readTensorFile(arrayFile("narrow.safetensors"));
    REQUIRE(narrow.ok());
    CHECK(narrow->at("bf16").dtype == "bfloat16");
    CHECK(narrow->at("e4m3").dtype == "float8_e4m3fn");
    CHECK(narrow->at("e5m2").dtype == "float8_e5m2");
    const test::TempFolder folder;
    REQUIRE(load::writeTensorFolder(folder.path() / "out", *narrow).ok());
    CHECK(std::filesystem::exists(folder.path() / "out/f16.npy"));
    const auto bf16 = load::readTensorFile(folder.path() / "out/bf16.safetensors");
    REQUIRE(bf16.ok());
    CHECK(bf16->at("bf16") == narrow->at("bf16"));
    const auto escaped = load::writeTensorFolder(folder.path() / "out", {{"../x", narrow->at("f16")}});
    REQUIRE(!escaped.ok());
    CHECK(escaped.error().code == "load.write");
}

TEST_CASE("broken .npy files are refused with the place") {
    const auto header = [](const std::string& rest) { return npyOf("{" + rest + "}\n", "abcd"); };
    CHECK(load::parseNpy(header("'descr': '<f4', 'fortran_order': False, 'shape': ()")).ok());
    CHECK(load::parseNpy(header("\"shape\":(1),\"descr\":'<f4','fortran_order':True,")).ok());
    CHECK(says(refused(""), "begin"));
    CHECK(says(refused(std::string("\x93NUMPY\x09\0\0\0\0\0", 12)), "version 9"));
    CHECK(says(refused(npyOf("{").substr(0, 10)), "begin"));
    CHECK(says(refused(npyOf("{        }").substr(0, 15)), "more than the file has"));
    CHECK(says(refused(npyOf(std::string(20'000, ' '))), "header"));
    CHECK(says(refused(npyOf("[]")), "at byte 10"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False")), "lacks"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1")), "\"x\""));
    CHECK(
        says(refused(header("'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': ()")), "shape"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': 0, 'shape': ()")), "True nor False"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False, 'shape': (-1,)")), "sizes"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False, 'shape': (2,)")), "need 8"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False, "
                              "'shape': (4611686018427387904, 4611686018427387904)")),
               "more than 2^64"));
    CHECK(says(refused(header("'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)")),
               "sizes"));
    CHECK(says(refused(header("'descr': '<f3', 'fortran_order': False, 'shape': ()")), "<f3"));
    CHECK(says(refused(header("'descr': <f4', 'fortran_order': False, 'shape': ()")), "descr"));
    CHECK(says(refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "abcd")), "follows"));
}

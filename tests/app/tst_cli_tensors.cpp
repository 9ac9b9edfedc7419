// Tensors through the command line and back: what goes into a run comes out of it bit for bit.
#include "app/cli_support.h"
#include "support/found_libraries.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>

using namespace aotscope;
using test::cli;
using Json = nlohmann::json;

namespace {

/// One input of the program below.
struct Sample {
    /// As in a graph's annotations, and as safetensors calls it.
    std::string annotation;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string bytes;
    /// Whether NumPy has this dtype.
    bool isNumpys = true;
};

template<typename Number>
std::string bytesOf(std::initializer_list<Number> numbers) {
    return {reinterpret_cast<const char*>(std::data(numbers)), numbers.size() * sizeof(Number)};
}

/// With what is lost when a number is read as a number: NaNs with a payload, a negative zero, numbers below
/// the smallest normal one, the ends of the ranges.
std::vector<Sample> samples() {
    return {
        {"f32",
         "F32",
         {2, 3},
         bytesOf<std::uint32_t>({0x7fc12345, 0xff800001, 0x80000000, 1, 0x7f800000, 0x3f800001})},
        {"f64",
         "F64",
         {4},
         bytesOf<std::uint64_t>({0x7ff8000000abcdef, 0x8000000000000000, 1, 0xfff0000000000000})},
        {"f16", "F16", {3}, bytesOf<std::uint16_t>({0x7e01, 0x8000, 0x0001})},
        {"bf16", "BF16", {3}, bytesOf<std::uint16_t>({0x7fc1, 0x8000, 0x0001}), false},
        {"i64",
         "I64",
         {2},
         bytesOf<std::int64_t>({std::numeric_limits<std::int64_t>::min(), 9007199254740993})},
        {"i32", "I32", {1, 2}, bytesOf<std::int32_t>({std::numeric_limits<std::int32_t>::min(), 16777217})},
        {"i16", "I16", {2}, bytesOf<std::int16_t>({-32768, 32767})},
        {"i8", "I8", {2}, bytesOf<std::int8_t>({-128, 127})},
        {"u8", "U8", {3}, bytesOf<std::uint8_t>({0, 10, 255})},
        {"b8", "BOOL", {2}, bytesOf<std::uint8_t>({1, 0})},
        {"f32", "F32", {}, bytesOf<std::uint32_t>({0xffc00001})},
        {"f32", "F32", {0, 4}, {}},
    };
}

std::string listText(const std::vector<std::int64_t>& numbers) {
    return Json(numbers).dump();
}

/// Strides of a contiguous tensor.
std::vector<std::int64_t> stridesOf(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
    }
    return strides;
}

/// A graph that copies each of its inputs.
std::string copyingGraph(const std::vector<Sample>& all) {
    std::string inputs;
    std::string body;
    std::string returned;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string number = i == 0 ? "" : "_" + std::to_string(i);
        const std::string type =
            "\"" + all[i].annotation + listText(all[i].shape) + listText(stridesOf(all[i].shape)) + "cpu\"";
        const std::string input = "arg" + std::to_string(i) + "_1";
        inputs += ", " + input + ": " + type;
        body += "        clone" + number + ": " + type + " = torch.ops.aten.clone.default(" + input + ");  " +
                input + " = None\n";
        returned += (i == 0 ? "" : ", ") + std::string("clone") + number;
    }
    return "class <lambda>(torch.nn.Module):\n    def forward(self" + inputs + "):\n" + body +
           "        return (" + returned + ")\n        \n";
}

std::string safetensors(const std::vector<Sample>& all) {
    Json header = Json::object();
    std::string data;
    for (std::size_t i = 0; i < all.size(); ++i) {
        header["arg" + std::to_string(i) + "_1"] = {
            {"dtype", all[i].dtype},
            {"shape", all[i].shape},
            {"data_offsets", {data.size(), data.size() + all[i].bytes.size()}}};
        data += all[i].bytes;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return bytesOf<std::uint64_t>({text.size()}) + text + data;
}

/// What a safetensors file says of output `index`, and its bytes.
Sample stored(const std::string& file, std::size_t index) {
    std::uint64_t length = 0;
    REQUIRE(file.size() > sizeof(length));
    std::memcpy(&length, file.data(), sizeof(length));
    const Json header = Json::parse(file.substr(8, length));
    const Json& one = header.at("output_" + std::to_string(index));
    const std::size_t from = one.at("data_offsets").at(0);
    const std::size_t to = one.at("data_offsets").at(1);
    return {"", one.at("dtype"), one.at("shape"), file.substr(8 + length + from, to - from)};
}

void checkEqual(const std::string& file, const std::vector<Sample>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        INFO("output ", i, " ", all[i].dtype);
        const Sample out = stored(file, i);
        CHECK(out.dtype == all[i].dtype);
        CHECK(out.shape == all[i].shape);
        CHECK(out.bytes == all[i].bytes);
    }
}

struct Bench {
    test::TempFolder folder;
    std::vector<Sample> all;
    std::string graph;

    explicit Bench(std::vector<Sample> samples)
        : all(std::move(samples)), graph(folder.write("copies.txt", copyingGraph(all)).string()) {}

    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    /// Runs the graph; `out` is written.
    void run(std::vector<std::string> inputs, const std::string& out,
             std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments = {"run", graph, "--outputs", path(out)};
        for (std::string& input : inputs) {
            arguments.insert(arguments.end(), {"--inputs", std::move(input)});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto ran = cli(arguments);
        INFO(ran.err);
        REQUIRE(ran.code == 0);
    }
};

std::string nodeName(std::size_t index) {
    return index == 0 ? "clone" : "clone_" + std::to_string(index);
}

} // namespace

TEST_CASE("a safetensors file goes in, arrays come out, go in again, and are what they were") {
    const Bench bench(samples());
    const std::string given = bench.folder.write("in.safetensors", safetensors(bench.all)).string();
    bench.run({given}, "first.safetensors");
    checkEqual(test::readFile(bench.path("first.safetensors")), bench.all);
    bench.run({given}, "arrays");
    std::vector<std::string> again;
    for (std::size_t i = 0; i < bench.all.size(); ++i) {
        const std::string name = "output_" + std::to_string(i);
        again.push_back("arg" + std::to_string(i) + "_1=" + bench.path("arrays/" + name) +
                        (bench.all[i].isNumpys ? ".npy" : ".safetensors"));
    }
    bench.run(again, "second.safetensors");
    checkEqual(test::readFile(bench.path("second.safetensors")), bench.all);
}

TEST_CASE("the value of any node goes through .npy and .npz bit for bit") {
    if (!found::hasZip()) {
        return;
    }
    std::vector<Sample> numpys = samples();
    std::erase_if(numpys, [](const Sample& sample) { return !sample.isNumpys; });
    const Bench bench(std::move(numpys));
    const std::string given = bench.folder.write("in.safetensors", safetensors(bench.all)).string();
    std::vector<std::string> more;
    std::vector<std::string> archives;
    for (std::size_t i = 0; i < bench.all.size(); ++i) {
        const std::string number = std::to_string(i);
        more.insert(more.end(), {"--value", nodeName(i) + "=" + bench.path("value" + number + ".npz")});
        archives.push_back("arg" + number + "_1=" + bench.path("value" + number + ".npz"));
    }
    bench.run({given}, "out.npz", more);
    bench.run(archives, "again.safetensors");
    checkEqual(test::readFile(bench.path("again.safetensors")), bench.all);
    std::vector<std::string> arrays;
    for (std::string& text : more) {
        if (text.ends_with(".npz")) {
            text.replace(text.size() - 4, 4, ".npy");
        }
    }
    for (std::string text : archives) {
        arrays.push_back(text.replace(text.size() - 4, 4, ".npy"));
    }
    bench.run({given}, "out.npz", more);
    bench.run(arrays, "third.safetensors");
    checkEqual(test::readFile(bench.path("third.safetensors")), bench.all);
}

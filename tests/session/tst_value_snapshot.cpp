// What is cut out of a value: tables, heat maps, images.
#include "runs/value_snapshot.h"

#include "aot/tensor_elements.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace aotscope;

namespace {

session::NodeValue counted(std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) {
        count *= static_cast<std::size_t>(size);
    }
    std::vector<float> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0.F);
    session::NodeTensor tensor{{"float32", std::move(shape), std::string(count * sizeof(float), '\0')}, {}};
    std::memcpy(tensor.data.bytes.data(), numbers.data(), tensor.data.bytes.size());
    tensor.summary.dtype = "float32";
    tensor.summary.shape = tensor.data.shape;
    tensor.summary.minimum = 0;
    tensor.summary.maximum = static_cast<double>(count) - 1;
    session::NodeValue value;
    value.tensors.push_back(std::move(tensor));
    return value;
}

session::ValueSnapshot viewed(const session::NodeValue& value, const session::ValueWindow& window = {}) {
    auto made = session::viewValue(value, window);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    return std::move(made).value();
}

aot::TensorData bytesOf(std::string dtype, std::string bytes) {
    return {std::move(dtype), {}, std::move(bytes)};
}

} // namespace

TEST_CASE("a table shows a window of the plane of two dimensions") {
    const auto value = counted({2, 3, 4});
    const auto whole = viewed(value);
    CHECK(whole.planeRows == 3);
    CHECK(whole.planeColumns == 4);
    CHECK(whole.table.cells.front() == "0");
    CHECK(whole.table.cells.back() == "11");
    session::ValueWindow window;
    window.rowDimension = 0;
    window.columnDimension = 1;
    window.fixed = {0, 0, 3};
    const auto other = viewed(value, window);
    CHECK(other.table.cells == std::vector<std::string>{"3", "7", "11", "15", "19", "23"});
    window = {};
    window.fixed = {1};
    window.firstRow = 1;
    window.rows = 1;
    window.firstColumn = 2;
    window.columns = 100;
    CHECK(viewed(value, window).table.cells == std::vector<std::string>{"18", "19"});
}

TEST_CASE("a window beyond the tensor ends at its last element, and a wrong dimension is an error") {
    const auto value = counted({2, 3});
    session::ValueWindow window;
    window.firstRow = 99;
    window.firstColumn = -5;
    const auto shown = viewed(value, window);
    CHECK(shown.window.firstRow == 1);
    CHECK(shown.table.cells == std::vector<std::string>{"3", "4", "5"});
    window.rowDimension = 2;
    const auto wrong = session::viewValue(value, window);
    REQUIRE(!wrong.ok());
    CHECK(wrong.error().code == "value.window");
    CHECK(!session::viewValue({}, {}).ok());
}

TEST_CASE("tensors without, with one, and with no elements are shown") {
    CHECK(viewed(counted({})).table.cells == std::vector<std::string>{"0"});
    const auto row = viewed(counted({3}));
    CHECK(row.planeRows == 1);
    CHECK(row.table.cells == std::vector<std::string>{"0", "1", "2"});
    const auto empty = viewed(counted({0, 3}));
    CHECK(empty.table.cells.empty());
    CHECK(empty.heatMap.cells.empty());
    // The number of cells is bounded whatever is asked.
    session::ValueWindow window;
    window.rows = window.columns = std::numeric_limits<std::int64_t>::max();
    CHECK(viewed(counted({600, 600}), window).table.cells.size() <= 65536);
}

TEST_CASE("a heat map has the mean of the elements in each cell") {
    const auto small = viewed(counted({2, 2}));
    CHECK(small.heatMap.cells == std::vector<double>{0, 1, 2, 3});
    CHECK(small.heatMap.greatest == 3);
    const auto large = viewed(counted({512, 512}));
    CHECK(large.heatMap.rows == 256);
    // Elements 0, 1, 512 and 513.
    CHECK(large.heatMap.cells[0] == 256.5);
    auto broken = counted({1, 3});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(broken.tensors[0].data.bytes.data(), &nan, sizeof nan);
    CHECK(std::isnan(viewed(broken).heatMap.cells[0]));
    CHECK(viewed(broken).heatMap.least == 1);
}

TEST_CASE("what looks like an image is one, channels first or last") {
    const auto first = viewed(counted({3, 4, 5}));
    REQUIRE(first.image);
    CHECK(first.image->width == 5);
    CHECK(first.image->height == 4);
    CHECK(first.image->channels == 3);
    // The first pixel has elements 0, 20 and 40 of 0 to 59.
    CHECK(first.image->pixels[0] == 0);
    CHECK(first.image->pixels[1] == std::lround(20.0 / 59 * 255));
    CHECK(viewed(counted({4, 5, 3})).image->channels == 3);
    CHECK(viewed(counted({2, 1, 8, 8})).image->channels == 1);
    CHECK(!viewed(counted({2, 8, 8})).image);
    CHECK(!viewed(counted({8, 8})).image);
}

TEST_CASE("elements of every dtype are read as their numbers") {
    const auto number = [](const std::string& dtype, const std::string& bytes) {
        const aot::TensorData data = bytesOf(dtype, bytes);
        return aot::TensorElements(data).number(0);
    };
    const auto text = [](const std::string& dtype, const std::string& bytes) {
        const aot::TensorData data = bytesOf(dtype, bytes);
        return aot::TensorElements(data).text(0);
    };
    CHECK(number("float16", std::string("\x00\x3e", 2)) == 1.5);
    CHECK(number("float16", std::string("\x01\x00", 2)) == std::ldexp(1.0, -24));
    CHECK(number("bfloat16", std::string("\xc0\xbf", 2)) == -1.5);
    CHECK(std::isinf(number("bfloat16", std::string("\x80\x7f", 2))));
    // Largest values of the 8-bit floats: 448, 57344, 240, 57344.
    CHECK(number("float8_e4m3fn", "\x7e") == 448);
    CHECK(std::isnan(number("float8_e4m3fn", "\x7f")));
    CHECK(number("float8_e5m2", "\x7b") == 57344);
    CHECK(std::isinf(number("float8_e5m2", "\x7c")));
    CHECK(number("float8_e4m3fnuz", "\x7f") == 240);
    CHECK(std::isnan(number("float8_e4m3fnuz", "\x80")));
    CHECK(number("float8_e5m2fnuz", "\x7f") == 57344);
    CHECK(number("float8_e8m0fnu", "\x7f") == 1);
    CHECK(text("int64", std::string(8, '\xff')) == "-1");
    CHECK(text("uint64", std::string(8, '\xff')) == "18446744073709551615");
    CHECK(text("bool", "\1") == "True");
    CHECK(text("complex64", std::string("\0\0\x80\x3f\0\0\0\xc0", 8)) == "1-2j");
    const aot::TensorData packed = bytesOf("quint4x2", "ab");
    CHECK(!aot::TensorElements(packed).known());
    CHECK(aot::TensorElements(packed).count() == 0);
}

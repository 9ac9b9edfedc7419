// Arbitrary bytes of another process are messages and values, or an error with a reason. A value that was
// read is written and read back the same.
#include "remote/message.h"
#include "remote/values.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

using namespace aotscope;

void expect(bool condition) {
    if (!condition) {
        std::abort();
    }
}

template<typename T>
void readAs(std::string_view body) {
    const auto read = remote::decode<T>(body);
    if (!read) {
        expect(!read.error().code.empty() && !read.error().message.empty());
        return;
    }
    const std::string written = remote::encode(*read);
    const auto again = remote::decode<T>(written);
    expect(again.ok() && remote::encode(*again) == written);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) { // NOLINT: libFuzzer's name
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    remote::MessageReader reader(std::uint64_t{1} << 20U);
    std::vector<remote::Message> messages;
    const auto read = reader.read(bytes, messages);
    expect(read.ok() || !read.error().message.empty());
    readAs<remote::Failure>(bytes);
    readAs<session::RetraceCall>(bytes);
    readAs<session::PauseAnswer>(bytes);
    readAs<session::TracePause>(bytes);
    readAs<aot::RetraceResult>(bytes);
    return 0;
}

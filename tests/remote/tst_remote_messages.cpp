// The wire: messages in pieces of any size, and bytes that are none.
#include "remote/message.h"
#include "remote/values.h"

#include "base/child_process.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace aotscope;
using remote::Message;
using remote::MessageKind;

namespace {

/// The bytes that these messages are on the wire.
std::string wireBytes(const std::vector<Message>& messages) {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    std::jthread writer([&] {
        for (const Message& message : messages) {
            CHECK(remote::writeMessage(pair->theirs.get(), message).ok());
        }
        pair->theirs.close();
    });
    std::string bytes;
    std::array<char, 1000> buffer;
    for (ssize_t got = 1; got > 0;) {
        got = ::read(pair->ours.get(), buffer.data(), buffer.size());
        bytes.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    return bytes;
}

const std::vector<Message>& someMessages() {
    static const std::vector<Message> messages = {{MessageKind::Hello, 0, "first"},
                                                  {MessageKind::Call, 1, std::string(300'000, '\xFF')},
                                                  {MessageKind::Stop, 0xFEDCBA9876543210U, ""},
                                                  {MessageKind::Failure, 7, std::string("\0aotw\0", 6)}};
    return messages;
}

/// What is wrong with a body; empty: nothing.
std::string refusal(std::string_view bytes) {
    const auto read = remote::decode<std::vector<std::string>>(bytes);
    return read ? "" : read.error().message;
}

} // namespace

TEST_CASE("messages arrive whole, whatever pieces their bytes come in") {
    const std::string bytes = wireBytes(someMessages());
    for (const std::size_t piece : {1UL, 7UL, 24UL, 4096UL, bytes.size()}) {
        remote::MessageReader reader;
        std::vector<Message> messages;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            REQUIRE(reader.read(std::string_view(bytes).substr(at, piece), messages).ok());
        }
        CHECK(messages == someMessages());
        CHECK(reader.end().ok());
    }
}

TEST_CASE("a stream that ends within a message is cut off, and the error says where") {
    const std::string bytes = wireBytes({{MessageKind::Hello, 0, "12345"}, {MessageKind::Stop, 1, "6"}});
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        remote::MessageReader reader;
        std::vector<Message> messages;
        REQUIRE(reader.read(bytes.substr(0, length), messages).ok());
        const bool isBetween = length == 0 || length == 29 || length == bytes.size();
        CHECK(reader.end().ok() == isBetween);
        if (!isBetween) {
            CHECK(reader.end().error().code == "remote.cut_off");
            CHECK(reader.end().error().message.find(length < 29 ? "byte 0 " : "byte 29 ") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("what is no message, of no known kind or too large is refused") {
    std::vector<Message> messages;
    std::string bytes = wireBytes({{MessageKind::Hello, 0, "x"}});
    auto read = remote::MessageReader().read(bytes + "Downloading weights: 100%", messages);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == "remote.not_a_message");
    CHECK(read.error().message.find("byte 25 ") != std::string::npos);
    bytes[4] = 77;
    read = remote::MessageReader().read(bytes, messages);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message.find("kind 77") != std::string::npos);
    bytes[4] = 0;
    CHECK_FALSE(remote::MessageReader().read(bytes, messages).ok());
    const std::string large = wireBytes({{MessageKind::Call, 1, std::string(101, 'x')}});
    read = remote::MessageReader(100).read(large, messages);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == "remote.too_large");
    CHECK(remote::MessageReader(101).read(large, messages).ok());
}

TEST_CASE("a size that is announced sets no memory aside") {
    std::string bytes = wireBytes({{MessageKind::Call, 1, "x"}}).substr(0, 24);
    bytes[16] = bytes[17] = bytes[18] = bytes[19] = '\xFF';
    remote::MessageReader reader;
    std::vector<Message> messages;
    REQUIRE(reader.read(bytes, messages).ok());
    CHECK(messages.empty());
    CHECK(reader.end().error().code == "remote.cut_off");
}

TEST_CASE("writing to a process that is gone is an error, not a signal") {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    pair->theirs.close();
    const auto wrote =
        remote::writeMessage(pair->ours.get(), {MessageKind::Stop, 1, std::string(10'000, 'x')});
    REQUIRE_FALSE(wrote.ok());
    CHECK(wrote.error().code == "remote.not_sent");
}

TEST_CASE("writing to a process that does not read ends when it is no longer wanted") {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    int asked = 0;
    const auto wrote = remote::writeMessage(
        pair->ours.get(), {MessageKind::Call, 1, std::string(10'000'000, 'x')}, [&] { return ++asked < 3; });
    CHECK(asked == 3);
    REQUIRE_FALSE(wrote.ok());
    CHECK(wrote.error().code == "remote.not_sent");
}

TEST_CASE("bodies are MessagePack of bounded depth") {
    using namespace std::string_view_literals;
    // {"value": ["a"], "graphs": []}
    constexpr auto whole = "\x82\xA5value\x91\xA1\x61\xA6graphs\x90"sv;
    CHECK(refusal(whole) == "");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK(refusal(whole.substr(0, length)) != "");
    }
    CHECK(refusal(std::string(whole) + '\x01').find("end of input") != std::string::npos);
    CHECK(refusal("\x81\x01\x01"sv) != "");
    for (const char lengths : {'\xDB', '\xC6', '\xDD', '\xDF'}) {
        CHECK(refusal(lengths + std::string(4, '\xFF')) != "");
    }
    const std::string nested(remote::mostNesting, '\x91');
    CHECK(refusal(nested + "\x01").find("no object") != std::string::npos);
    CHECK(refusal(nested + "\x91\x01").find("too deeply") != std::string::npos);
    CHECK(refusal(std::string(1'000'000, '\x91')).find("too deeply") != std::string::npos);
}

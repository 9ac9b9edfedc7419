// The engine's side of a conversation with anything but this program.
#include "support/fake_backend.h"
#include "support/small_graphs.h"

#include "remote/message.h"
#include "remote/serve.h"
#include "remote/values.h"

#include "base/child_process.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <sys/socket.h>
#include <thread>

using namespace aotscope;

namespace {

/// What an engine that is sent these bytes says before it hangs up.
std::vector<remote::Message> saidTo(std::string_view bytes, base::Result<void>& ended) {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    std::jthread engine([&] {
        ended = remote::serve(pair->theirs.get(), pair->theirs.get(),
                              test::fakeBackendFactory(std::make_shared<test::FakeBackendControl>()));
        pair->theirs.close();
    });
    while (!bytes.empty()) {
        const ssize_t sent = ::send(pair->ours.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) {
            break;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    ::shutdown(pair->ours.get(), SHUT_WR);
    remote::MessageReader reader;
    std::vector<remote::Message> messages;
    std::array<char, 4096> buffer;
    for (ssize_t got = 1; got > 0;) {
        got = ::recv(pair->ours.get(), buffer.data(), buffer.size(), 0);
        REQUIRE(
            reader.read({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, messages).ok());
    }
    return messages;
}

} // namespace

TEST_CASE("an engine that is sent anything says what is wrong and gives up") {
    base::Result<void> ended;
    auto messages = saidTo("GET / HTTP/1.1\r\nHost: engine\r\n\r\n", ended);
    REQUIRE_FALSE(ended.ok());
    CHECK(ended.error().code == "remote.not_a_message");
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].kind == remote::MessageKind::Hello);
    CHECK(messages[1].kind == remote::MessageKind::Failure);
    CHECK(messages[1].call == 0);
    CHECK(remote::decode<remote::Failure>(messages[1].body)->error.code == "remote.not_a_message");
    messages = saidTo("aot", ended);
    CHECK(ended.error().code == "remote.cut_off");
    messages = saidTo("", ended);
    CHECK(ended.ok());
    CHECK(messages.size() == 1);
}

TEST_CASE("an engine answers calls with damaged bodies with failures") {
    const std::string body =
        remote::encode(remote::RunCall{ir::parseGraphText(test::smallGraphText()).value(), {}});
    std::mt19937 random(3); // NOLINT: the same bytes each time
    int failures = 0;
    for (int times = 0; times < 200; ++times) {
        std::string changed = body.substr(0, random() % body.size());
        if (!changed.empty()) {
            changed[random() % changed.size()] = static_cast<char>(random());
        }
        auto pair = base::SocketPair::make();
        REQUIRE(pair);
        REQUIRE(remote::writeMessage(pair->ours.get(), {remote::MessageKind::Run, 1, changed}).ok());
        std::string bytes(1 << 16, '\0');
        bytes.resize(static_cast<std::size_t>(::recv(pair->theirs.get(), bytes.data(), bytes.size(), 0)));
        base::Result<void> ended;
        const auto messages = saidTo(bytes, ended);
        CHECK(ended.ok());
        for (const remote::Message& message : messages) {
            failures += message.kind == remote::MessageKind::Failure && message.call == 1 ? 1 : 0;
        }
    }
    CHECK(failures == 200);
}

#include "remote/message.h"

#include "base/little_endian.h"
#include "contract/backend.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <variant>

namespace aotscope::remote {

namespace {

constexpr std::string_view letters = "aotw";
constexpr std::size_t headSize = 24;
/// What is set aside for a body before its bytes are there: its announced size may be a lie.
constexpr std::uint64_t firstBytes = std::uint64_t{1} << 20U;

base::Error tooLarge(std::uint64_t size, std::uint64_t limit) {
    return {.code = "remote.too_large",
            .message = "A message between the program and its engine has " + std::to_string(size) +
                       " bytes; at most " + std::to_string(limit) + " are allowed.",
            .hint = "Choose a smaller graph, or keep fewer tensors."};
}

/// Sends what the other side takes now. False: nothing, because it does not read.
base::Result<bool> writeSome(int fd, std::string_view& bytes) {
    ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == ENOTSOCK) {
        sent = ::write(fd, bytes.data(), bytes.size());
    }
    if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
        return true;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return false;
    }
    if (errno == EINTR) {
        return true;
    }
    return base::Error{.code = "remote.not_sent",
                       .message =
                           std::string("The other process cannot be written to: ") + std::strerror(errno)};
}

base::Result<void> writeAll(int fd, std::string_view bytes, const std::function<bool()>& goesOn) {
    constexpr int tenthOfASecond = 100;
    while (!bytes.empty()) {
        AOTSCOPE_TRY(wrote, writeSome(fd, bytes));
        if (!wrote) {
            if (goesOn && !goesOn()) {
                return base::Error{.code = "remote.not_sent",
                                   .message = "The other process does not read what it is sent."};
            }
            pollfd room{fd, POLLOUT, 0};
            (void)::poll(&room, 1, tenthOfASecond);
        }
    }
    return {};
}

} // namespace

std::optional<std::size_t> placeOfCall(MessageKind kind) {
    const std::size_t place = static_cast<std::size_t>(kind) - static_cast<std::size_t>(MessageKind::Call);
    return kind >= MessageKind::Call && place < std::variant_size_v<session::AnyCall> ? std::optional(place)
                                                                                      : std::nullopt;
}

std::string_view messageKindName(MessageKind kind) {
    constexpr std::array<std::string_view, 9> names = {"no message", "a stop request", "an answer to a pause",
                                                       "a greeting", "progress",       "a pause",
                                                       "a result",   "a failure",      "a call"};
    return names[std::min(static_cast<std::size_t>(kind), names.size() - 1)];
}

base::Result<void> MessageReader::takeHead() {
    const auto notOne = [this](const std::string& why) {
        return base::Error{.code = "remote.not_a_message",
                           .message = "At byte " + std::to_string(m_position) +
                                      " of what the other process sent " + why + "."};
    };
    if (!m_head.starts_with(letters)) {
        return notOne("no message begins");
    }
    const std::string_view head = m_head;
    const std::uint64_t kind = base::fromLittleEndian(head.substr(4, 4));
    m_message.kind = static_cast<MessageKind>(kind);
    if (m_message.kind < MessageKind::Stop ||
        (m_message.kind > MessageKind::Failure && !placeOfCall(m_message.kind))) {
        return notOne("begins a message of the unknown kind " + std::to_string(kind));
    }
    m_message.call = base::fromLittleEndian(head.substr(8, 8));
    m_size = base::fromLittleEndian(head.substr(16, 8));
    if (m_size > m_limit) {
        return tooLarge(m_size, m_limit);
    }
    m_message.body.clear();
    m_message.body.reserve(std::min(m_size, firstBytes));
    m_inBody = true;
    return {};
}

base::Result<void> MessageReader::read(std::string_view bytes, std::vector<Message>& messages) {
    while (true) {
        std::string& part = m_inBody ? m_message.body : m_head;
        const std::uint64_t wanted = m_inBody ? m_size : headSize;
        const std::size_t taken = std::min<std::uint64_t>(wanted - part.size(), bytes.size());
        part.append(bytes.substr(0, taken));
        bytes.remove_prefix(taken);
        if (part.size() < wanted) {
            return {};
        }
        if (!m_inBody) {
            AOTSCOPE_CHECK(takeHead());
            continue;
        }
        messages.push_back(std::exchange(m_message, {}));
        m_position += headSize + m_size;
        m_head.clear();
        m_inBody = false;
    }
}

base::Result<void> MessageReader::end() const {
    if (!m_inBody && m_head.empty()) {
        return {};
    }
    return base::Error{.code = "remote.cut_off",
                       .message = "The message at byte " + std::to_string(m_position) +
                                  " of what the other process sent is cut off."};
}

base::Result<void> writeMessage(int fd, const Message& message, const std::function<bool()>& goesOn) {
    if (message.body.size() > mostBytes) {
        return tooLarge(message.body.size(), mostBytes);
    }
    std::string head(letters);
    head += base::littleEndian(static_cast<std::uint32_t>(message.kind));
    head += base::littleEndian(message.call);
    head += base::littleEndian(std::uint64_t{message.body.size()});
    AOTSCOPE_CHECK(writeAll(fd, head, goesOn));
    return writeAll(fd, message.body, goesOn);
}

} // namespace aotscope::remote

#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The wire between a program and its engine in another process: messages one after the other over a stream
/// of bytes in each direction. A message is 24 bytes (four letters, kind, number of the call, size of the
/// body, each little-endian) and a body in MessagePack (values.h). Nothing that comes from the other side is
/// trusted: whatever is cut off, oversized or malformed is an error with its place.
namespace aotscope::remote {

/// Grows when a message changes its meaning; the engine names its own in its first message.
inline constexpr std::uint32_t wireVersion = 8;
/// Bytes of a body, at most.
inline constexpr std::uint64_t mostBytes = std::uint64_t{4} << 30U;

enum class MessageKind : std::uint32_t {
    // To the engine.
    /// End the call of that number as soon as possible.
    Stop = 1,
    /// What to do at the Pause of that call.
    PauseAnswer,
    // From the engine.
    /// The first message: the version of the wire.
    Hello,
    Progress,
    /// The call waits for its PauseAnswer. One that measures hooks sends what it has measured so far.
    Pause,
    Result,
    /// The call ended with an error; of call 0: the engine gives up the conversation.
    Failure,
    /// To the engine: begins the first call of session::AnyCall; the next numbers are the other calls. It is
    /// answered by one Result or Failure.
    Call
};
/// The kind that begins a call, by its place in session::AnyCall.
[[nodiscard]] constexpr MessageKind callKind(std::size_t place) {
    return static_cast<MessageKind>(static_cast<std::size_t>(MessageKind::Call) + place);
}
/// The place in session::AnyCall; nothing if the kind begins no call.
[[nodiscard]] std::optional<std::size_t> placeOfCall(MessageKind kind);
/// "a pause", for messages to people.
[[nodiscard]] std::string_view messageKindName(MessageKind kind);

struct Message {
    MessageKind kind = MessageKind::Hello;
    /// The number of the call that it belongs to, from 1; 0: none.
    std::uint64_t call = 0;
    std::string body;
    friend bool operator==(const Message&, const Message&) = default;
};

/// Takes messages out of a stream of bytes that arrives in pieces of any size.
class MessageReader {
public:
    explicit MessageReader(std::uint64_t limit = mostBytes) : m_limit(limit) {}

    /// Appends the messages that these bytes complete. After an error nothing more can be read. Errors:
    /// remote.not_a_message (with the position in the stream), remote.too_large.
    [[nodiscard]] base::Result<void> read(std::string_view bytes, std::vector<Message>& messages);
    /// Whether the stream may end here, that is between two messages. Error: remote.cut_off.
    [[nodiscard]] base::Result<void> end() const;

private:
    [[nodiscard]] base::Result<void> takeHead();

    std::uint64_t m_limit;
    /// Where the message that is being read begins in the stream.
    std::uint64_t m_position = 0;
    std::string m_head;
    Message m_message;
    std::uint64_t m_size = 0;
    bool m_inBody = false;
};

/// Writes a message to a socket or pipe. While the other side does not read, it waits as long as `goesOn` is
/// true (called ten times a second; empty: always). Errors: remote.too_large, remote.not_sent.
[[nodiscard]] base::Result<void> writeMessage(int fd, const Message& message,
                                              const std::function<bool()>& goesOn = {});

} // namespace aotscope::remote

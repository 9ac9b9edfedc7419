#include "session/commands.h"

namespace aotscope::session {

Command::Command() = default;
Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

std::string_view commandName(const Command& command) {
    return std::visit([](const auto& one) { return one.name; }, command);
}

CommandLane laneOf(const Command& command) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.lane; }) {
                return one.lane;
            } else {
                return CommandLane::Reading;
            }
        },
        command);
}

} // namespace aotscope::session

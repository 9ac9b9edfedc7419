#pragma once

#include "remote/message.h"
#include "remote/values.h"

#include <variant>

namespace aotscope::test {

/// What begins call 1 of an engine.
template<typename Call>
remote::Message messageOf(const Call& call) {
    base::Result<typename Call::Answer> none{base::Error{}};
    const session::AnyCall any = session::Asked<Call>{call, none};
    return {remote::callKind(any.index()), 1, remote::encode(call)};
}

} // namespace aotscope::test

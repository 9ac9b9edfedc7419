#pragma once

namespace aotscope::base {

/// Lambdas as one function object for std::visit: one for each alternative.
template<typename... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
template<typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

} // namespace aotscope::base

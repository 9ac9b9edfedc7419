#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aotscope::ir {

/// Creates node names by FX's rules: unique, no Python keyword or builtin, numbered per base name. Follows
/// torch 2.11, torch/fx/graph.py: _Namespace.
class FxNames {
public:
    /// An unused name made from a candidate: "add", "add_1", "sum_1" (`sum` is a builtin).
    std::string create(std::string_view candidate);
    /// As if `base_number` ("add_3", or "add" for 0) had been created.
    void reserve(const std::string& base, std::int64_t number);

private:
    struct Name {
        bool isUsed = false;
        /// As a base: the number that was given last.
        std::int64_t count = 0;
        /// As a base: up to this number, from 1, all are used. A search for a free one need not begin before
        /// it.
        std::int64_t full = 0;
    };
    /// Names that are used, and their bases.
    std::unordered_map<std::string, Name> m_names;
};

/// "rshift" of "__rshift__": the name without the underscores of Python's special methods.
[[nodiscard]] std::string_view withoutMagic(std::string_view name);
/// The candidate that FX makes from a target's name ("logSoftmax" → "log_softmax"). Follows torch 2.11,
/// torch/fx/graph.py: _snake_case.
[[nodiscard]] std::string snakeCase(std::string_view name);

} // namespace aotscope::ir

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aotscope::ir {

/// Creates node names by FX's rules: unique, no Python keyword or builtin, numbered per base name. Follows
/// torch 2.11, torch/fx/graph.py: _Namespace.
class FxNames {
public:
    /// An unused name that begins with a candidate: "add", "add_1", "sum_1" (`sum` is a builtin).
    std::string create(std::string_view candidate);
    /// As if `base_number` ("add_3", or "add" for 0) had been created.
    void reserve(const std::string& base, std::int64_t number);

private:
    /// What is known of a name as a base ("add"). Numbers take no strings: a graph has thousands of "view_…".
    struct Base {
        /// Whether it is used without a number.
        bool isUsed = false;
        /// The last number that create() used.
        std::int64_t count = 0;
        /// From 1 to this one, all numbers are used.
        std::int64_t full = 0;
        /// Other numbers that are used.
        std::set<std::int64_t> others;

        [[nodiscard]] bool uses(std::int64_t number) const;
        void use(std::int64_t number);
    };
    /// Whether a name of any form is used; and marks it.
    [[nodiscard]] bool isUsed(const std::string& name) const;
    void use(const std::string& name);

    std::unordered_map<std::string, Base> m_bases;
};

/// "rshift" of "__rshift__": the name without the underscores of Python's special methods.
[[nodiscard]] std::string_view withoutMagic(std::string_view name);
/// The candidate that FX makes from a target's name ("logSoftmax" → "log_softmax"). Follows torch 2.11,
/// torch/fx/graph.py: _snake_case.
[[nodiscard]] std::string snakeCase(std::string_view name);

} // namespace aotscope::ir

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::ir {

/// Names of nodes by FX's rules (torch.fx.graph._Namespace): unique, no Python keyword or builtin, counted
/// per base name.
class FxNames {
public:
    /// A free name made from a candidate: "add", "add_1", "sum_1" (`sum` being a builtin).
    std::string create(std::string_view candidate);
    /// As if `base_number` ("add_3", or "add" for 0) had been created.
    void reserve(const std::string& base, std::int64_t number);

private:
    std::unordered_set<std::string> m_used;
    std::unordered_map<std::string, std::int64_t> m_counts;
};

/// "rshift" of "__rshift__": the name without the underscores of Python's special methods.
[[nodiscard]] std::string_view withoutMagic(std::string_view name);
/// The candidate FX makes from a target's name: lower case, words apart ("logSoftmax" → "log_softmax").
[[nodiscard]] std::string snakeCase(std::string_view name);

} // namespace aotscope::ir

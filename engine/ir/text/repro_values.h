#pragma once

#include "ir/value.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What a reproducing script of PyTorch's says of the values of its graph; for repro_script.cpp only.
namespace aotscope::ir {

/// One argument of the graph, in order.
struct ReproInput {
    /// As the comment behind it says; empty where there is none.
    std::string name;
    /// std::monostate: a value that the script could not hold.
    ValueMeta value;
};

/// The calls of `reader` in the function load_args.
[[nodiscard]] std::vector<ReproInput> reproInputs(std::string_view function);

/// Parameters and buffers that the class's constructor makes, by attribute.
[[nodiscard]] std::map<std::string, TensorMeta> reproAttributes(std::string_view text);

} // namespace aotscope::ir

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Calls operators on meta tensors made from recorded metadata. Apart from the test's own file, because
/// LibTorch and doctest both define CHECK.
namespace aotscope::test {

struct ShapeOutcome {
    enum class Kind {
        Agrees,
        /// The results have other metadata than recorded.
        Differs,
        /// The operator threw.
        Throws,
        /// Not an operator of LibTorch, or an argument that metadata cannot stand for.
        NotCalled,
        /// No shape rule; `realZeros` tells what the other route gave.
        NoRule,
    };
    Kind kind = Kind::NotCalled;
    std::string detail;
};

/// `target`: FX's name. `args`, `kwargs`: encoded as in the golden files, with metadata in place of nodes.
/// `val`: the recorded results' metadata. Symbolic sizes take their hints.
[[nodiscard]] ShapeOutcome checkShape(const std::string& target, const nlohmann::json& args,
                                      const nlohmann::json& kwargs, const nlohmann::json& val, bool cuda);

/// The same along the route of real zeros.
[[nodiscard]] ShapeOutcome checkRealZeros(const std::string& target, const nlohmann::json& args,
                                          const nlohmann::json& kwargs, const nlohmann::json& val);

struct CoverageRow {
    std::string op;
    std::string source;
    bool functional = false;
};
[[nodiscard]] std::vector<CoverageRow> coverageRows();
/// Names that rules were registered for and no operator has.
[[nodiscard]] std::vector<std::string> unknownRuleNames();

} // namespace aotscope::test

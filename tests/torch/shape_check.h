#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

/// Calls operators on meta tensors made from recorded metadata. In a file of its own, because LibTorch and
/// doctest both define CHECK.
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
        /// No shape rule, and real zeros do not help.
        NoRule,
    };
    Kind kind = Kind::NotCalled;
    std::string detail;
    /// Answered by running the operator on real zeros.
    bool onRealZeros = false;
};

/// A call and the results that PyTorch recorded.
struct ShapeQuestion {
    /// FX's name.
    const std::string& target;
    /// Encoded as in the golden files, with metadata in place of nodes. Symbolic sizes take their hints.
    const nlohmann::json& args;
    const nlohmann::json& kwargs;
    /// The results' metadata. `{"partial": […]}` lists the first of several, `{"unknown": true}` stands for
    /// one that was not recorded.
    const nlohmann::json& val;
    bool cuda = false;
    /// Whether places in storage were recorded.
    bool offsets = true;
};

[[nodiscard]] ShapeOutcome checkShape(const ShapeQuestion& question);
/// Results of running calls on real zeros, by kind.
struct RealZerosAnswers {
    bool resultsAreMeta = false;
    bool inPlaceGivesTheArgument = false;
    bool refusesDataDependence = false;
    bool refusesViews = false;
    bool refusesTooMany = false;
    bool refusalKeepsTheStack = false;
    std::vector<std::string> names;
};
[[nodiscard]] RealZerosAnswers askRealZeros();
/// Computes the shape of a Fourier transform, whose strides are a matter of the release, where none is
/// followed; returns the error.
[[nodiscard]] std::string errorWithoutRelease();

/// Whether meta tensors stand for CUDA's, at each point of scopes within each other.
struct HintAnswers {
    bool inScope = false;
    bool inScopeOfOtherPart = false;
    bool inInnerScope = true;
    bool afterUnwinding = false;
    bool onOtherThread = true;
    bool afterAll = true;
};
[[nodiscard]] HintAnswers askDeviceHint();

struct CoverageRow {
    std::string op;
    std::string source;
    bool functional = false;
    /// Taken apart into others before a fake tensor is asked for its shape.
    bool composite = false;
};
[[nodiscard]] std::vector<CoverageRow> coverageRows();
/// Names with a shape rule, or any other column of the operators' table, but without an operator.
[[nodiscard]] std::vector<std::string> unknownRuleNames();

} // namespace aotscope::test

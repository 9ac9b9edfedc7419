#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

/// Normalizations over the innermost dimensions, and the gradients of their inputs.
namespace aotscope::kernels {

namespace {

/// Rows of a normalization: the input as [rows…, columns…].
struct Rows {
    Sizes sizes;
    std::vector<bool> reduced;
    [[nodiscard]] std::size_t keptRank() const {
        return static_cast<std::size_t>(std::ranges::count(reduced, false));
    }
    [[nodiscard]] double count() const { return static_cast<double>(countOf(sizes, reduced)); }
};

bool isGroupNorm(const OpCall& call) {
    return call.tryArgument("normalized_shape") == nullptr;
}

Rows rowsOf(const OpCall& call) {
    Rows rows;
    const TensorLayout* input = call.layout("input");
    if (input == nullptr) {
        return rows;
    }
    if (isGroupNorm(call)) {
        const std::int64_t groups = call.integer("group", 1);
        const std::int64_t channels = call.integer("C", 1);
        rows.sizes = {call.integer("N", 1), groups, channels / std::max<std::int64_t>(groups, 1),
                      call.integer("HxW", 1)};
        rows.reduced = {false, false, true, true};
        return rows;
    }
    rows.sizes = input->sizes;
    const std::size_t inner = call.integers("normalized_shape").value_or(std::vector<std::int64_t>()).size();
    for (std::size_t i = 0; i < rows.sizes.size(); ++i) {
        rows.reduced.push_back(i + inner >= rows.sizes.size());
    }
    return rows;
}
std::vector<bool> reducedInput(const OpCall& call, Sizes& sizes) {
    Rows rows = rowsOf(call);
    sizes = std::move(rows.sizes);
    return std::move(rows.reduced);
}

/// What the formulas of normalizations read: computed in what the input is computed in.
class Normalization : public Formula {
public:
    explicit Normalization(const Formula& formula)
        : Formula(formula), m_rows(rowsOf(call)), m_input(*call.layout("input")) {
        wide = opmathType(m_input.dtype);
        // Results beyond the first have one element for each row.
        m_at = result == 0 ? reshaped(at, m_input.sizes, m_rows.sizes) : at;
        m_kept.assign(m_at.begin(), m_at.begin() + static_cast<std::ptrdiff_t>(m_rows.keptRank()));
    }

    [[nodiscard]] ValueId x(const Coordinates& all) const { return ofInput("input", all); }
    [[nodiscard]] ValueId gradient(const Coordinates& all) const {
        const ValueId given = ofInput("grad_out", all);
        return call.tensor("weight") ? compute("$0 * $1", {given, ofColumn("weight", all, 1)}) : given;
    }
    [[nodiscard]] ValueId ofInput(std::string_view name, const Coordinates& all) const {
        return lowering.operand(*call.tensor(name), m_input.sizes, reshaped(all, m_rows.sizes, m_input.sizes),
                                wide);
    }
    /// An element of the weight or bias.
    [[nodiscard]] ValueId ofColumn(std::string_view name, const Coordinates& all, double otherwise) const {
        const auto tensor = call.tensor(name);
        if (!tensor) {
            return number(otherwise);
        }
        const Coordinates column =
            isGroupNorm(call)
                ? Coordinates{all[1] * m_rows.sizes[2] + all[2]}
                : Coordinates(all.begin() + static_cast<std::ptrdiff_t>(m_rows.keptRank()), all.end());
        return lowering.operand(*tensor, call.layout(name)->sizes, column, wide);
    }
    /// An element of the call's mean or reciprocal deviation.
    [[nodiscard]] ValueId ofRow(std::string_view name) const {
        const TensorLayout& ofRows = *call.layout(name);
        Coordinates row = m_kept;
        row.resize(ofRows.sizes.size());
        return lowering.operand(*call.tensor(name), ofRows.sizes, row, wide);
    }
    template<typename ElementAt>
    [[nodiscard]] ValueId sum(std::string_view name, ElementAt&& elementAt) const {
        return onceForRow(
            name, [&] { return lowering.reduce("sum_of", m_rows.sizes, m_rows.reduced, m_kept, elementAt); });
    }
    template<typename Make>
    [[nodiscard]] ValueId onceForRow(std::string_view name, Make&& make) const {
        return lowering.once(call, name, m_kept, make);
    }
    [[nodiscard]] ValueId count() const { return number(m_rows.count()); }
    /// The reciprocal deviation of a sum of squares.
    [[nodiscard]] ValueId deviation(ValueId squares) const {
        // RMS norm without one takes the machine epsilon of the type it computes in.
        const double machine = wide == ir::DType::Float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
        return compute("rsqrt{f}($0 / $1 + $2)", {squares, count(), number(call.real("eps", machine))});
    }
    [[nodiscard]] ValueId asResult(ValueId value) const {
        return rounded(lowering.convert(value, opmathType(dtype)));
    }
    [[nodiscard]] ValueId asResult(std::string_view text, std::vector<ValueId> operands) const {
        return asResult(compute(text, std::move(operands)));
    }
    /// The coordinates as [rows…, columns…].
    [[nodiscard]] const Coordinates& inRows() const { return m_at; }

private:
    Rows m_rows;
    const TensorLayout& m_input;
    Coordinates m_at;
    Coordinates m_kept;
};

ValueId lowerNormalization(const Formula& formula) {
    const Normalization norm(formula);
    const auto x = [&](const Coordinates& all) { return norm.x(all); };
    const ValueId mean = norm.onceForRow("norm_mean", [&] {
        return norm.compute("$0 / $1", {norm.sum("norm_sum", x), norm.count()});
    });
    if (norm.result == 1) {
        return norm.asResult(mean);
    }
    const ValueId rstd = norm.onceForRow("norm_rstd", [&] {
        return norm.deviation(norm.sum("norm_squares", [&](const Coordinates& all) {
            const ValueId distance = norm.compute("$0 - $1", {norm.x(all), mean});
            return norm.compute("$0 * $0", {distance});
        }));
    });
    if (norm.result == 2) {
        return norm.asResult(rstd);
    }
    return norm.asResult("($0 - $1) * $2 * $3 + $4",
                         {norm.x(norm.inRows()), mean, rstd, norm.ofColumn("weight", norm.inRows(), 1),
                          norm.ofColumn("bias", norm.inRows(), 0)});
}

ValueId lowerRmsNorm(const Formula& formula) {
    const Normalization norm(formula);
    const ValueId rstd = norm.onceForRow("norm_rstd", [&] {
        return norm.deviation(norm.sum(
            "norm_squares", [&](const Coordinates& all) { return norm.compute("$0 * $0", {norm.x(all)}); }));
    });
    return norm.result == 1 ? norm.asResult(rstd)
                            : norm.asResult("$0 * $1 * $2", {norm.x(norm.inRows()), rstd,
                                                             norm.ofColumn("weight", norm.inRows(), 1)});
}

ValueId lowerLayerNormBackward(const Formula& formula) {
    const Normalization norm(formula);
    const ValueId mean = norm.ofRow("mean");
    const ValueId rstd = norm.ofRow("rstd");
    const auto normalized = [&](const Coordinates& all) {
        return norm.compute("($0 - $1) * $2", {norm.x(all), mean, rstd});
    };
    const ValueId first =
        norm.sum("gradient_sum", [&](const Coordinates& all) { return norm.gradient(all); });
    const ValueId second = norm.sum("gradient_dot", [&](const Coordinates& all) {
        return norm.compute("$0 * $1", {norm.gradient(all), normalized(all)});
    });
    return norm.asResult("$3 * ($0 - ($1 + $4 * $2) / $5)", {norm.gradient(norm.inRows()), first, second,
                                                             rstd, normalized(norm.inRows()), norm.count()});
}

ValueId lowerRmsNormBackward(const Formula& formula) {
    const Normalization norm(formula);
    const ValueId rstd = norm.ofRow("rstd");
    const ValueId dot = norm.sum("gradient_dot", [&](const Coordinates& all) {
        return norm.compute("$0 * $1 * $2", {norm.gradient(all), norm.x(all), rstd});
    });
    return norm.asResult("$2 * ($0 - $1 * $2 * $3 / $4)",
                         {norm.gradient(norm.inRows()), norm.x(norm.inRows()), rstd, dot, norm.count()});
}

std::string refuseNormalization(const OpCall& call) {
    const TensorLayout* input = call.layout("input");
    if (input == nullptr) {
        return "its size is unknown before the run";
    }
    const Rows rows = rowsOf(call);
    return rows.sizes.empty() || product(rows.sizes) != input->elements() ? "its rows are unknown" : "";
}
bool wantsInputGradient(const OpCall& call) {
    const auto mask = call.integers("output_mask");
    return mask && !mask->empty() && mask->front() != 0;
}
std::string refuseNormalizationBackward(const OpCall& call) {
    if (!wantsInputGradient(call)) {
        return "only the gradients of its weights are wanted, which reduce the outer dimensions";
    }
    return call.layout("grad_out") == nullptr || call.layout("rstd") == nullptr
               ? "its size is unknown before the run"
               : refuseNormalization(call);
}

constexpr KindRule normalizationRuleTable[] = {
    {ir::KernelRule::Normalization, {lowerNormalization, refuseNormalization, reducedInput}},
    {ir::KernelRule::RmsNorm, {lowerRmsNorm, refuseNormalization, reducedInput}},
    {ir::KernelRule::NormalizationGradient,
     {lowerLayerNormBackward, refuseNormalizationBackward, reducedInput, isFirstResult}},
    {ir::KernelRule::RmsNormGradient,
     {lowerRmsNormBackward, refuseNormalizationBackward, reducedInput, isFirstResult}},
};

} // namespace

const RuleFamily normalizationRules = normalizationRuleTable;

std::string refuseUnknown(const OpCall& call) {
    return call.facts().layout({call.id()}) == nullptr ? "its size is unknown before the run" : "";
}

const OperatorRule* operatorRule(const OpCall& call) {
    static const auto rules = [] {
        std::unordered_map<ir::KernelRule, const OperatorRule*> byKind;
        for (const RuleFamily family : {pointwiseRules, creationRules, reductionRules, normalizationRules}) {
            for (const KindRule& row : family) {
                byKind.emplace(row.kind, &row.rule);
            }
        }
        return byKind;
    }();
    const auto found = rules.find(call.op()->kernel.rule);
    return found == rules.end() ? tableRule(call) : found->second;
}

} // namespace aotscope::kernels

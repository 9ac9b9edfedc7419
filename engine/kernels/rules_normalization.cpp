#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"

#include <algorithm>
#include <unordered_map>

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
    return call.packet().starts_with("aten.native_group_norm");
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

/// One normalization at one place: what its formulas read.
class Normalization {
public:
    Normalization(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at)
        : m_lowering(lowering),
          m_call(call),
          m_rows(rowsOf(call)),
          m_input(*call.layout("input")),
          m_dtype(call.facts().layout({call.id(), result})->dtype),
          m_wide(opmathType(m_input.dtype)) {
        // Results beyond the first have one element for each row.
        const Coordinates all = result == 0 ? reshaped(at, m_input.sizes, m_rows.sizes) : at;
        m_kept.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m_rows.keptRank()));
        m_at = all;
    }

    [[nodiscard]] ir::DType wide() const { return m_wide; }
    [[nodiscard]] ValueId x(const Coordinates& all) const { return ofInput("input", all); }
    [[nodiscard]] ValueId gradient(const Coordinates& all) const {
        const ValueId given = ofInput("grad_out", all);
        return m_call.tensor("weight")
                   ? m_lowering.compute(m_wide, "$0 * $1", {given, ofColumn("weight", all, 1)})
                   : given;
    }
    [[nodiscard]] ValueId ofInput(std::string_view name, const Coordinates& all) const {
        return m_lowering.operand(*m_call.tensor(name), m_input.sizes,
                                  reshaped(all, m_rows.sizes, m_input.sizes), m_wide);
    }
    /// An element of the weight or bias.
    [[nodiscard]] ValueId ofColumn(std::string_view name, const Coordinates& all, double otherwise) const {
        const auto tensor = m_call.tensor(name);
        if (!tensor) {
            return m_lowering.literalValue(otherwise, m_wide);
        }
        const TensorLayout& layout = *m_call.layout(name);
        if (isGroupNorm(m_call)) {
            return m_lowering.operand(*tensor, layout.sizes, {all[1] * m_rows.sizes[2] + all[2]}, m_wide);
        }
        return m_lowering.operand(
            *tensor, layout.sizes,
            Coordinates(all.begin() + static_cast<std::ptrdiff_t>(m_rows.keptRank()), all.end()), m_wide);
    }
    /// An element of the call's mean or reciprocal deviation.
    [[nodiscard]] ValueId ofRow(std::string_view name) const {
        const TensorLayout& layout = *m_call.layout(name);
        Coordinates at = m_kept;
        at.resize(layout.sizes.size());
        return m_lowering.operand(*m_call.tensor(name), layout.sizes, at, m_wide);
    }
    template<typename ElementAt>
    [[nodiscard]] ValueId sum(std::string_view name, ElementAt&& elementAt) const {
        return m_lowering.once(m_call, name, m_kept, [&] {
            return m_lowering.reduce("sum_of", m_rows.sizes, m_rows.reduced, m_kept, elementAt);
        });
    }
    template<typename Make>
    [[nodiscard]] ValueId onceForRow(std::string_view name, Make&& make) const {
        return m_lowering.once(m_call, name, m_kept, make);
    }
    [[nodiscard]] ValueId compute(std::string_view text, std::vector<ValueId> operands) const {
        return m_lowering.compute(m_wide, text, std::move(operands));
    }
    [[nodiscard]] ValueId count() const { return m_lowering.literalValue(m_rows.count(), m_wide); }
    [[nodiscard]] ValueId epsilon() const {
        // RMS norm without one takes the machine epsilon of the type it computes in.
        const double machine = m_wide == ir::DType::Float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
        return m_lowering.literalValue(m_call.real("eps", machine), m_wide);
    }
    [[nodiscard]] ValueId result(ValueId value) const {
        return m_lowering.rounded(m_lowering.convert(value, opmathType(m_dtype)), m_dtype);
    }
    [[nodiscard]] const Coordinates& at() const { return m_at; }

private:
    Lowering& m_lowering;
    const OpCall& m_call;
    Rows m_rows;
    const TensorLayout& m_input;
    ir::DType m_dtype;
    ir::DType m_wide;
    Coordinates m_kept;
    Coordinates m_at;
};

ValueId lowerNormalization(Lowering& lowering, const OpCall& call, std::size_t result,
                           const Coordinates& at) {
    const Normalization norm(lowering, call, result, at);
    const auto x = [&](const Coordinates& all) { return norm.x(all); };
    const ValueId mean = norm.onceForRow("norm_mean", [&] {
        return norm.compute("$0 / $1", {norm.sum("norm_sum", x), norm.count()});
    });
    if (result == 1) {
        return norm.result(mean);
    }
    const ValueId rstd = norm.onceForRow("norm_rstd", [&] {
        const ValueId squares = norm.sum("norm_squares", [&](const Coordinates& all) {
            const ValueId distance = norm.compute("$0 - $1", {norm.x(all), mean});
            return norm.compute("$0 * $0", {distance});
        });
        return norm.compute("rsqrt{f}($0 / $1 + $2)", {squares, norm.count(), norm.epsilon()});
    });
    if (result == 2) {
        return norm.result(rstd);
    }
    return norm.result(norm.compute("($0 - $1) * $2 * $3 + $4",
                                    {norm.x(norm.at()), mean, rstd, norm.ofColumn("weight", norm.at(), 1),
                                     norm.ofColumn("bias", norm.at(), 0)}));
}

ValueId lowerRmsNorm(Lowering& lowering, const OpCall& call, std::size_t result, const Coordinates& at) {
    const Normalization norm(lowering, call, result, at);
    const ValueId rstd = norm.onceForRow("norm_rstd", [&] {
        const ValueId squares = norm.sum(
            "norm_squares", [&](const Coordinates& all) { return norm.compute("$0 * $0", {norm.x(all)}); });
        return norm.compute("rsqrt{f}($0 / $1 + $2)", {squares, norm.count(), norm.epsilon()});
    });
    return norm.result(result == 1 ? rstd
                                   : norm.compute("$0 * $1 * $2", {norm.x(norm.at()), rstd,
                                                                   norm.ofColumn("weight", norm.at(), 1)}));
}

ValueId lowerLayerNormBackward(Lowering& lowering, const OpCall& call, std::size_t result,
                               const Coordinates& at) {
    const Normalization norm(lowering, call, result, at);
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
    return norm.result(
        norm.compute("$3 * ($0 - ($1 + $4 * $2) / $5)",
                     {norm.gradient(norm.at()), first, second, rstd, normalized(norm.at()), norm.count()}));
}

ValueId lowerRmsNormBackward(Lowering& lowering, const OpCall& call, std::size_t result,
                             const Coordinates& at) {
    const Normalization norm(lowering, call, result, at);
    const ValueId rstd = norm.ofRow("rstd");
    const ValueId dot = norm.sum("gradient_dot", [&](const Coordinates& all) {
        return norm.compute("$0 * $1 * $2", {norm.gradient(all), norm.x(all), rstd});
    });
    return norm.result(norm.compute("$2 * ($0 - $1 * $2 * $3 / $4)",
                                    {norm.gradient(norm.at()), norm.x(norm.at()), rstd, dot, norm.count()}));
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
bool onlyInputGradient(const OpCall&, std::size_t result) {
    return result == 0;
}

constexpr NamedRule normalizationRuleTable[] = {
    {"aten.native_layer_norm", {lowerNormalization, refuseNormalization, reducedInput}},
    {"aten.native_group_norm", {lowerNormalization, refuseNormalization, reducedInput}},
    {"aten._fused_rms_norm", {lowerRmsNorm, refuseNormalization, reducedInput}},
    {"aten.native_layer_norm_backward",
     {lowerLayerNormBackward, refuseNormalizationBackward, reducedInput, onlyInputGradient}},
    {"aten.native_group_norm_backward",
     {lowerLayerNormBackward, refuseNormalizationBackward, reducedInput, onlyInputGradient}},
    {"aten._fused_rms_norm_backward",
     {lowerRmsNormBackward, refuseNormalizationBackward, reducedInput, onlyInputGradient}},
};

} // namespace

std::span<const NamedRule> normalizationRules() {
    return normalizationRuleTable;
}

std::string refuseUnknown(const OpCall& call) {
    return call.facts().layout({call.id()}) == nullptr ? "its size is unknown before the run" : "";
}

const OperatorRule* operatorRule(const OpCall& call) {
    static const auto rules = [] {
        std::unordered_map<std::string_view, const OperatorRule*> byPacket;
        for (const auto family : {pointwiseRules, creationRules, reductionRules, normalizationRules}) {
            for (const NamedRule& row : family()) {
                byPacket.emplace(row.packet, &row.rule);
            }
        }
        return byPacket;
    }();
    const auto found = rules.find(call.packet());
    return found == rules.end() ? tableRule(call) : found->second;
}

} // namespace aotscope::kernels

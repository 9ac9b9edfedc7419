#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"
#include "fake/reference_layout.h"

#include <optional>

/// The gradient of reflection padding: the sum of what the center and the borders receive.
namespace aotscope::torch::decomposed {

namespace {

/// Positions along one dimension and the limits, both inclusive, within which they count.
struct Positions {
    at::Tensor index;
    c10::SymInt from;
    c10::SymInt to;
};

class ReflectionBackward {
public:
    explicit ReflectionBackward(const DecompositionCall& call)
        : m_grad(call.tensor("grad_output")), m_padding(call.symInts("padding")) {
        const at::Tensor x = call.tensor("self");
        m_padded = m_padding.size() / 2;
        const auto rank = static_cast<std::size_t>(x.dim());
        for (const c10::SymInt& size : python::sizes(x, static_cast<std::int64_t>(rank - m_padded))) {
            m_last.push_back(size - 1);
        }
        for (std::size_t i = 0; i < rank; ++i) {
            std::vector<std::int64_t> shape(rank, 1);
            shape[i] = -1;
            m_indices.push_back(python::arange(x.sym_size(static_cast<std::int64_t>(i)), x).view(shape));
        }
        m_unpadded = rank - m_padded;
        for (std::size_t i = 0; i < m_padded; ++i) {
            m_center.push_back({axis(i) + c10::Scalar(left(i)), 0, 0});
        }
        for (std::size_t i = 0; i < m_padded; ++i) {
            m_before.push_back(c10::Scalar(left(i)) - axis(i));
        }
        for (std::size_t i = 0; i < m_padded; ++i) {
            m_after.push_back(c10::Scalar(2 * m_last[i] + left(i)) - axis(i));
        }
        for (std::size_t i = 0; i < m_padded; ++i) {
            m_center[i].to = m_last[i] + left(i) + right(i);
        }
    }

    at::Tensor gradient() {
        std::vector<at::Tensor> conditions;
        for (const Positions& center : m_center) {
            conditions.push_back(within(center.index, center));
        }
        at::Tensor sum = gathered(m_center, conditions);
        // Every area but the center: before, at or after it along each dimension.
        std::size_t areas = 1;
        for (std::size_t i = 0; i < m_padded; ++i) {
            areas *= 3;
        }
        for (std::size_t area = 0; area < areas; ++area) {
            if (area != areas / 2) {
                sum = withArea(sum, area);
            }
        }
        return sum;
    }

private:
    [[nodiscard]] const at::Tensor& axis(std::size_t i) const { return m_indices[m_unpadded + i]; }
    [[nodiscard]] c10::SymInt left(std::size_t i) const { return m_padding[2 * (m_padded - 1 - i)]; }
    [[nodiscard]] c10::SymInt right(std::size_t i) const { return m_padding[2 * (m_padded - 1 - i) + 1]; }

    static at::Tensor within(const at::Tensor& index, const Positions& limits) {
        const at::Tensor above = index.ge(c10::Scalar(limits.from));
        return at::logical_and(above, index.le(c10::Scalar(limits.to)));
    }

    at::Tensor gathered(const std::vector<Positions>& positions, const std::vector<at::Tensor>& conditions) {
        at::Tensor condition = conditions.front();
        for (std::size_t i = 1; i < conditions.size(); ++i) {
            condition = at::logical_and(condition, conditions[i]);
        }
        c10::List<std::optional<at::Tensor>> indices;
        for (std::size_t i = 0; i < m_unpadded; ++i) {
            indices.push_back(m_indices[i]);
        }
        for (const Positions& position : positions) {
            indices.push_back(position.index);
        }
        return at::_unsafe_masked_index(m_grad, condition, indices, 0.0);
    }

    at::Tensor withArea(const at::Tensor& sum, std::size_t area) {
        std::vector<Positions> positions(m_padded);
        std::vector<bool> isCenter(m_padded);
        std::vector<bool> isBefore(m_padded);
        for (std::size_t i = m_padded; i-- > 0; area /= 3) {
            isCenter[i] = area % 3 == 1;
            isBefore[i] = area % 3 == 0;
        }
        for (std::size_t i = 0; i < m_padded; ++i) {
            positions[i] = isCenter[i]   ? m_center[i]
                           : isBefore[i] ? Positions{m_before[i], 1, left(i)}
                                         : Positions{m_after[i], m_last[i] - right(i), m_last[i] - 1};
        }
        for (const Positions& position : positions) {
            // A comparison of symbolic sizes may be undecided; the area is then added.
            if (reference::isLess(position.to, position.from).maybe_as_bool().value_or(false)) {
                return sum;
            }
        }
        std::vector<at::Tensor> conditions;
        for (std::size_t i = 0; i < m_padded; ++i) {
            conditions.push_back(within(isCenter[i] ? positions[i].index : axis(i), positions[i]));
        }
        return sum + gathered(positions, conditions);
    }

    at::Tensor m_grad;
    std::vector<c10::SymInt> m_padding;
    std::size_t m_padded = 0;
    std::size_t m_unpadded = 0;
    std::vector<at::Tensor> m_indices;
    /// The last position along each padded dimension.
    std::vector<c10::SymInt> m_last;
    std::vector<Positions> m_center;
    std::vector<at::Tensor> m_before;
    std::vector<at::Tensor> m_after;
};

} // namespace

Decomposed reflectionPadBackward(const DecompositionCall& call) {
    return ReflectionBackward(call).gradient();
}

} // namespace aotscope::torch::decomposed

#include "fake/symbolic_view.h"

#include "fake/built_view.h"
#include "fake/fake_tensor.h"
#include "fake/reference_layout.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

/// A view with symbolic sizes; it answers what the construction of a view asks of them.
class Viewer {
public:
    Viewer(const at::Tensor& self, ShapeEnvironment& environment)
        : m_self(self),
          m_environment(environment),
          m_sizes(self.sym_sizes().vec()),
          m_strides(self.sym_strides().vec()) {}

    [[nodiscard]] std::optional<at::Tensor> view(SymbolicSizes wanted);

    /// Whether a comparison holds: the same in each sample, or the answer for the hints, which becomes a
    /// guard.
    [[nodiscard]] bool equal(const c10::SymInt& left, const c10::SymInt& right) const;
    [[nodiscard]] bool divides(const c10::SymInt& by, const c10::SymInt& number) const;
    [[nodiscard]] static bool less(const c10::SymInt& left, const c10::SymInt& right) {
        return sampledValue(left, 0) < sampledValue(right, 0);
    }

private:
    [[nodiscard]] bool contiguous() const;
    [[nodiscard]] bool infer(SymbolicSizes& wanted) const;
    [[nodiscard]] at::Tensor made(const SymbolicSizes& sizes, const SymbolicSizes& strides) const {
        return makeFakeView(m_self, sizes, strides, m_self.sym_storage_offset(), m_environment);
    }

    const at::Tensor& m_self;
    ShapeEnvironment& m_environment;
    SymbolicSizes m_sizes;
    SymbolicSizes m_strides;
};

bool Viewer::equal(const c10::SymInt& left, const c10::SymInt& right) const {
    const bool seen = sampledValue(left, 0) == sampledValue(right, 0);
    if (seen) {
        m_environment.assumeEqual(left, right);
        return true;
    }
    for (std::size_t k = 1; k < m_environment.samples(); ++k) {
        if ((sampledValue(left, k) == sampledValue(right, k)) != seen) {
            return left.sym_eq(right).guard_bool(__FILE__, __LINE__);
        }
    }
    return seen;
}

bool Viewer::divides(const c10::SymInt& by, const c10::SymInt& number) const {
    const auto divisible = [&](std::size_t sample) {
        const std::int64_t divisor = sampledValue(by, sample);
        return divisor != 0 && sampledValue(number, sample) % divisor == 0;
    };
    for (std::size_t k = 1; k < m_environment.samples(); ++k) {
        if (divisible(k) != divisible(0)) {
            // The expressions may answer by themselves what the sampled values leave open.
            const c10::SymBool question = (number % by).sym_eq(0);
            if (divisible(0) && question.is_heap_allocated()) {
                m_environment.requireGuard(SymbolicNode::of(question.toSymNodeImpl()).expression());
            }
            return question.guard_bool(__FILE__, __LINE__);
        }
    }
    return divisible(0);
}

bool Viewer::contiguous() const {
    c10::SymInt expected = 1;
    for (std::size_t i = m_sizes.size(); i-- > 0;) {
        if (!equal(m_sizes[i], 1)) {
            if (!equal(m_strides[i], expected)) {
                return false;
            }
            expected = expected * m_sizes[i];
        }
    }
    return true;
}

/// Replaces a size of -1 by the elements divided by the other sizes.
bool Viewer::infer(SymbolicSizes& wanted) const {
    c10::SymInt given = 1;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (sampledValue(wanted[i], 0) == -1) {
            open = i;
        } else {
            given = given * wanted[i];
        }
    }
    const c10::SymInt elements = asFake(m_self)->elements(m_environment);
    if (!open) {
        m_environment.assumeEqual(given, elements);
        return sampledValue(given, 0) == sampledValue(elements, 0);
    }
    if (sampledValue(given, 0) == 0 || sampledValue(elements, 0) % sampledValue(given, 0) != 0) {
        return false;
    }
    wanted[*open] = elements / given;
    return true;
}

std::optional<at::Tensor> Viewer::view(SymbolicSizes wanted) {
    if (!infer(wanted)) {
        return std::nullopt;
    }
    const bool flattens = wanted.size() == 1 && m_sizes.size() > 1;
    const bool folds = wanted.size() == 2 && m_sizes.size() == 1;
    if ((flattens || folds) && contiguous()) {
        return flattens ? made({asFake(m_self)->elements(m_environment)}, {1}) : made(wanted, {wanted[1], 1});
    }
    return buildView(m_sizes, m_strides, wanted, *this) ? std::optional(made(m_sizes, m_strides))
                                                        : std::nullopt;
}

/// Whether two numbers are equal for all values of their symbols.
bool areOneNumber(const c10::SymInt& left, const c10::SymInt& right) {
    return (expressionOf(left) - expressionOf(right)).constant() == 0;
}

bool alwaysContiguous(const SymbolicSizes& sizes, const SymbolicSizes& strides) {
    c10::SymInt expected = 1;
    c10::SymInt expectedAtLeastOne = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (areOneNumber(sizes[d], 1)) {
            continue;
        }
        if (!areOneNumber(strides[d], expected) && !areOneNumber(strides[d], expectedAtLeastOne)) {
            return false;
        }
        expectedAtLeastOne = expectedAtLeastOne * sizes[d].max(1);
        expected = expected * sizes[d];
    }
    return true;
}

/// A view with unbacked sizes. They are taken as requested; the run checks the number of elements. Nothing
/// for a tensor whose memory has gaps, and for a size of -1.
std::optional<at::Tensor> viewOfData(const at::Tensor& self, const SymbolicSizes& wanted,
                                     ShapeEnvironment& environment) {
    const SymbolicSizes sizes = self.sym_sizes().vec();
    const SymbolicSizes strides = self.sym_strides().vec();
    const bool isOpen =
        std::ranges::any_of(wanted, [](const c10::SymInt& size) { return sampledValue(size, 0) == -1; });
    if (isOpen || !alwaysContiguous(sizes, strides)) {
        return std::nullopt;
    }
    if (std::ranges::equal(sizes, wanted, areOneNumber)) {
        return makeFakeView(self, sizes, strides, self.sym_storage_offset(), environment);
    }
    return makeFakeView(self, wanted, contiguousStrides(wanted), self.sym_storage_offset(), environment);
}

} // namespace

std::optional<c10::IValue> symbolicView(const FakeCall& call) {
    // `view.dtype` reinterprets the elements.
    if (!call.op.operator_name().overload_name.empty()) {
        return std::nullopt;
    }
    const at::Tensor& self = call.tensor();
    ShapeEnvironment& environment = call.environment;
    SymbolicSizes wanted = call.numbers(1);
    const SymbolicSizes sizes = self.sym_sizes().vec();
    const auto symbolic = [](const c10::SymInt& size) { return asSymbolic(size) != nullptr; };
    const auto ofData = [&](const c10::SymInt& size) { return environment.isUnbacked(size); };
    const bool any = std::ranges::any_of(wanted, symbolic) || std::ranges::any_of(sizes, symbolic);
    const bool dataTell = std::ranges::any_of(wanted, ofData) || std::ranges::any_of(sizes, ofData);
    const bool empty =
        std::ranges::any_of(sizes, [](const c10::SymInt& size) { return sampledValue(size, 0) == 0; });
    if (asFake(self) == nullptr || !any || empty || sizes.empty() || wanted.empty()) {
        return std::nullopt;
    }
    const auto view =
        dataTell ? viewOfData(self, wanted, environment) : Viewer(self, environment).view(std::move(wanted));
    return view ? std::optional<c10::IValue>(*view) : std::nullopt;
}

SymbolicSizes expandedStrides(const at::Tensor& self, SymbolicSizes& wanted) {
    const auto dims = static_cast<std::size_t>(self.dim());
    const std::size_t added = wanted.size() - dims;
    SymbolicSizes strides(wanted.size(), 0);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (i < added) {
            const bool isOne = !reference::orTrue(wanted[i].sym_ne(1));
            strides[i] = !isOne      ? c10::SymInt(0)
                         : dims == 0 ? c10::SymInt(1)
                                     : self.sym_stride(0) * self.sym_size(0);
            continue;
        }
        const auto dim = static_cast<std::int64_t>(i - added);
        const c10::SymInt size = self.sym_size(dim);
        if (reference::orFalse(wanted[i].sym_eq(-1))) {
            wanted[i] = size;
        }
        const bool isBroadcast =
            reference::orFalse(size.sym_eq(1)) && !reference::orFalse(size.sym_eq(wanted[i]));
        TORCH_CHECK(isBroadcast || size.sym_eq(wanted[i]).expect_true(__FILE__, __LINE__),
                    "expand: attempting to expand a dimension of length ", size, " to ", wanted[i], "!");
        strides[i] = isBroadcast ? c10::SymInt(0) : self.sym_stride(dim);
    }
    return strides;
}

std::optional<c10::IValue> symbolicExpand(const FakeCall& call) {
    const at::Tensor& self = call.tensor();
    SymbolicSizes wanted = call.numbers(1);
    const auto ofData = [&](const c10::SymInt& size) { return call.environment.isUnbacked(size); };
    const auto dims = static_cast<std::size_t>(self.dim());
    if (asFake(self) == nullptr || !std::ranges::any_of(wanted, ofData) || wanted.size() < dims) {
        return std::nullopt;
    }
    const SymbolicSizes strides = expandedStrides(self, wanted);
    return makeFakeView(self, wanted, strides, self.sym_storage_offset(), call.environment);
}

} // namespace aotscope::torch

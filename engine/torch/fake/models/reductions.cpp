#include "fake/models/symbolic_shapes.h"

/// Sums, extremes and other reductions of dimensions, and losses.
namespace aotscope::torch::symbolic {

/// A reduction of the first tensor. The reduced dimensions are put back into new memory with the number of
/// elements behind them as their stride.
SymbolicShape reduced(const FakeCall& call, std::size_t /*result*/) {
    const c10::FunctionSchema& schema = call.op.schema();
    const auto dim = schema.argumentIndexWithName("dim");
    const auto keep = schema.argumentIndexWithName("keepdim");
    if (!dim || !keep || !call.arguments[0].isTensor()) {
        return {};
    }
    const SymbolicSizes sizes = call.sizes();
    const c10::IValue& given = call.arguments[static_cast<std::size_t>(*dim)];
    std::vector<std::int64_t> summed;
    if (given.isInt()) {
        summed.push_back(given.toInt());
    } else if (given.isIntList()) {
        summed = given.toIntVector();
    }
    std::vector<bool> goes(sizes.size(), summed.empty());
    for (const std::int64_t one : summed) {
        if (!sizes.empty()) {
            goes[dimensionIndex(one, sizes.size())] = true;
        }
    }
    const bool kept = call.arguments[static_cast<std::size_t>(*keep)].toBool();
    SymbolicShape shape;
    shape.strides.resize(kept ? sizes.size() : 0);
    c10::SymInt next = 1;
    c10::SymInt behind = 1;
    for (std::size_t d = shape.strides.size(); d-- > 0;) {
        shape.strides[d] = goes[d] ? behind : next;
        if (!goes[d]) {
            behind = next * sizes[d];
            next = next * sizes[d].max(1);
        }
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (!goes[d] || kept) {
            shape.sizes.push_back(goes[d] ? c10::SymInt(1) : sizes[d]);
        }
    }
    return shape;
}

/// A reduction that ends in pointwise arithmetic (a quotient, a root), which lays its result out anew.
SymbolicShape reducedAndComputed(const FakeCall& call, std::size_t result) {
    return {reduced(call, result).sizes, {}, {}};
}

/// The target has the sizes of the input without the class dimension.
void askClasses(const FakeCall& call) {
    const at::Tensor& self = call.tensor(1);
    const at::Tensor& target = call.tensor(2);
    for (std::int64_t d = 0; d < target.dim() && self.dim() == target.dim() + 1; ++d) {
        call.environment.assumeEqual(self.sym_size(d == 0 ? 0 : d + 1), target.sym_size(d));
    }
}

} // namespace aotscope::torch::symbolic

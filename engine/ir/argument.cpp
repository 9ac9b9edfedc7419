#include "ir/argument.h"

#include <bit>

namespace aotscope::ir {
namespace {

bool sameBits(double left, double right) {
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

struct EqualTo {
    const Argument& right;

    template<typename T>
    bool operator()(const T& left) const {
        return left == *right.as<T>();
    }
    bool operator()(double left) const { return sameBits(left, *right.as<double>()); }
    bool operator()(const std::complex<double>& left) const {
        const auto& other = *right.as<std::complex<double>>();
        return sameBits(left.real(), other.real()) && sameBits(left.imag(), other.imag());
    }
    // These never come here: equalArguments compares what is in them.
    bool operator()(const ListArgument&) const { return false; }
    bool operator()(const TupleArgument&) const { return false; }
};

void addLeaves(const Argument& argument, Arguments& leaves) {
    forEachLeaf(argument, [&](const Argument& leaf) {
        const auto* dict = leaf.as<std::shared_ptr<const DictArgument>>();
        if (dict == nullptr) {
            leaves.push_back(leaf);
            return;
        }
        for (const auto& [key, item] : (*dict)->items) {
            addLeaves(item, leaves);
        }
    });
}

} // namespace

Argument::Argument(const Argument& other) = default;
Argument::Argument(Argument&& other) noexcept = default;
Argument& Argument::operator=(const Argument& other) = default;
Argument& Argument::operator=(Argument&& other) noexcept = default;
Argument::~Argument() = default;

bool operator==(const Argument& left, const Argument& right) {
    return equalArguments(
        left, right, [](const Argument& a, const Argument& b) { return std::visit(EqualTo{b}, a.value); });
}

bool isContainer(const Argument& argument) {
    return itemsOf(argument) != nullptr || argument.as<std::shared_ptr<const DictArgument>>() != nullptr;
}

Arguments treeLeaves(const Argument& argument) {
    Arguments leaves;
    addLeaves(argument, leaves);
    return leaves;
}

} // namespace aotscope::ir

#include "ir/argument.h"

#include <algorithm>
#include <bit>

namespace aotscope::ir {
namespace {

bool sameBits(double left, double right) {
    return std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
}

bool equalItems(const Arguments& left, const Arguments& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const Argument& a, const Argument& b) { return a == b; });
}

bool equalDicts(const DictArgument& left, const DictArgument& right) {
    return std::equal(
        left.items.begin(), left.items.end(), right.items.begin(), right.items.end(),
        [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; });
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
    bool operator()(const ListArgument& left) const {
        return equalItems(left.items, right.as<ListArgument>()->items);
    }
    bool operator()(const TupleArgument& left) const {
        return equalItems(left.items, right.as<TupleArgument>()->items);
    }
    bool operator()(const std::shared_ptr<const SliceArgument>& left) const {
        const auto& other = *right.as<std::shared_ptr<const SliceArgument>>();
        return left == other ||
               (left->start == other->start && left->stop == other->stop && left->step == other->step);
    }
    bool operator()(const std::shared_ptr<const DictArgument>& left) const {
        const auto& other = *right.as<std::shared_ptr<const DictArgument>>();
        return left == other || equalDicts(*left, *other);
    }
};

} // namespace

Argument::Argument(const Argument& other) = default;
Argument::Argument(Argument&& other) noexcept = default;
Argument& Argument::operator=(const Argument& other) = default;
Argument& Argument::operator=(Argument&& other) noexcept = default;
Argument::~Argument() = default;

bool operator==(const Argument& left, const Argument& right) {
    return left.value.index() == right.value.index() && std::visit(EqualTo{right}, left.value);
}

} // namespace aotscope::ir

#pragma once

#include "ir/dtype.h"
#include "ir/symbolic/expression.h"
#include "ir/value.h"

#include "base/ids.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Arguments of FX nodes: a closed set of kinds, each printed and parsed without loss. Follows torch 2.11,
/// torch/fx/node.py: Argument.
namespace aotscope::ir {

using NodeId = base::Id<struct NodeTag>;

struct Argument;
using Arguments = std::vector<Argument>;

struct NoneArgument {
    friend bool operator==(const NoneArgument&, const NoneArgument&) = default;
};
struct EllipsisArgument {
    friend bool operator==(const EllipsisArgument&, const EllipsisArgument&) = default;
};
/// A symbolic integer that is written into an argument instead of being the value of a node.
struct SymbolArgument {
    SymExpr expression;
    friend bool operator==(const SymbolArgument&, const SymbolArgument&) = default;
};
struct DeviceArgument {
    Device device;
    friend bool operator==(const DeviceArgument&, const DeviceArgument&) = default;
};
/// A torch.layout without the prefix "torch.": "strided".
struct LayoutArgument {
    std::string name;
    friend bool operator==(const LayoutArgument&, const LayoutArgument&) = default;
};
/// A torch.memory_format without the prefix "torch.": "contiguous_format".
struct MemoryFormatArgument {
    std::string name;
    friend bool operator==(const MemoryFormatArgument&, const MemoryFormatArgument&) = default;
};
/// An operator as a value ("aten.add_.Tensor").
struct OperatorArgument {
    std::string target;
    friend bool operator==(const OperatorArgument&, const OperatorArgument&) = default;
};
/// A Python expression that the engine does not interpret (a third-party enum, a dataclass): kept and printed
/// as written. `nodes` are the nodes it mentions, so that they count as inputs.
struct OpaqueArgument {
    std::string text;
    std::vector<NodeId> nodes;
    friend bool operator==(const OpaqueArgument&, const OpaqueArgument&) = default;
};
struct ListArgument {
    Arguments items;
};
struct TupleArgument {
    Arguments items;
};
struct SliceArgument;
struct DictArgument;

/// One argument. Bool, integer and float are distinct: `True`, `1` and `1.0` print differently.
struct Argument {
    using Variant =
        std::variant<NoneArgument, bool, std::int64_t, double, std::complex<double>, std::string, NodeId,
                     DType, EllipsisArgument, SymbolArgument, DeviceArgument, LayoutArgument,
                     MemoryFormatArgument, OperatorArgument, OpaqueArgument, ListArgument, TupleArgument,
                     std::shared_ptr<const SliceArgument>, std::shared_ptr<const DictArgument>>;
    Variant value;

    Argument() = default;
    template<typename T>
    requires(!std::is_same_v<std::decay_t<T>, Argument> && std::is_constructible_v<Variant, T&&>)
        Argument(T&& v)
        : value(std::forward<T>(v)) {} // NOLINT: implicit by intent
    // Out of line, so that the variant's copies are compiled once and not in every file.
    Argument(const Argument& other);
    Argument(Argument&& other) noexcept;
    Argument& operator=(const Argument& other);
    Argument& operator=(Argument&& other) noexcept;
    ~Argument();

    template<typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
};

struct SliceArgument {
    Argument start;
    Argument stop;
    Argument step;
};
struct DictArgument {
    std::vector<std::pair<Argument, Argument>> items;
};

/// Deep equality. Floats are compared bitwise, so NaN equals NaN and 0.0 differs from -0.0.
[[nodiscard]] bool operator==(const Argument& left, const Argument& right);

/// The items of a list or tuple; null: another kind of argument.
[[nodiscard]] inline const Arguments* itemsOf(const Argument& argument) {
    if (const auto* list = argument.as<ListArgument>()) {
        return &list->items;
    }
    const auto* tuple = argument.as<TupleArgument>();
    return tuple == nullptr ? nullptr : &tuple->items;
}

/// Whether both have the same structure and types, and `same(left, right)` holds for all parts that hold no
/// other arguments.
template<typename Same>
[[nodiscard]] bool equalArguments(const Argument& left, const Argument& right, const Same& same) {
    if (left.value.index() != right.value.index()) {
        return false;
    }
    const auto equal = [&same](const Argument& a, const Argument& b) { return equalArguments(a, b, same); };
    if (const Arguments* items = itemsOf(left)) {
        return std::ranges::equal(*items, *itemsOf(right), equal);
    }
    if (const auto* slice = left.as<std::shared_ptr<const SliceArgument>>()) {
        const auto& other = *right.as<std::shared_ptr<const SliceArgument>>();
        return equal((*slice)->start, other->start) && equal((*slice)->stop, other->stop) &&
               equal((*slice)->step, other->step);
    }
    if (const auto* dict = left.as<std::shared_ptr<const DictArgument>>()) {
        return std::ranges::equal((*dict)->items, (*right.as<std::shared_ptr<const DictArgument>>())->items,
                                  [&equal](const auto& a, const auto& b) {
                                      return equal(a.first, b.first) && equal(a.second, b.second);
                                  });
    }
    return same(left, right);
}

/// The same where nodes are those for which `sameNode(left, right)` holds, and Python expressions that are
/// not interpreted have such nodes in order and `sameText(left, right)` holds.
template<typename SameNode, typename SameText>
[[nodiscard]] bool equalArguments(const Argument& left, const Argument& right, const SameNode& sameNode,
                                  const SameText& sameText) {
    return equalArguments(left, right, [&](const Argument& a, const Argument& b) {
        if (const NodeId* node = a.as<NodeId>()) {
            return sameNode(*node, *b.as<NodeId>());
        }
        if (const auto* opaque = a.as<OpaqueArgument>()) {
            const auto* other = b.as<OpaqueArgument>();
            return sameText(*opaque, *other) && std::ranges::equal(opaque->nodes, other->nodes, sameNode);
        }
        return a == b;
    });
}

/// Calls `visit(Argument)` for every part that holds no other arguments, in order of appearance.
template<typename Visit>
void forEachPart(const Argument& argument, Visit&& visit) {
    if (const Arguments* items = itemsOf(argument)) {
        for (const Argument& item : *items) {
            forEachPart(item, visit);
        }
    } else if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        forEachPart((*slice)->start, visit);
        forEachPart((*slice)->stop, visit);
        forEachPart((*slice)->step, visit);
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        for (const auto& [key, item] : (*dict)->items) {
            forEachPart(key, visit);
            forEachPart(item, visit);
        }
    } else {
        visit(argument);
    }
}

/// Calls `visit(NodeId)` for every node in the argument, in order of appearance, including repeats.
template<typename Visit>
void forEachNode(const Argument& argument, Visit&& visit) {
    forEachPart(argument, [&visit](const Argument& part) {
        if (const NodeId* node = part.as<NodeId>()) {
            visit(*node);
        } else if (const auto* opaque = part.as<OpaqueArgument>()) {
            for (const NodeId mentioned : opaque->nodes) {
                visit(mentioned);
            }
        }
    });
}

/// Calls `visit` for each value in an argument, with nested lists and tuples flattened in order.
template<typename Visit>
void forEachLeaf(const Argument& argument, Visit&& visit) {
    if (const Arguments* items = itemsOf(argument)) {
        for (const Argument& item : *items) {
            forEachLeaf(item, visit);
        }
    } else {
        visit(argument);
    }
}

/// Whether torch.utils._pytree takes the argument apart: lists, tuples and dictionaries are containers,
/// everything else is a leaf.
[[nodiscard]] bool isContainer(const Argument& argument);
/// The leaves from left to right; of a dictionary those of its values. An argument that is no container is a
/// leaf itself.
[[nodiscard]] Arguments treeLeaves(const Argument& argument);

} // namespace aotscope::ir

#pragma once

#include "ir/dtype.h"
#include "ir/symbolic/expression.h"
#include "ir/value.h"

#include "base/ids.h"

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

/// The items of a list or tuple; null: the argument is neither.
[[nodiscard]] inline const Arguments* listItems(const Argument& argument) {
    const auto* list = argument.as<ListArgument>();
    const auto* tuple = list == nullptr ? argument.as<TupleArgument>() : nullptr;
    return list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
}

/// Calls `visit(NodeId)` for every node in the argument, in order of appearance, including repeats.
template<typename Visit>
void forEachNode(const Argument& argument, Visit&& visit) {
    if (const NodeId* node = argument.as<NodeId>()) {
        visit(*node);
    } else if (const auto* list = argument.as<ListArgument>()) {
        for (const Argument& item : list->items) {
            forEachNode(item, visit);
        }
    } else if (const auto* tuple = argument.as<TupleArgument>()) {
        for (const Argument& item : tuple->items) {
            forEachNode(item, visit);
        }
    } else if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        forEachNode((*slice)->start, visit);
        forEachNode((*slice)->stop, visit);
        forEachNode((*slice)->step, visit);
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        for (const auto& [key, item] : (*dict)->items) {
            forEachNode(key, visit);
            forEachNode(item, visit);
        }
    } else if (const auto* opaque = argument.as<OpaqueArgument>()) {
        for (const NodeId mentioned : opaque->nodes) {
            visit(mentioned);
        }
    }
}

/// Calls `visit` for each value in an argument, with nested lists and tuples flattened in order.
template<typename Visit>
void forEachLeaf(const Argument& argument, Visit&& visit) {
    if (const auto* list = argument.as<ListArgument>()) {
        for (const Argument& item : list->items) {
            forEachLeaf(item, visit);
        }
    } else if (const auto* tuple = argument.as<TupleArgument>()) {
        for (const Argument& item : tuple->items) {
            forEachLeaf(item, visit);
        }
    } else {
        visit(argument);
    }
}

} // namespace aotscope::ir

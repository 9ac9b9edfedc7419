#pragma once

#include "ir/dtype.h"
#include "ir/symbolic.h"
#include "ir/value.h"

#include "base/ids.h"

#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Arguments of FX nodes: a closed set of kinds, each printed and parsed without loss.
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
/// A symbolic integer written into an argument rather than produced by a node.
struct SymbolArgument {
    SymExpr expression;
    friend bool operator==(const SymbolArgument&, const SymbolArgument&) = default;
};
struct DeviceArgument {
    Device device;
    friend bool operator==(const DeviceArgument&, const DeviceArgument&) = default;
};
/// torch.strided and its like, without the prefix.
struct LayoutArgument {
    std::string name;
    friend bool operator==(const LayoutArgument&, const LayoutArgument&) = default;
};
/// torch.contiguous_format and its like, without the prefix.
struct MemoryFormatArgument {
    std::string name;
    friend bool operator==(const MemoryFormatArgument&, const MemoryFormatArgument&) = default;
};
/// An operator given as a value ("corpus.accum_.default").
struct OperatorArgument {
    std::string target;
    friend bool operator==(const OperatorArgument&, const OperatorArgument&) = default;
};
/// A Python expression of a kind that has no meaning for the engine (an enum of a third party, a dataclass):
/// kept and printed as it was written. `nodes` are the nodes it mentions, so that uses stay true.
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

/// One argument. Bool, integer and float are apart: `True`, `1` and `1.0` print differently.
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
    // Compiled once, not by every file that holds arguments.
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

/// Deep equality; floats by bits, so NaN equals NaN and 0.0 differs from -0.0.
[[nodiscard]] bool operator==(const Argument& left, const Argument& right);

/// Calls `visit(NodeId)` for every node mentioned, in order of appearance, repeats included.
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

} // namespace aotscope::ir

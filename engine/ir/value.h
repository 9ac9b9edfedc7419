#pragma once

#include "ir/dtype.h"
#include "ir/symbolic/expression.h"

#include "base/describe.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The metadata of a node's value (FX's `node.meta["val"]`). Logs print only part of it; a part that was not
/// printed is unknown (an empty optional), never a guess.
namespace aotscope::ir {

/// "cpu", "cuda:0", "meta"; index -1: without index.
struct Device {
    std::string type;
    int index = -1;

    /// "cuda:0"
    [[nodiscard]] std::string text() const;
    /// Reads "cpu", "cuda", "cuda:1".
    [[nodiscard]] static std::optional<Device> parse(std::string_view text);
    friend bool operator==(const Device&, const Device&) = default;
};

using SymInts = std::vector<SymInt>;
/// Nothing if one of them is not known.
[[nodiscard]] std::optional<std::vector<std::int64_t>> valuesOf(const SymInts& numbers,
                                                                const SymbolBindings& symbols);

struct SubclassMeta;

/// Metadata of a tensor.
struct TensorMeta {
    DType dtype = DType::Unknown;
    SymInts shape;
    std::optional<SymInts> stride;
    std::optional<SymInt> storageOffset;
    std::optional<Device> device;
    std::optional<bool> requiresGrad;
    bool isParameter = false;
    /// torch.layout without the prefix ("jagged"); empty: strided.
    std::string layout;
    /// Set for a tensor subclass (its class name and inner tensors), shared because rare and large.
    std::shared_ptr<const SubclassMeta> subclass;

    /// Number of elements times element size under `bindings`; nothing: a symbol is unbound. This is the
    /// logical size: expanded (stride 0) dimensions count in full.
    [[nodiscard]] std::optional<std::int64_t> bytes(const SymbolBindings& bindings) const;
    friend bool operator==(const TensorMeta&, const TensorMeta&);
};

struct SubclassMeta {
    std::string className;
    std::vector<std::pair<std::string, TensorMeta>> inner;
};

/// Calls `visit` for the sizes, the strides and the storage offset of a tensor, as far as they are known.
template<typename Tensor, typename Visit>
void forEachNumber(Tensor& tensor, const Visit& visit) {
    for (auto& size : tensor.shape) {
        visit(size);
    }
    if (tensor.stride) {
        for (auto& step : *tensor.stride) {
            visit(step);
        }
    }
    if (tensor.storageOffset) {
        visit(*tensor.storageOffset);
    }
}

/// A SymInt, SymFloat or SymBool value: `Sym(s77)`.
struct SymbolicMeta {
    enum class Kind : std::uint8_t { Int, Float, Bool };
    Kind kind = Kind::Int;
    SymExpr expression;
    friend bool operator==(const SymbolicMeta&, const SymbolicMeta&) = default;
};
/// As in the JSON of graphs.
AOTSCOPE_WORDS(SymbolicMeta::Kind, "symint", "symfloat", "symbool")

struct TupleMeta;
/// A value of another type: the text of its type or repr.
struct OtherMeta {
    std::string text;
    friend bool operator==(const OtherMeta&, const OtherMeta&) = default;
};

/// std::monostate: unknown.
using ValueMeta =
    std::variant<std::monostate, TensorMeta, SymbolicMeta, std::shared_ptr<const TupleMeta>, OtherMeta>;

struct TupleMeta {
    std::vector<ValueMeta> elements;
};

[[nodiscard]] const TensorMeta* asTensor(const ValueMeta& value);

/// Calls `visit` for the tensor that a value is, or for those in a tuple, at any depth.
template<typename Visit>
void forEachTensor(const ValueMeta& value, const Visit& visit) {
    if (const TensorMeta* tensor = asTensor(value)) {
        visit(*tensor);
    } else if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value);
               tuple != nullptr && *tuple) {
        for (const ValueMeta& element : (*tuple)->elements) {
            forEachTensor(element, visit);
        }
    }
}

[[nodiscard]] bool equalValues(const ValueMeta& left, const ValueMeta& right);
/// As print_readable annotates it: `f32[8, 10][10, 1]cpu`, `Sym(s77)`; empty: unknown. Follows torch 2.11,
/// torch/fx/graph.py: CodeGen._gen_python_code.
[[nodiscard]] std::string valueText(const ValueMeta& value);

} // namespace aotscope::ir

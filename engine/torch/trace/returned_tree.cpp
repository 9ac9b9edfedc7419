#include "trace/returned_tree.h"

#include "base/mapped.h"
#include "dispatch/constant_names.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "trace/value_meta.h"

#include "base/overloaded.h"
#include "ir/map_nodes.h"

namespace aotscope::torch {

namespace {

class Tree {
public:
    explicit Tree(ReturnedTree& returned) : m_returned(returned) {}

    ir::Argument of(const ops::Value& value) {
        return std::visit(
            base::Overloaded{
                [](const ops::None&) -> ir::Argument { return ir::NoneArgument{}; },
                [&](const at::Tensor& tensor) { return output(tensor); },
                [](bool known) -> ir::Argument { return known; },
                [&](const c10::SymInt& number) {
                    // A constant that was computed from sizes is no plain number in PyTorch.
                    return number.is_heap_allocated()
                               ? symbolic(number, c10::SymNode::reclaim_copy(number.toSymNodeImplUnowned()))
                               : ir::Argument(number.expect_int());
                },
                [&](const c10::SymFloat& number) {
                    return number.is_symbolic() ? symbolic(number, number.toSymNodeImpl())
                                                : ir::Argument(number.as_float_unchecked());
                },
                [&](const c10::SymBool& flag) { return symbolic(flag, flag.toSymNodeImpl()); },
                [](const c10::complex<double>& number) -> ir::Argument {
                    return std::complex<double>(number.real(), number.imag());
                },
                [](const std::string& text) -> ir::Argument { return text; },
                [](c10::ScalarType dtype) -> ir::Argument { return dtypeOf(dtype); },
                [](c10::Device device) -> ir::Argument { return ir::DeviceArgument{deviceOf(device)}; },
                [](c10::Layout layout) -> ir::Argument { return ir::LayoutArgument{layoutName(layout)}; },
                [](c10::MemoryFormat format) -> ir::Argument {
                    return ir::MemoryFormatArgument{memoryFormatName(format)};
                },
                [](const ops::Ellipsis&) -> ir::Argument { return ir::EllipsisArgument{}; },
                [&](const ops::List& list) -> ir::Argument { return ir::ListArgument{items(*list.items)}; },
                [&](const ops::Tuple& tuple) -> ir::Argument {
                    return ir::TupleArgument{items(tuple.data->items)};
                },
                [&](const ops::Dict& dict) { return entries(dict); },
                [&](const auto&) -> ir::Argument {
                    fail("trace.output", "The function returns a value of type " + value.typeName() +
                                             ", which no graph can return.");
                }},
            value.variant());
    }

private:
    ir::Argument output(c10::IValue value) {
        m_returned.outputs.push_back(std::move(value));
        return ir::NodeId(static_cast<std::uint32_t>(m_returned.outputs.size() - 1));
    }

    ir::Argument symbolic(c10::IValue value, c10::SymNode number) {
        m_returned.numbers.emplace(m_returned.outputs.size(), std::move(number));
        return output(std::move(value));
    }

    ir::Arguments items(const ops::Values& values) {
        return base::mapped(values, [&](const ops::Value& value) { return of(value); });
    }

    ir::Argument entries(const ops::Dict& dict) {
        auto made = std::make_shared<ir::DictArgument>();
        for (const auto& [key, item] : *dict.items) {
            made->items.emplace_back(of(key), of(item));
        }
        return std::shared_ptr<const ir::DictArgument>(std::move(made));
    }

    ReturnedTree& m_returned;
};

} // namespace

ReturnedTree returnedTree(const ops::Value& value) {
    ReturnedTree returned;
    returned.tree = Tree(returned).of(value);
    return returned;
}

void returnTree(ir::GraphBuilder& graph, const ir::Argument& tree) {
    const ir::NodeId output = graph.output().value();
    const ir::Argument flat = graph.node(output).args.at(0);
    const ir::Arguments* items = ir::itemsOf(flat);
    const ir::Arguments values = items != nullptr ? *items : ir::Arguments{flat};
    graph.setArguments(output,
                       {ir::mapNodes(tree, [&](ir::NodeId place) { return values.at(place.index()); })});
    graph.editMeta(output).descriptors.clear();
}

} // namespace aotscope::torch

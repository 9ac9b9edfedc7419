#include "run/state/frame.h"

#include "base/mapped.h"
#include "dispatch/constant_names.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "run/state/float64_copy.h"

namespace aotscope::torch {

namespace {

using c10::IValue;

constexpr int maxDepth = 64;

class ValueReader {
public:
    explicit ValueReader(const Frame& frame) : m_frame(frame) {}

    IValue read(const ir::Argument& argument) {
        if (++m_depth > maxDepth) {
            fail("run.arguments", "The argument is nested too deeply.");
        }
        IValue value = std::visit([this](const auto& kind) { return convert(kind); }, argument.value);
        --m_depth;
        return value;
    }

private:
    IValue convert(const ir::NoneArgument&) { return {}; }
    IValue convert(bool value) { return value; }
    IValue convert(std::int64_t value) { return value; }
    IValue convert(double value) { return value; }
    IValue convert(const std::complex<double>& value) {
        return c10::complex<double>(value.real(), value.imag());
    }
    IValue convert(const std::string& value) { return value; }
    IValue convert(ir::NodeId node) { return m_frame.values[node.index()]; }
    IValue convert(ir::DType dtype) {
        const auto type = scalarType(dtype);
        if (!type) {
            fail("run.arguments",
                 "The dtype torch." + std::string(ir::dtypeName(dtype)) + " is not known to LibTorch.");
        }
        return static_cast<std::int64_t>(m_frame.context.inFloat64 ? exactType(*type) : *type);
    }
    IValue convert(const ir::EllipsisArgument&) {
        fail("run.arguments", "An Ellipsis has no run-time value.");
    }
    IValue convert(const ir::SymbolArgument& symbol) {
        return symbolValue(symbol.expression, m_frame.context);
    }
    IValue convert(const ir::DeviceArgument& device) { return m_frame.context.place.of(device.device); }
    IValue convert(const ir::LayoutArgument& layout) {
        if (const auto known = layoutNamed(layout.name)) {
            return static_cast<std::int64_t>(*known);
        }
        fail("run.arguments", "The layout torch." + layout.name + " is not known to LibTorch.");
    }
    IValue convert(const ir::MemoryFormatArgument& format) {
        if (const auto known = memoryFormatNamed(format.name)) {
            return static_cast<std::int64_t>(*known);
        }
        fail("run.arguments", "The memory format torch." + format.name + " is not known to LibTorch.");
    }
    IValue convert(const ir::OperatorArgument& op) { return op.target; }
    IValue convert(const ir::OpaqueArgument& opaque) {
        fail("run.arguments", "The argument " + opaque.text + " has no value outside of Python.");
    }
    IValue convert(const ir::ListArgument& list) { return sequence(list.items); }
    IValue convert(const ir::TupleArgument& tuple) {
        return c10::ivalue::Tuple::create(
            base::mapped(tuple.items, [this](const ir::Argument& item) { return read(item); }));
    }
    IValue convert(const std::shared_ptr<const ir::SliceArgument>& slice) {
        return c10::ivalue::Tuple::create(
            {IValue("slice"), read(slice->start), read(slice->stop), read(slice->step)});
    }
    // Options of higher-order operators, which read the ir::Argument themselves.
    IValue convert(const std::shared_ptr<const ir::DictArgument>&) { return {}; }

    IValue sequence(const ir::Arguments& items) {
        c10::impl::GenericList list(c10::AnyType::get());
        list.reserve(items.size());
        for (const ir::Argument& item : items) {
            list.push_back(read(item));
        }
        return list;
    }

    const Frame& m_frame;
    int m_depth = 0;
};

} // namespace

IValue argumentValue(const ir::Argument& argument, const Frame& frame) {
    return ValueReader(frame).read(argument);
}

std::vector<IValue> argumentValues(std::span<const ir::Argument> arguments, const Frame& frame) {
    return base::mapped(arguments,
                        [&](const ir::Argument& argument) { return argumentValue(argument, frame); });
}

NamedValues keywordValues(const std::vector<ir::KeywordArgument>& kwargs, const Frame& frame) {
    return base::mapped(kwargs, [&](const ir::KeywordArgument& kwarg) {
        return std::pair(kwarg.name, argumentValue(kwarg.value, frame));
    });
}

IValue symbolValue(const ir::SymExpr& expression, const RunContext& context) {
    const base::Result<ir::SymbolValue> value = expression.evaluate(context.symbols);
    if (!value) {
        throw RunFailure(value.error());
    }
    return std::visit([](auto number) { return IValue(number); }, *value);
}

std::int64_t sizeValue(const ir::SymInt& size, const RunContext& context) {
    if (!size.isSymbolic()) {
        return size.integer();
    }
    const IValue value = symbolValue(size.expression(), context);
    if (!value.isInt()) {
        fail("run.arguments", "The size " + size.text() + " is not an integer.");
    }
    return value.toInt();
}

} // namespace aotscope::torch

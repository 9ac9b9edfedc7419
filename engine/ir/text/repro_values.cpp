#include "ir/text/repro_values.h"

#include "ir/keywords.h"
#include "ir/text/arguments.h"

#include "base/mapped.h"
#include "base/text_search.h"

#include <algorithm>
#include <optional>

namespace aotscope::ir {
namespace {

/// The arguments of a call of the script.
struct ScriptCall {
    Arguments args;
    std::vector<KeywordArgument> kwargs;

    [[nodiscard]] const Argument* keyword(std::string_view name) const { return tryKeyword(kwargs, name); }
    /// By position, else by name.
    [[nodiscard]] const Argument* argument(std::size_t position, std::string_view name) const {
        return position < args.size() ? &args[position] : keyword(name);
    }
};

/// From behind the opening parenthesis. Nothing: what stands there is no call.
std::optional<ScriptCall> readScriptCall(std::string_view text) {
    TextCursor cursor(text);
    const NameTable noNames;
    SymbolCache symbols;
    ScriptCall call;
    try {
        ArgumentReader(cursor, noNames, symbols).callArguments(call.args, call.kwargs);
    } catch (const ParseFailure&) {
        return std::nullopt;
    }
    return call;
}

const Arguments* sequenceItems(const Argument* argument) {
    return argument == nullptr ? nullptr : itemsOf(*argument);
}

std::optional<SymInt> scriptSize(const Argument& argument) {
    if (const auto* number = argument.as<std::int64_t>()) {
        return SymInt(*number);
    }
    const auto* symbol = argument.as<SymbolArgument>();
    return symbol != nullptr ? std::optional(SymInt(symbol->expression)) : std::nullopt;
}

std::optional<SymInts> scriptSizes(const Argument* argument) {
    const Arguments* items = sequenceItems(argument);
    return items == nullptr ? std::nullopt : base::mappedIfAll(*items, scriptSize);
}

std::optional<Device> scriptDevice(const Argument* argument) {
    if (argument == nullptr) {
        return std::nullopt;
    }
    if (const auto* device = argument->as<DeviceArgument>()) {
        return device->device;
    }
    const auto* text = argument->as<std::string>();
    return text != nullptr ? Device::parse(*text) : std::nullopt;
}

DType scriptDtype(const Argument* argument, DType standard) {
    const DType* dtype = argument != nullptr ? argument->as<DType>() : nullptr;
    return dtype != nullptr ? *dtype : standard;
}

/// `reader.tensor(buf0, (4, 4), (1, 4), dtype=torch.int64, storage_offset=2, requires_grad=True)`
ValueMeta inputTensor(const ScriptCall& call, const std::map<std::string, Device, std::less<>>& storages) {
    const std::optional<SymInts> shape = scriptSizes(call.argument(1, "shape"));
    if (!shape) {
        return {};
    }
    TensorMeta meta;
    meta.dtype = scriptDtype(call.keyword("dtype"), DType::Float32);
    meta.shape = *shape;
    meta.stride = scriptSizes(call.argument(2, "stride"));
    const Argument* offset = call.keyword("storage_offset");
    meta.storageOffset = offset != nullptr ? scriptSize(*offset) : SymInt(0);
    const Argument* requiresGrad = call.keyword("requires_grad");
    meta.requiresGrad =
        requiresGrad != nullptr && requiresGrad->as<bool>() != nullptr && *requiresGrad->as<bool>();
    meta.device = Device{"cpu", -1};
    const OpaqueArgument* storage = call.args.empty() ? nullptr : call.args[0].as<OpaqueArgument>();
    if (const auto found = storage != nullptr ? storages.find(storage->text) : storages.end();
        found != storages.end()) {
        meta.device = found->second;
    }
    return meta;
}

ValueMeta inputNumber(const ScriptCall& call) {
    const std::optional<SymInt> value = call.args.empty() ? std::nullopt : scriptSize(call.args[0]);
    return value ? ValueMeta(SymbolicMeta{SymbolicMeta::Kind::Int, SymExpr(value->text())}) : ValueMeta();
}

/// "primals_1" of `# primals_1` and of `# primals_1, filtered out during compilation`.
std::string commentName(std::string_view line) {
    const std::size_t mark = line.rfind("  # ");
    if (mark == std::string_view::npos) {
        return {};
    }
    const std::string_view comment = line.substr(mark + 4);
    return std::string(comment.substr(0, comment.find_first_of(", \r")));
}

class ReproInputReader {
public:
    std::vector<ReproInput> read(std::string_view function) {
        while (!function.empty()) {
            std::string_view text = base::takePart(function, '\n');
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
            if (text.starts_with(R"(""")")) {
                m_quoted = !m_quoted;
            } else if (!m_quoted) {
                line(text);
            }
        }
        return std::move(m_inputs);
    }

private:
    void line(std::string_view text) {
        constexpr std::string_view unsupported = " was unsupported type for dumping";
        if (text.starts_with("# ") && text.find(unsupported) != std::string_view::npos) {
            m_inputs.push_back({std::string(text.substr(2, text.find(unsupported) - 2)), {}});
            return;
        }
        const std::size_t reader = text.find("reader.");
        const std::size_t open = text.find('(', std::min(reader, text.size()));
        if (open == std::string_view::npos) {
            return;
        }
        const std::string_view verb = text.substr(reader + 7, open - reader - 7);
        const ScriptCall call = readScriptCall(text.substr(open + 1)).value_or(ScriptCall());
        if (verb == "storage") {
            const std::string name(text.substr(0, text.find(" = ")));
            if (const auto device = scriptDevice(call.keyword("device"))) {
                m_storages.emplace(name, *device);
            }
        } else if (verb == "tensor") {
            m_inputs.push_back({commentName(text), inputTensor(call, m_storages)});
        } else if (verb == "symint") {
            m_inputs.push_back({commentName(text), inputNumber(call)});
        } else if (verb == "const") {
            m_inputs.push_back({commentName(text), {}});
        }
    }

    bool m_quoted = false;
    std::map<std::string, Device, std::less<>> m_storages;
    std::vector<ReproInput> m_inputs;
};

/// Shape and type of `tensor([[1., 2.]])`, from its numbers.
void learnFromNumbers(const Argument& data, TensorMeta& meta) {
    const Argument* at = &data;
    for (const Arguments* items = sequenceItems(at); items != nullptr; items = sequenceItems(at)) {
        meta.shape.emplace_back(static_cast<std::int64_t>(items->size()));
        if (items->empty()) {
            meta.dtype = DType::Float32;
            return;
        }
        at = &items->front();
    }
    const auto* complex = at->as<OpaqueArgument>();
    meta.dtype = at->as<bool>() != nullptr                            ? DType::Bool
                 : at->as<std::int64_t>() != nullptr                  ? DType::Int64
                 : complex != nullptr && complex->text.ends_with('j') ? DType::Complex64
                                                                      : DType::Float32;
}

/// `torch.randn([4], dtype=torch.float32)`, `torch.randint(1, size=[4], dtype=torch.int64)`, `tensor([1,
/// 2])`, any of them in `torch.nn.Parameter(…)`.
std::optional<TensorMeta> madeTensor(std::string_view text) {
    TensorMeta meta;
    constexpr std::string_view parameter = "torch.nn.Parameter(";
    if (text.starts_with(parameter)) {
        text.remove_prefix(parameter.size());
        meta.isParameter = true;
    }
    const std::string_view maker = text.substr(0, text.find('('));
    if (maker != "torch.randn" && maker != "torch.randint" && maker != "tensor") {
        return std::nullopt;
    }
    text.remove_prefix(maker.size() + 1);
    const std::optional<ScriptCall> call = readScriptCall(text);
    if (!call || call->args.empty()) {
        return std::nullopt;
    }
    if (maker == "tensor") {
        learnFromNumbers(call->args[0], meta);
    }
    const Argument* size = maker == "torch.randn" ? call->argument(0, "size") : call->keyword("size");
    if (const std::optional<SymInts> shape = scriptSizes(size)) {
        meta.shape = *shape;
    }
    meta.dtype = scriptDtype(call->keyword("dtype"), maker == "torch.randn" ? DType::Float32 : meta.dtype);
    meta.device = scriptDevice(call->keyword("device")).value_or(Device{"cpu", -1});
    return meta;
}

} // namespace

std::vector<ReproInput> reproInputs(std::string_view function) {
    return ReproInputReader().read(function);
}

std::map<std::string, TensorMeta> reproAttributes(std::string_view text) {
    std::map<std::string, TensorMeta> attributes;
    constexpr std::string_view member = "\n        self.";
    constexpr std::string_view buffer = "register_buffer('";
    const std::string_view constructor = text.substr(0, text.find("\n    def forward("));
    for (std::size_t at = constructor.find(member); at != std::string_view::npos;
         at = constructor.find(member, at + 1)) {
        std::string_view line = constructor.substr(at + member.size());
        const bool isBuffer = line.starts_with(buffer);
        line.remove_prefix(isBuffer ? buffer.size() : 0);
        const std::string_view between = isBuffer ? "', " : " = ";
        const std::size_t end = line.substr(0, line.find('\n')).find(between);
        if (end == std::string_view::npos) {
            continue;
        }
        // Only tensors of a few elements are written out.
        constexpr std::size_t longestValue = 4096;
        if (const auto made = madeTensor(line.substr(end + between.size(), longestValue))) {
            attributes.emplace(line.substr(0, end), *made);
        }
    }
    return attributes;
}

} // namespace aotscope::ir

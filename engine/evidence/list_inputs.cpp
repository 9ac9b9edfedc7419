#include "evidence/list_inputs.h"

#include "load/graph_inputs.h"

#include "ir/graph_builder.h"

#include "base/numbers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace aotscope::evidence {
namespace {

/// True for a placeholder printed as "L_inputs_ : list". The parser keeps an annotation that is a Python type
/// under this key.
bool isList(const ir::Node& placeholder) {
    return std::ranges::any_of(placeholder.extra, [](const auto& entry) {
        return entry.first == "type" && entry.second == "\"list\"";
    });
}

/// The index of a list element: 3 for the source "L['inputs'][3]" of the placeholder "L_inputs_".
std::optional<std::size_t> elementNumber(std::string_view source, std::string_view placeholder) {
    const std::size_t bracket = source.rfind('[');
    if (bracket == std::string_view::npos || !source.ends_with(']') ||
        load::placeholderOf(source.substr(0, bracket)) != placeholder) {
        return std::nullopt;
    }
    return base::wholeNumber<std::size_t>(source.substr(bracket + 1, source.size() - bracket - 2));
}

/// The index that a node reads from a list; nothing if it reads none.
std::optional<std::size_t> readElement(const ir::Node& node, ir::NodeId list) {
    const auto picked = ir::pickedResult(node);
    return picked && picked->call == list ? std::optional(picked->index) : std::nullopt;
}

using Symbols = std::span<const load::TraceLog::LoggedSymbol>;

/// Sizes or strides of a logged tensor, with the symbols created for them.
ir::SymInts describedNumbers(const std::vector<std::string>& texts, const std::string& source,
                             Symbols symbols) {
    ir::SymInts numbers;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto symbol = std::ranges::find(symbols, source + '[' + std::to_string(i) + ']',
                                              &load::TraceLog::LoggedSymbol::source);
        numbers.push_back(describedSize(symbol == symbols.end() ? texts[i] : symbol->symbol));
    }
    return numbers;
}

/// "device(type='cuda', index=0)"
std::optional<ir::Device> describedDevice(const std::string& text) {
    const std::size_t quote = text.find('\'');
    const std::size_t end = quote == std::string::npos ? quote : text.find('\'', quote + 1);
    if (end == std::string::npos) {
        return std::nullopt;
    }
    ir::Device device{text.substr(quote + 1, end - quote - 1), -1};
    if (const std::size_t index = text.find("index="); index != std::string::npos) {
        device.index = base::leadingNumber<int>(std::string_view(text).substr(index + 6)).value_or(-1);
    }
    return device;
}

ir::ValueMeta describedValue(const load::InputTensor& tensor, Symbols symbols) {
    const auto dtype = describedDtype(tensor);
    if (!tensor.described || !dtype) {
        return {};
    }
    ir::TensorMeta meta;
    meta.dtype = *dtype;
    meta.shape = describedNumbers(tensor.sizes, tensor.source + ".size()", symbols);
    meta.stride = describedNumbers(tensor.strides, tensor.source + ".stride()", symbols);
    meta.device = describedDevice(tensor.device);
    return meta;
}

/// One list input of a program, replaced by its elements.
class ListInput {
public:
    ListInput(const ir::Graph& program, ir::NodeId list, std::span<const load::InputTensor> described)
        : m_program(program), m_list(list) {
        for (const load::InputTensor& tensor : described) {
            if (const auto number = elementNumber(tensor.source, program.node(list).target)) {
                // If an element is described twice, the last description belongs to this compile.
                m_described[*number] = &tensor;
                m_source = tensor.source.substr(0, tensor.source.rfind('['));
                m_count = std::max(m_count, *number + 1);
            }
        }
        for (const ir::NodeId user : program.users(list)) {
            if (const auto number = readElement(program.node(user), list)) {
                m_readers[*number].push_back(user);
                m_count = std::max(m_count, *number + 1);
            } else {
                m_otherUse = user;
            }
        }
        findBases();
    }

    /// Puts the elements in the place of the list and appends one entry for each to `inputs`.
    [[nodiscard]] base::Result<void> replace(ir::GraphBuilder& edited, Symbols symbols,
                                             std::vector<load::InputTensor>& inputs) const {
        if (m_otherUse) {
            return unclear("the node " + m_program.node(*m_otherUse).name + " uses it as a whole");
        }
        for (std::size_t number = 0; number < m_count; ++number) {
            const load::InputTensor tensor = told(number);
            const ir::NodeId made = edited.append(element(number, tensor, symbols));
            if (ir::asTensor(edited.node(made).value) == nullptr) {
                return unclear("its element " + std::to_string(number) + " is not described in the log");
            }
            edited.moveBefore(made, m_list);
            inputs.push_back(tensor);
            if (const auto readers = m_readers.find(number); readers != m_readers.end()) {
                for (const ir::NodeId reader : readers->second) {
                    edited.replaceAllUses(reader, made);
                    edited.erase(reader);
                }
            }
        }
        edited.erase(m_list);
        return {};
    }

private:
    /// PyTorch does not describe a tensor again that it has described as the base of a view. So an element
    /// without a description is such a base, found by its dtype and sizes. Of several candidates a leaf is
    /// preferred: tensors that accumulate a gradient are always in the list, bases of saved views rarely.
    void findBases() {
        for (const auto& [number, readers] : m_readers) {
            const ir::TensorMeta* meta = ir::asTensor(m_program.node(readers.front()).value);
            if (meta == nullptr || m_described.contains(number)) {
                continue;
            }
            std::shared_ptr<const load::InputTensor> found;
            for (const auto& [viewer, view] : m_described) {
                const bool fits = viewer < number && view->base && isDescribedBy(*meta, *view->base) &&
                                  !isTaken(*view->base);
                if (fits && (!found || (view->base->isLeaf && !found->isLeaf))) {
                    found = view->base;
                }
            }
            if (found) {
                m_bases.emplace(number, std::move(found));
            }
        }
    }

    [[nodiscard]] bool isTaken(const load::InputTensor& base) const {
        return std::ranges::any_of(m_bases, [&](const auto& taken) {
            return taken.second->storage == base.storage && taken.second->describer == base.describer;
        });
    }

    [[nodiscard]] bool isDescribedBy(const ir::TensorMeta& meta, const load::InputTensor& tensor) const {
        const auto same = [&](const ir::SymInts& numbers, const std::vector<std::string>& texts) {
            return std::ranges::equal(numbers, texts, [&](const ir::SymInt& number, const std::string& text) {
                const auto value = number.value(m_program.symbolHints());
                return number.text() == text || (value && std::to_string(*value) == text);
            });
        };
        return tensor.dtype == "torch." + std::string(ir::dtypeName(meta.dtype)) &&
               same(meta.shape, tensor.sizes) && meta.stride && same(*meta.stride, tensor.strides);
    }

    /// The logged description of an element; an empty one if there is none.
    [[nodiscard]] load::InputTensor told(std::size_t number) const {
        if (const auto described = m_described.find(number); described != m_described.end()) {
            return *described->second;
        }
        load::InputTensor tensor;
        if (const auto base = m_bases.find(number); base != m_bases.end()) {
            tensor = *base->second;
        }
        tensor.source = m_source.empty() ? "" : m_source + '[' + std::to_string(number) + ']';
        return tensor;
    }

    [[nodiscard]] ir::Node element(std::size_t number, const load::InputTensor& tensor,
                                   Symbols symbols) const {
        const ir::Node& list = m_program.node(m_list);
        ir::Node node;
        node.op = ir::Opcode::Placeholder;
        node.name = list.name + std::to_string(number) + "_";
        node.target = list.target + std::to_string(number) + "_";
        node.inputSource = tensor.source;
        const auto readers = m_readers.find(number);
        node.value = readers == m_readers.end() ? describedValue(tensor, symbols)
                                                : m_program.node(readers->second.front()).value;
        return node;
    }

    [[nodiscard]] base::Error unclear(const std::string& why) const {
        return {.code = "retrace.inputs",
                .message = "The input " + m_program.node(m_list).name + " is a list, and " + why + ".",
                .hint = "The logged graphs can still be viewed."};
    }

    const ir::Graph& m_program;
    ir::NodeId m_list;
    std::size_t m_count = 0;
    /// "L['inputs']"
    std::string m_source;
    std::map<std::size_t, const load::InputTensor*> m_described;
    std::map<std::size_t, std::shared_ptr<const load::InputTensor>> m_bases;
    std::map<std::size_t, std::vector<ir::NodeId>> m_readers;
    std::optional<ir::NodeId> m_otherUse;
};

} // namespace

ir::SymInt describedSize(const std::string& text) {
    const auto number = base::wholeNumber<std::int64_t>(text);
    return number ? ir::SymInt(*number) : ir::SymInt(ir::SymExpr(text));
}

std::optional<ir::DType> describedDtype(const load::InputTensor& tensor) {
    constexpr std::string_view torch = "torch.";
    const std::string_view name = tensor.dtype;
    return ir::dtypeFromName(name.starts_with(torch) ? name.substr(torch.size()) : name);
}

bool hasListInputs(const ir::Graph& program) {
    return std::ranges::any_of(program.placeholders(),
                               [&](ir::NodeId id) { return isList(program.node(id)); });
}

base::Result<DescribedProgram> withoutListInputs(DescribedProgram told,
                                                 std::span<const load::InputTensor> described,
                                                 std::span<const load::TraceLog::LoggedSymbol> symbols) {
    const ir::Graph& program = *told.program;
    const std::vector<ir::NodeId> placeholders = program.placeholders();
    if (!hasListInputs(program) || told.inputs.size() != placeholders.size()) {
        return told;
    }
    ir::GraphBuilder edited(program);
    std::vector<load::InputTensor> inputs;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        if (!isList(program.node(placeholders[i]))) {
            edited.editMeta(placeholders[i]).inputSource = told.inputs[i].source;
            inputs.push_back(std::move(told.inputs[i]));
        } else
            AOTSCOPE_CHECK(ListInput(program, placeholders[i], described).replace(edited, symbols, inputs));
    }
    return DescribedProgram{edited.finish(), std::move(inputs)};
}

} // namespace aotscope::evidence

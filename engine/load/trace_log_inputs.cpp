#include "load/graph_inputs.h"
#include "load/python_json.h"
#include "load/record_kind.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "base/numbers.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace aotscope::load {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// Describer and id: tensors and storages are numbered per describer.
using DescribedId = std::pair<std::int64_t, std::int64_t>;

/// -1: there is none.
std::int64_t numberOf(const object& fields, std::string_view key) {
    return valueAs<std::int64_t>(fields[key]).value_or(-1);
}

bool flagOf(const object& fields, std::string_view key) {
    return valueAs<bool>(fields[key]).value_or(false);
}

/// A string, or a number as text.
std::string textOf(const element& value) {
    const auto text = valueAs<std::string_view>(value);
    return text ? std::string(*text) : simdjson::minify(value);
}

std::string textOf(const object& fields, std::string_view key) {
    element value;
    return fields[key].get(value) == simdjson::SUCCESS ? textOf(value) : std::string();
}

std::vector<std::string> textsOf(const object& fields, std::string_view key) {
    std::vector<std::string> out;
    if (const auto list = valueAs<array>(fields[key])) {
        for (const element item : *list) {
            out.push_back(textOf(item));
        }
    }
    return out;
}

InputTensor tensorFrom(const object& fields) {
    InputTensor tensor;
    tensor.described = true;
    tensor.dtype = textOf(fields, "dtype");
    tensor.device = textOf(fields, "device");
    tensor.layout = textOf(fields, "layout");
    tensor.sizes = textsOf(fields, "size");
    tensor.strides = textsOf(fields, "stride");
    // Omitted if it is the default.
    const std::string offset = textOf(fields, "storage_offset");
    tensor.storageOffset = offset.empty() ? "0" : offset;
    tensor.requiresGrad = flagOf(fields, "requires_grad");
    tensor.isLeaf = flagOf(fields, "is_leaf");
    tensor.isParameter = flagOf(fields, "is_parameter");
    tensor.isView = flagOf(fields, "is_view");
    tensor.storage = numberOf(fields, "storage");
    tensor.describer = numberOf(fields, "describer_id");
    tensor.subclass = textOf(fields, "type");
    return tensor;
}

/// The content of a compile's describe_… and create_symbol records.
struct Descriptions {
    std::map<DescribedId, InputTensor> tensors;
    std::map<DescribedId, std::int64_t> storages;
    std::map<DescribedId, DescribedId> bases;
    /// In the order of the log, which is Dynamo's order.
    std::vector<std::pair<std::string, DescribedId>> sources;
    std::unordered_map<std::string, std::string> symbols;

    void add(RecordKind kind, const object& fields) {
        const DescribedId id = {numberOf(fields, "describer_id"), numberOf(fields, "id")};
        if (kind == RecordKind::DescribeTensor) {
            tensors.insert_or_assign(id, tensorFrom(fields));
            if (const std::int64_t base = numberOf(fields, "base"); base >= 0) {
                bases.insert_or_assign(id, DescribedId{id.first, base});
            }
        } else if (kind == RecordKind::DescribeStorage) {
            if (const std::int64_t size = numberOf(fields, "size"); size >= 0) {
                storages.insert_or_assign(id, size);
            }
        } else if (kind == RecordKind::DescribeSource) {
            sources.emplace_back(textOf(fields, "source"), id);
        } else {
            symbols.insert_or_assign(textOf(fields, "symbol"), textOf(fields, "source"));
        }
    }

    [[nodiscard]] InputTensor tensor(const DescribedId& id) const {
        const auto found = tensors.find(id);
        if (found == tensors.end()) {
            return {};
        }
        InputTensor out = found->second;
        if (const auto storage = storages.find({id.first, out.storage}); storage != storages.end()) {
            out.storageBytes = storage->second;
        }
        if (const auto base = bases.find(id); base != bases.end()) {
            // A base is not a view itself, so one step is enough, even if the log is wrong.
            if (const auto described = tensors.find(base->second); described != tensors.end()) {
                out.base = std::make_shared<const InputTensor>(described->second);
            }
        }
        return out;
    }
};

bool describes(RecordKind kind) {
    using enum RecordKind;
    return isOneOf(kind, {DescribeTensor, DescribeStorage, DescribeSource, CreateSymbol});
}

Descriptions descriptionsOf(const TraceLog& log, std::span<const RecordId> records) {
    Descriptions out;
    for (const RecordId record : records) {
        const RecordKind kind = log.kind(record);
        if (!describes(kind)) {
            continue;
        }
        const std::string text = log.envelope(record);
        const ParsedJson json(text);
        if (const auto fields = valueAs<object>(json.root()[log.kindName(record)])) {
            out.add(kind, *fields);
        }
    }
    return out;
}

/// Finds the source of a placeholder by its name. If several sources give the same name, Dynamo appends "_0",
/// "_1", … to all but the first.
class SourceFinder {
public:
    explicit SourceFinder(const Descriptions& descriptions) : m_descriptions(descriptions) {
        for (std::size_t i = 0; i < descriptions.sources.size(); ++i) {
            const std::string& source = descriptions.sources[i].first;
            m_byName[placeholderOf(source)].push_back(i);
            // A gradient is a separate input, but the log only describes the tensor that it belongs to.
            m_gradients.try_emplace(placeholderOf(source + ".grad"), source + ".grad");
        }
    }

    [[nodiscard]] InputTensor find(const GraphInput& input) const {
        InputTensor out;
        if (const std::string_view symbol = symbolOf(input.annotation); !symbol.empty()) {
            // The annotation has the symbol that this one was found to be equal to; the name is its own.
            const auto own = m_descriptions.symbols.find(input.name);
            const auto found =
                own != m_descriptions.symbols.end() ? own : m_descriptions.symbols.find(std::string(symbol));
            if (found != m_descriptions.symbols.end()) {
                out.source = found->second;
            }
        } else if (const auto index = sourceOf(input.name)) {
            const auto& [source, id] = m_descriptions.sources[*index];
            out = m_descriptions.tensor(id);
            out.source = source;
        } else if (const auto gradient = m_gradients.find(input.name); gradient != m_gradients.end()) {
            out.source = gradient->second;
        }
        out.placeholder = input.name;
        return out;
    }

private:
    [[nodiscard]] std::optional<std::size_t> sourceOf(const std::string& name) const {
        if (const auto found = m_byName.find(name); found != m_byName.end()) {
            return found->second.front();
        }
        const std::size_t mark = name.rfind('_');
        const auto number = mark == std::string::npos
                                ? std::nullopt
                                : base::wholeNumber<std::uint32_t>(std::string_view(name).substr(mark + 1));
        const auto found = number ? m_byName.find(name.substr(0, mark)) : m_byName.end();
        if (found == m_byName.end() || *number >= found->second.size() - 1) {
            return std::nullopt;
        }
        return found->second[*number + 1];
    }

    const Descriptions& m_descriptions;
    std::unordered_map<std::string, std::vector<std::size_t>> m_byName;
    std::unordered_map<std::string, std::string> m_gradients;
};

/// "[4, 4]"
std::string bracketed(const std::vector<std::string>& texts) {
    return "[" + base::joined(texts) + "]";
}

/// Describes inputs without a source by the bases of views: a base is described together with its first view,
/// and no record follows when the base is an input itself. They are matched by sizes and strides.
class UnnamedBases {
public:
    explicit UnnamedBases(const Descriptions& descriptions) : m_descriptions(descriptions) {
        for (const auto& [view, base] : descriptions.bases) {
            const auto isBase = [&, id = base](const auto& source) { return source.second == id; };
            const bool isNamed = std::ranges::any_of(descriptions.sources, isBase);
            if (!isNamed && std::ranges::find(m_left, base) == m_left.end()) {
                m_left.push_back(base);
            }
        }
    }

    void fill(const GraphInput& input, InputTensor& tensor) {
        const std::size_t sizes = input.annotation.find('[');
        if (tensor.described || !tensor.source.empty() || sizes == std::string::npos) {
            return;
        }
        const std::string layout = input.annotation.substr(sizes);
        const auto found = std::ranges::find_if(m_left, [&](const DescribedId& id) {
            const InputTensor base = m_descriptions.tensor(id);
            // Older versions of PyTorch do not print strides.
            return layout == bracketed(base.sizes) ||
                   layout.starts_with(bracketed(base.sizes) + bracketed(base.strides));
        });
        if (found != m_left.end()) {
            tensor = m_descriptions.tensor(*found);
            tensor.placeholder = input.name;
            m_left.erase(found);
        }
    }

private:
    const Descriptions& m_descriptions;
    std::vector<DescribedId> m_left;
};

/// Whether a record separates two Dynamo graphs: Dynamo's descriptions for the next graph come after it,
/// those that AOTAutograd wrote for the previous graph before it. `dynamo_start` alone is not enough, because
/// an attempt after a restart has none.
bool separatesGraphs(RecordKind kind) {
    using enum RecordKind;
    return isOneOf(kind, {DynamoStart, DynamoOutputGraph, DynamoCppGuards, CompilationMetrics, AotJointGraph,
                          AotForwardGraph, AotBackwardGraph, AotInferenceGraph});
}

/// The records that Dynamo wrote for a graph; without `graph`, all records of the compile.
std::span<const RecordId> recordsFor(const TraceLog& log, CompileIndex index, std::optional<RecordId> graph) {
    return graph ? log.recordsOf(index, *graph).before
                 : std::span<const RecordId>(log.compile(index).records);
}

} // namespace

TraceLog::GraphRecords TraceLog::recordsOf(CompileIndex index, RecordId graph) const {
    const std::span<const RecordId> all = compile(index).records;
    const auto place = static_cast<std::size_t>(std::find(all.begin(), all.end(), graph) - all.begin());
    if (place == all.size()) {
        return {};
    }
    std::size_t begin = place;
    while (begin > 0 && !separatesGraphs(kind(all[begin - 1]))) {
        --begin;
    }
    std::size_t end = place + 1;
    while (end < all.size() && kind(all[end]) != RecordKind::DynamoOutputGraph) {
        ++end;
    }
    return {all.subspan(begin, place + 1 - begin), all.subspan(place + 1, end - place - 1)};
}

std::vector<InputTensor> TraceLog::inputTensors(CompileIndex index, std::optional<RecordId> graph) const {
    std::vector<InputTensor> out;
    const Compile& row = compile(index);
    if (!graph) {
        const auto last = std::find_if(row.records.rbegin(), row.records.rend(), [this](RecordId record) {
            return kind(record) == RecordKind::DynamoOutputGraph;
        });
        if (last == row.records.rend()) {
            return out;
        }
        graph = *last;
    }
    const Descriptions descriptions = descriptionsOf(*this, recordsFor(*this, index, graph));
    const SourceFinder finder(descriptions);
    UnnamedBases bases(descriptions);
    for (const GraphInput& input : graphInputs(payload(*graph))) {
        out.push_back(finder.find(input));
        bases.fill(input, out.back());
    }
    return out;
}

std::vector<InputTensor> TraceLog::describedTensors(CompileIndex index, std::optional<RecordId> graph) const {
    std::vector<InputTensor> out;
    const Descriptions descriptions = descriptionsOf(*this, recordsFor(*this, index, graph));
    for (const auto& [source, id] : descriptions.sources) {
        out.push_back(descriptions.tensor(id));
        out.back().source = source;
    }
    return out;
}

std::vector<std::string> TraceLog::inputSources(CompileIndex index) const {
    return base::mapped(inputTensors(index), [](InputTensor& input) { return std::move(input.source); });
}

std::vector<TraceLog::LoggedSymbol> TraceLog::loggedSymbols(CompileIndex index,
                                                            std::optional<RecordId> graph) const {
    std::vector<LoggedSymbol> out;
    for (const RecordId record : recordsFor(*this, index, graph)) {
        if (kind(record) != RecordKind::CreateSymbol) {
            continue;
        }
        const ParsedJson json(envelope(record));
        const auto fields = valueAs<object>(json.root()["create_symbol"]);
        const auto value = fields ? base::wholeNumber<std::int64_t>(textOf(*fields, "val")) : std::nullopt;
        if (std::string symbol = value ? textOf(*fields, "symbol") : ""; !symbol.empty()) {
            out.push_back({std::move(symbol), *value, textOf(*fields, "source")});
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::int64_t>>
TraceLog::symbolValues(CompileIndex index, std::optional<RecordId> graph) const {
    std::vector<std::pair<std::string, std::int64_t>> out;
    for (LoggedSymbol& made : loggedSymbols(index, graph)) {
        const auto known = std::find_if(out.begin(), out.end(),
                                        [&](const auto& entry) { return entry.first == made.symbol; });
        if (known != out.end()) {
            known->second = made.value;
        } else {
            out.emplace_back(std::move(made.symbol), made.value);
        }
    }
    return out;
}

} // namespace aotscope::load

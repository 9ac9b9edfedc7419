#include "aot/compiled_function_json.h"

#include "aot/partition_fields_json.h"
#include "aot/wrapper_fields_json.h"

#include "ir/json/aot_metadata_json.h"
#include "ir/json/graph_json.h"

#include <algorithm>
#include <cstdint>

namespace aotscope::aot {

namespace detail {

template<>
struct EnumWords<TracePath> {
    static constexpr std::array<std::string_view, 3> names = {"inference", "autograd", "export"};
};

inline Json toJson(DecompositionTable value, JsonContext&) {
    return decompositionTableName(value);
}
inline void fromJson(const Json& json, DecompositionTable& value, JsonContext& context) {
    const auto read = json.is_string() ? decompositionTableFromName(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a table of decompositions");
}
inline Json toJson(ir::DType value, JsonContext&) {
    return ir::dtypeName(value);
}
inline void fromJson(const Json& json, ir::DType& value, JsonContext& context) {
    const auto read = json.is_string() ? ir::dtypeFromName(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a dtype");
}

template<>
struct Fields<AmbientAutocast> {
    static void visit(auto& field, auto& autocast) {
        field("device", autocast.device);
        field("dtype", autocast.dtype);
    }
};
template<>
struct Fields<ExportOptions> {
    static void visit(auto& field, auto& options) {
        field("simple", options.simple);
        field("joint", options.joint);
        field("loss", options.loss);
        field("pre_dispatch", options.preDispatch);
    }
};
inline Json toJson(TorchVersion value, JsonContext&) {
    return torchVersionText(value);
}
inline void fromJson(const Json& json, TorchVersion& value, JsonContext& context) {
    const auto read = json.is_string() ? torchVersionFromText(json.get<std::string>()) : std::nullopt;
    read ? void(value = *read) : context.complain("expected a release of torch");
}
template<>
struct Fields<CompileConfiguration> {
    static void visit(auto& field, auto& configuration) {
        field("torch", configuration.torch);
        field("keep_inference_input_mutations", configuration.keepInferenceInputMutations);
        field("decompositions", configuration.decompositions);
        field("grad_enabled", configuration.gradEnabled);
        field("autocasts", configuration.autocasts);
        field("export", configuration.exported);
        field("functionalize_rng_ops", configuration.functionalizeRngOps);
        field("debug_assert", configuration.debugAssert);
        field("fakify_first_call", configuration.fakifyFirstCall);
    }
};
template<>
struct Fields<ir::SourceLocation> {
    static void visit(auto& field, auto& place) {
        field("file", place.file);
        field("line", place.line);
        field("function", place.function);
        field("code", place.code);
    }
};
template<>
struct Fields<RetraceGuard> {
    static void visit(auto& field, auto& guard) {
        field("expression", guard.expression);
        field("node", guard.node);
        field("source", guard.source);
        field("given", guard.given);
    }
};
/// All members but the program, metadata, graphs, partition and signature, which have writers of their own.
template<>
struct Fields<CompiledFunction> {
    static void visit(auto& field, auto& function) {
        field("path", function.path);
        field("reason", function.reason);
        field("configuration", function.configuration);
        field("joint", function.joint);
        field("guards", function.guards);
        field("wrappers", function.wrappers);
    }
};

} // namespace detail

namespace {

using detail::JsonContext;

constexpr int jsonVersion = 1;

detail::Json graphJson(const ir::GraphPtr& graph) {
    return graph ? detail::Json::parse(ir::graphToJson(*graph)) : detail::Json(nullptr);
}

detail::Json partitionJson(const CompiledFunction& function) {
    if (!function.partition) {
        return nullptr;
    }
    const passes::Partition& partition = *function.partition;
    JsonContext context{.graph = partition.joint.get()};
    detail::Json json = detail::toJson(partition, context);
    // Differs from `function.graph` after floats became tensors or subgraphs were split.
    json["joint"] = partition.joint == function.graph ? detail::Json(nullptr) : graphJson(partition.joint);
    json["forward"] = graphJson(partition.forward);
    json["backward"] = graphJson(partition.backward);
    detail::Json decisions = detail::Json::object();
    for (const ir::NodeId id : partition.joint->order()) {
        if (id.index() < partition.report.nodes.size()) {
            decisions[partition.joint->node(id).name] =
                detail::toJson(partition.report.nodes[id.index()], context);
        }
    }
    json["nodes"] = std::move(decisions);
    return json;
}

/// Bytes as two hexadecimal digits each: JSON has no binary strings.
std::string hexOf(const std::string& bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += digits[value >> 4U];
        text += digits[value & 15U];
    }
    return text;
}

std::optional<std::string> bytesOf(const std::string& hex) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        if (digit(hex[i]) < 0 || digit(hex[i + 1]) < 0) {
            return std::nullopt;
        }
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    }
    return hex.size() % 2 == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

detail::Json constantsJson(const CompiledFunction& function) {
    detail::Json json = detail::Json::object();
    for (const auto& [name, data] : function.constants) {
        json[name] = {{"dtype", data.dtype}, {"shape", data.shape}, {"bytes", hexOf(data.bytes)}};
    }
    return json;
}

/// Reads the parts of one file and keeps the first error.
class FunctionReader {
public:
    base::Result<CompiledFunction> read(const detail::Json& json) {
        CompiledFunction function;
        detail::fromJson(json, function, m_context);
        function.program = graph(json, "program");
        function.graph = graph(json, "graph");
        readMetadata(json, function);
        readPartition(json, function);
        readSignature(member(json, "signature"), function);
        readConstants(member(json, "constants"), function);
        if (!m_error && !m_context.wrong.empty()) {
            m_error = base::Error{.code = "aot.json_form",
                                  .message = "The compiled function cannot be read: " + m_context.wrong};
        }
        return m_error ? base::Result<CompiledFunction>(*std::move(m_error)) : std::move(function);
    }

private:
    static const detail::Json& member(const detail::Json& json, const char* name) {
        static const detail::Json none;
        return json.is_object() && json.contains(name) ? json[name] : none;
    }

    ir::GraphPtr graph(const detail::Json& json, const char* name) {
        const detail::Json& value = member(json, name);
        if (value.is_null()) {
            return nullptr;
        }
        auto read = ir::graphFromJson(value.dump());
        if (!read) {
            note(std::move(read).error());
            return nullptr;
        }
        return std::move(read).value();
    }

    void readMetadata(const detail::Json& json, CompiledFunction& function) {
        auto metadata = ir::metadataFromJson(member(json, "metadata").dump());
        metadata ? void(function.metadata = std::move(metadata).value()) : note(std::move(metadata).error());
    }

    void readPartition(const detail::Json& json, CompiledFunction& function) {
        const detail::Json& value = member(json, "partition");
        if (value.is_null()) {
            return;
        }
        passes::Partition partition;
        partition.joint = graph(value, "joint");
        partition.joint = partition.joint ? partition.joint : function.graph;
        partition.forward = graph(value, "forward");
        partition.backward = graph(value, "backward");
        if (!partition.joint || !partition.forward || !partition.backward) {
            m_context.complain("partition: a graph is missing");
            return;
        }
        m_context.graph = partition.joint.get();
        detail::fromJson(value, partition, m_context);
        readDecisions(member(value, "nodes"), partition);
        function.partition = std::make_shared<const passes::Partition>(std::move(partition));
    }

    void readSignature(const detail::Json& json, CompiledFunction& function) {
        if (json.is_null()) {
            return;
        }
        auto signature = signatureFromJson(json.dump());
        signature ? void(function.signature = std::move(signature).value())
                  : note(std::move(signature).error());
    }

    /// Files from before there were constants have none.
    void readConstants(const detail::Json& json, CompiledFunction& function) {
        if (json.is_null()) {
            return;
        }
        if (!json.is_object()) {
            m_context.complain("constants");
            return;
        }
        for (const auto& [name, value] : json.items()) {
            const detail::Json& dtype = member(value, "dtype");
            const detail::Json& shape = member(value, "shape");
            const detail::Json& hex = member(value, "bytes");
            const auto bytes = hex.is_string() ? bytesOf(hex.get<std::string>()) : std::nullopt;
            const bool isShape = shape.is_array() && std::ranges::all_of(shape, [](const detail::Json& size) {
                                     return size.is_number_integer();
                                 });
            if (!dtype.is_string() || !isShape || !bytes) {
                m_context.complain("constants: " + name);
                return;
            }
            function.constants.emplace(
                name, TensorData{dtype.get<std::string>(), shape.get<std::vector<std::int64_t>>(), *bytes});
        }
    }

    void readDecisions(const detail::Json& json, passes::Partition& partition) {
        partition.report.nodes.resize(partition.joint->idBound());
        for (const auto& [name, decision] : json.items()) {
            const auto node = partition.joint->tryFind(name);
            if (!node) {
                m_context.complain("partition: nodes: there is no node " + name);
                return;
            }
            detail::fromJson(decision, partition.report.nodes[node->index()], m_context);
        }
    }

    void note(base::Error error) {
        if (!m_error) {
            m_error = std::move(error);
        }
    }

    JsonContext m_context;
    std::optional<base::Error> m_error;
};

} // namespace

std::string compiledFunctionToJson(const CompiledFunction& function) {
    JsonContext context;
    detail::Json json{{"version", jsonVersion}};
    json.update(detail::toJson(function, context));
    json["program"] = graphJson(function.program);
    json["metadata"] = detail::Json::parse(ir::metadataToJson(function.metadata));
    json["graph"] = graphJson(function.graph);
    json["partition"] = partitionJson(function);
    json["signature"] = function.signature ? detail::Json::parse(signatureToJson(*function.signature))
                                           : detail::Json(nullptr);
    json["constants"] = constantsJson(function);
    return json.dump(-1, ' ', false, detail::Json::error_handler_t::replace) + "\n";
}

base::Result<CompiledFunction> compiledFunctionFromJson(std::string_view json) {
    const detail::Json parsed = detail::Json::parse(json, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object()) {
        return base::Error{.code = "aot.json_syntax",
                           .message = "The compiled function is not a JSON object."};
    }
    if (parsed.value("version", 0) != jsonVersion) {
        return base::Error{.code = "aot.json_version",
                           .message = "The compiled function has a different version than " +
                                      std::to_string(jsonVersion) + "."};
    }
    return FunctionReader().read(parsed);
}

} // namespace aotscope::aot

#include "inductor/launch_flow.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::inductor {

namespace {

enum class Access { None, Read, Write, ReadAndWrite };

Access accessOf(const KernelParameter& parameter) {
    if (parameter.name.starts_with("in_out_ptr")) {
        return Access::ReadAndWrite;
    }
    if (parameter.type.starts_with("const ")) {
        return parameter.type.find('*') == std::string::npos ? Access::None : Access::Read;
    }
    if (parameter.name.starts_with("in_ptr") || parameter.name.starts_with("arg_")) {
        return Access::Read;
    }
    if (parameter.name.starts_with("out_ptr")) {
        return Access::Write;
    }
    return Access::None;
}

/// "add_" of "torch.ops.aten.add_.Tensor": the operator writes to its first argument.
bool isInPlace(std::string_view callee) {
    if (callee.starts_with("aoti_torch_")) {
        return callee.ends_with('_');
    }
    const std::string_view name = operatorName(callee);
    return (name.ends_with('_') && !name.ends_with("__")) || name == "wait_tensor";
}

class Follower {
public:
    explicit Follower(const OutputCode& code) : m_code(code) {}

    CodeFlow follow() {
        m_flow.launches.resize(m_code.launches.size());
        for (const WrapperFunction& function : m_code.functions) {
            for (const std::string& input : function.inputs) {
                if (isMain(function.name) && !m_current.contains(input)) {
                    hold(input, {.input = input});
                }
            }
        }
        std::size_t event = 0;
        for (std::uint32_t index = 0; index < m_code.launches.size(); ++index) {
            while (event < m_code.buffers.size() && m_code.buffers[event].launch <= index) {
                take(m_code.buffers[event++]);
            }
            take(m_code.launches[index], index);
        }
        while (event < m_code.buffers.size()) {
            take(m_code.buffers[event++]);
        }
        if (const WrapperFunction* entry = m_code.entry()) {
            takeReturned(*entry);
        }
        return std::move(m_flow);
    }

private:
    static bool isMain(std::string_view function) {
        return function == "call" || function.starts_with("partition_");
    }

    std::uint32_t hold(const std::string& name, HeldValue value) {
        const auto index = static_cast<std::uint32_t>(m_flow.values.size());
        m_flow.values.push_back(std::move(value));
        m_current[name] = index;
        return index;
    }

    void take(const BufferEvent& event) {
        switch (event.kind) {
        case BufferEventKind::Allocated:
            hold(event.buffer, {.shape = event.shape, .dtype = event.dtype});
            break;
        case BufferEventKind::Reused:
        case BufferEventKind::Alias:
            takeAlias(event);
            break;
        case BufferEventKind::Freed:
            break;
        }
    }

    void takeAlias(const BufferEvent& event) {
        const auto source = m_current.find(event.from);
        if (source == m_current.end()) {
            return;
        }
        const std::uint32_t from = source->second;
        if (event.element >= 0) {
            hold(event.buffer, {.elementOf = from, .element = event.element});
        } else if (event.kind == BufferEventKind::Reused) {
            // The name stands for the old content until a launch writes it; then it has this shape.
            m_current[event.buffer] = from;
            m_shapes[event.buffer] = event.shape.empty() ? m_flow.values[from].shape : event.shape;
            m_bases.erase(event.buffer);
        } else {
            m_current[event.buffer] = from;
            m_bases[event.buffer] = event.from;
        }
    }

    /// The buffer whose memory a part of it is.
    std::string baseOf(const std::string& name) const {
        std::string base = name;
        for (int steps = 0; steps < 8; ++steps) {
            const auto found = m_bases.find(base);
            if (found == m_bases.end()) {
                break;
            }
            base = found->second;
        }
        return base;
    }

    /// What was not written yet is not read: a kernel may write a buffer before it reads it again.
    void read(const std::string& name, std::uint32_t launch) {
        const auto found = m_current.find(baseOf(name));
        if (found == m_current.end() || !hasContent(m_flow.values[found->second])) {
            return;
        }
        m_flow.launches[launch].reads.push_back(found->second);
        std::vector<std::uint32_t>& readers = m_flow.values[found->second].readers;
        if (readers.empty() || readers.back() != launch) {
            readers.push_back(launch);
        }
    }

    static bool hasContent(const HeldValue& value) {
        return !value.writers.empty() || !value.input.empty() || value.elementOf.has_value();
    }

    static bool isReadBefore(const HeldValue& value, std::uint32_t launch) {
        return !value.readers.empty() && value.readers.front() != launch;
    }

    void write(const std::string& name, std::uint32_t launch) {
        const std::string base = baseOf(name);
        const auto found = m_current.find(base);
        std::uint32_t value = 0;
        const bool fresh = found != m_current.end() && m_flow.values[found->second].writers.empty() &&
                           m_flow.values[found->second].input.empty() && !m_shapes.contains(base);
        // Several launches may each write a part of a buffer that is only read later.
        const bool isPart = base != name && found != m_current.end() &&
                            !isReadBefore(m_flow.values[found->second], launch) &&
                            m_flow.values[found->second].input.empty();
        if (fresh || isPart) {
            value = found->second;
        } else {
            HeldValue written;
            if (found != m_current.end()) {
                const HeldValue& before = m_flow.values[found->second];
                written.shape = before.shape;
                written.dtype = before.dtype;
                written.writesInput = before.input == name;
                written.input = written.writesInput ? before.input : "";
            }
            if (const auto shape = m_shapes.find(base); shape != m_shapes.end()) {
                written.shape = shape->second;
                m_shapes.erase(shape);
            }
            value = hold(base, std::move(written));
        }
        m_flow.launches[launch].writes.push_back(value);
        m_flow.launches[launch].writesPart.push_back(base != name);
        m_flow.values[value].writers.push_back(launch);
    }

    void take(const Launch& launch, std::uint32_t index) {
        if (!isMain(launch.function)) {
            m_flow.launches[index].inSubgraph = true;
            return;
        }
        const Kernel& kernel = m_code.kernels[launch.kernel];
        if (kernel.isExtern()) {
            takeExtern(launch, index);
        } else {
            takeKernel(kernel, launch, index);
        }
        if (!launch.result.empty()) {
            hold(launch.result, {});
            m_shapes.erase(launch.result);
            m_bases.erase(launch.result);
            write(launch.result, index);
        }
    }

    void takeExtern(const Launch& launch, std::uint32_t index) {
        std::vector<std::string> written;
        const bool shimOut = launch.callee.starts_with("aoti_torch_") && launch.callee.ends_with("_out");
        for (std::size_t place = 0; place < launch.arguments.size(); ++place) {
            const LaunchArgument& argument = launch.arguments[place];
            const bool isResult = argument.keyword == "out" || (shimOut && place == 0) ||
                                  (argument.text.starts_with('&') && argument.text.ends_with("_handle"));
            // Of "reinterpret_tensor(buf4, (12, s77), …)" only the buffer, of a list every one.
            const std::size_t count = argument.text.starts_with('[') ? argument.buffers.size() : 1;
            for (std::size_t item = 0; item < std::min(count, argument.buffers.size()); ++item) {
                if (isResult) {
                    written.push_back(argument.buffers[item]);
                } else {
                    read(argument.buffers[item], index);
                }
            }
        }
        if (isInPlace(launch.callee) && !launch.arguments.empty() && !launch.arguments[0].buffers.empty()) {
            written.push_back(launch.arguments[0].buffers[0]);
        }
        for (const std::string& buffer : written) {
            if (!m_current.contains(buffer)) {
                hold(buffer, {});
            }
            write(buffer, index);
        }
    }

    void takeKernel(const Kernel& kernel, const Launch& launch, std::uint32_t index) {
        std::vector<std::string> written;
        for (std::size_t place = 0; place < launch.arguments.size(); ++place) {
            if (place >= kernel.parameters.size() || launch.arguments[place].buffers.empty()) {
                continue;
            }
            const std::string& buffer = launch.arguments[place].buffers[0];
            const Access access = accessOf(kernel.parameters[place]);
            if (access == Access::Read || access == Access::ReadAndWrite) {
                read(buffer, index);
            }
            if (access == Access::Write || access == Access::ReadAndWrite) {
                written.push_back(buffer);
            }
        }
        for (const std::string& buffer : written) {
            write(buffer, index);
        }
    }

    void takeReturned(const WrapperFunction& entry) {
        for (std::size_t place = 0; place < entry.returned.size(); ++place) {
            std::optional<std::uint32_t> value;
            if (!entry.returned[place].buffers.empty()) {
                const auto found = m_current.find(baseOf(entry.returned[place].buffers[0]));
                if (found != m_current.end()) {
                    value = found->second;
                    m_flow.values[found->second].returned = static_cast<int>(place);
                }
            }
            m_flow.returned.push_back(value);
        }
    }

    const OutputCode& m_code;
    CodeFlow m_flow;
    /// By name: what it holds now; of a reused name that was not written yet, the shape it will have; of a
    /// part, the buffer it is a part of.
    std::unordered_map<std::string, std::uint32_t> m_current;
    std::unordered_map<std::string, std::string> m_shapes;
    std::unordered_map<std::string, std::string> m_bases;
};

} // namespace

CodeFlow followBuffers(const OutputCode& code) {
    return Follower(code).follow();
}

} // namespace aotscope::inductor

#pragma once

#include <string>

namespace aotscope::test {

/// A graph as PyTorch prints it: y = relu(x + scale).
[[nodiscard]] inline std::string smallGraphText(const std::string& scale = "1") {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
           "        add: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.add.Tensor(arg0_1, " +
           scale +
           ");  arg0_1 = None\n"
           "        relu: \"f32[8, 4][4, 1]cpu\" = torch.ops.aten.relu.default(add);  add = None\n"
           "        return (relu,)\n"
           "        \n";
}

/// The compile ids of a process's first compile, as an envelope writes them.
inline const std::string firstCompile = "\"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0";

[[nodiscard]] inline std::string graphRecord(const std::string& kind, const std::string& ids,
                                             const std::string& text) {
    std::string record = "V1121 00:13:53.025000 22725 torch/_functorch/graph_compile.py:1640] {\"" + kind +
                         "\": {}, " + ids + ", \"has_payload\": \"00000000000000000000000000000000\"}\n";
    std::string line;
    for (const char c : text + "\n") {
        if (c == '\n') {
            record += "\t" + line + "\n";
            line.clear();
        } else {
            line += c;
        }
    }
    return record;
}

/// A record of an artifact.
[[nodiscard]] inline std::string artifactRecord(const std::string& name, const std::string& ids,
                                                const std::string& text) {
    std::string record = graphRecord("artifact", ids, text);
    const std::string none = "\"artifact\": {}";
    return record.replace(record.find(none), none.size(),
                          "\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}");
}

} // namespace aotscope::test

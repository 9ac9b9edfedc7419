#include "graph_options.h"

#include "base/numbers.h"

namespace aotscope::cli {

void addIdOption(Command command, std::string& id) {
    command.addOption("--id", &id,
                      "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
}

void addGraphOptions(Command command, GraphRequest& request) {
    command.addOption("FILE", &request.files, "Trace logs, folders of logs, or graph files").required();
    addIdOption(command, request.id);
    command.addOption("--kind,--graph", &request.kind,
                      "joint, forward, backward, inference, or an artifact's name");
    command.addOption("--section", &request.section, "Nested graph, by path a/b");
}

ir::SymbolBindings symbolsFrom(const std::vector<std::string>& texts) {
    ir::SymbolBindings symbols;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const auto value = equals == std::string::npos
                               ? std::nullopt
                               : base::wholeNumber<std::int64_t>(std::string_view(text).substr(equals + 1));
        if (equals == 0 || !value) {
            throw usageFailure("\"" + text + "\" does not give a symbol a value. Write --symbol s0=8.");
        }
        symbols[text.substr(0, equals)] = *value;
    }
    return symbols;
}

} // namespace aotscope::cli

#include "explore/partition_csv.h"

#include "base/numbers.h"

namespace aotscope::session {
namespace {

std::vector<std::string> savedFields(const SavedTensor& row) {
    return {row.name,
            std::to_string(row.bytes),
            row.dtype,
            row.shape,
            row.reason,
            row.module,
            row.source,
            std::to_string(row.from),
            std::to_string(row.last),
            base::numberText(row.shareOfPeak)};
}

} // namespace

std::string csvField(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

std::string csvLine(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        line += (&field == fields.data() ? "" : ",") + csvField(field);
    }
    return line + "\r\n";
}

std::string savedCsv(std::span<const SavedTensor* const> rows) {
    std::string text = "name,bytes,dtype,shape,reason,module,source,from,last,share_of_peak\r\n";
    for (const SavedTensor* row : rows) {
        text += csvLine(savedFields(*row));
    }
    return text;
}

std::string recomputedCsv(const PartitionSnapshot& split) {
    std::string text = "name,bytes,flops,reason,module,source,position\r\n";
    for (const RecomputedValue& row : split.recomputed) {
        text += csvLine({row.name, std::to_string(row.bytes), base::numberText(row.flops), row.reason,
                         row.module, row.source, std::to_string(row.position)});
    }
    return text;
}

std::string splitCsvHeader() {
    return "graph,fate,name,bytes,dtype,shape,reason,module,source,from,last,share_of_peak,flops,"
           "position\r\n";
}

std::string splitCsv(std::string_view graph, const PartitionSnapshot& split) {
    std::string text;
    for (const SavedTensor& row : split.saved) {
        std::vector<std::string> fields = savedFields(row);
        fields.insert(fields.begin(), {std::string(graph), "saved"});
        fields.insert(fields.end(), {"", ""});
        text += csvLine(fields);
    }
    for (const RecomputedValue& row : split.recomputed) {
        text += csvLine({std::string(graph), "recomputed", row.name, std::to_string(row.bytes), "", "",
                         row.reason, row.module, row.source, "", "", "", base::numberText(row.flops),
                         std::to_string(row.position)});
    }
    return text;
}

} // namespace aotscope::session

#pragma once

#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace aotscope::test {

/// What app/cli/README.md says of JSON: paragraphs, each begins with the name of a schema, or of a field that
/// is the same in several.
class DocumentedSchemas {
public:
    DocumentedSchemas() {
        const std::string readme = readFile(std::string(AOTSCOPE_SOURCE_DIR) + "/app/cli/README.md");
        const std::size_t begin = readme.find("\n## JSON\n") + 1;
        std::istringstream lines(readme.substr(begin, readme.find("\n## ", begin) - begin));
        std::string name;
        std::string before;
        for (std::string line; std::getline(lines, line); before = line) {
            if (before.empty() && line.starts_with('`')) {
                name = line.substr(1, line.find('`', 1) - 1);
            }
            m_paragraphs[name] += line + " ";
        }
    }

    [[nodiscard]] std::set<std::string> schemas() const {
        std::set<std::string> names;
        for (const auto& [name, text] : m_paragraphs) {
            if (name.starts_with("aotscope.")) {
                names.insert(name);
            }
        }
        return names;
    }

    /// The keys of a command's answer that the paragraph of its schema does not name, each behind those
    /// around it
    /// ("aotscope.run/1: nodes: name").
    [[nodiscard]] std::set<std::string> undocumented(const nlohmann::json& answer) const {
        std::set<std::string> missing;
        nlohmann::json fields = answer;
        const std::string schema = answer.value("schema", "no schema");
        fields.erase("schema");
        addUndocumented(fields, paragraphsOf(schema), schema, missing);
        return missing;
    }

private:
    /// The paragraph of that name, and those that it refers to.
    [[nodiscard]] std::string paragraphsOf(const std::string& name) const {
        const std::string reference = "as in `";
        std::set<std::string> known;
        std::vector<std::string> open{name};
        std::string all;
        while (!open.empty()) {
            const auto found = m_paragraphs.find(open.back());
            open.pop_back();
            if (found == m_paragraphs.end() || !known.insert(found->first).second) {
                continue;
            }
            const std::string& text = found->second;
            all += text;
            for (std::size_t at = text.find(reference); at != std::string::npos;
                 at = text.find(reference, at + 1)) {
                const std::size_t begin = at + reference.size();
                open.push_back(text.substr(begin, text.find('`', begin) - begin));
            }
        }
        return all;
    }

    /// Whether a parenthesis behind the key has the mark of a map or a document before its first other key.
    static bool isMarked(const std::string& key, const std::string& mark, const std::string& text) {
        const std::string before = "`" + key + "` (";
        for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
            const std::size_t begin = at + before.size();
            const std::string remark = text.substr(begin, text.find_first_of(")`", begin) - begin);
            if (remark.find(mark) != std::string::npos) {
                return true;
            }
        }
        return false;
    }

    void addUndocumented(const nlohmann::json& value, const std::string& text, const std::string& path,
                         std::set<std::string>& missing) const {
        if (value.is_array()) {
            for (const nlohmann::json& element : value) {
                addUndocumented(element, text, path, missing);
            }
        }
        if (!value.is_object()) {
            return;
        }
        for (const auto& [key, field] : value.items()) {
            const std::string place = path + ": " + key;
            if (text.find("`" + key + "`") == std::string::npos) {
                missing.insert(place);
            }
            const std::string inside = text + paragraphsOf(key);
            if (field.is_object() && isMarked(key, " → ", inside)) {
                for (const nlohmann::json& element : field) {
                    addUndocumented(element, inside, place, missing);
                }
            } else if (!field.is_object() || !isMarked(key, "document: ", inside)) {
                addUndocumented(field, inside, place, missing);
            }
        }
    }

    std::map<std::string, std::string> m_paragraphs;
};

} // namespace aotscope::test

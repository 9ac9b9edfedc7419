#include "cases.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

using namespace aotscope;

namespace {

[[noreturn]] void giveUp(const std::string& why) {
    std::cerr << why << "\n";
    std::exit(2);
}

/// "[2,3]"
std::vector<std::int64_t> numbersOf(const std::string& word) {
    std::vector<std::int64_t> numbers;
    std::istringstream stream(word.substr(1, word.size() - 2));
    for (std::string each; std::getline(stream, each, ',');) {
        numbers.push_back(std::stoll(each));
    }
    return numbers;
}

Tensor tensorOf(Result<Tensor> made) {
    if (!made.ok()) {
        giveUp(made.error().text());
    }
    return std::move(made).value();
}

template<typename Element>
std::string bytesOf(std::istringstream& words) {
    std::string bytes;
    for (double number = 0; words >> number;) {
        const auto element = static_cast<Element>(number);
        bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
    }
    return bytes;
}

/// "float32 [2,3] grad 1 2 3 4 5 6"; a tangent has no word about grad.
Tensor readTensor(std::istringstream& words, bool saysGrad) {
    std::string dtype;
    std::string sizes;
    std::string grad;
    words >> dtype >> sizes;
    if (saysGrad) {
        words >> grad;
    }
    const std::string bytes = dtype == "int64" ? bytesOf<std::int64_t>(words) : bytesOf<float>(words);
    return tensorOf(Tensor::fromBytes(dtype, numbersOf(sizes), bytes, grad == "grad"));
}

Tensor readAlias(std::istringstream& words, const Arguments& into) {
    std::size_t of = 0;
    std::string sizes;
    std::string strides;
    std::int64_t offset = 0;
    words >> of >> sizes >> strides >> offset;
    return tensorOf(
        std::get<Tensor>(into.inputs.at(of)).asStrided(numbersOf(sizes), numbersOf(strides), offset));
}

std::string readGraph(std::istream& lines) {
    std::string text;
    for (std::string line; std::getline(lines, line) && line != "end";) {
        text += line + "\n";
    }
    return text;
}

void readLine(const std::string& line, std::istream& lines, Case& into) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind;
    Arguments& call = into.arguments.back();
    if (kind == "entry") {
        words >> into.entry;
        for (std::string option; words >> option;) {
            const std::size_t equals = option.find('=');
            into.options[option.substr(0, equals)] = option.substr(equals + 1);
        }
    } else if (kind == "graph") {
        into.graph = readGraph(lines);
    } else if (kind == "input") {
        words >> name;
        call.inputs.emplace_back(readTensor(words, true));
    } else if (kind == "alias") {
        call.inputs.emplace_back(readAlias(words, call));
    } else if (kind == "same") {
        std::size_t of = 0;
        words >> of;
        call.inputs.push_back(call.inputs.at(of));
    } else if (kind == "parameter" || kind == "buffer") {
        words >> name;
        auto& list = kind == "parameter" ? into.parameters : into.buffers;
        list.emplace_back(name, readTensor(words, true));
    } else if (kind == "tangent") {
        call.tangents.push_back(readTensor(words, false));
    } else if (kind == "again") {
        into.arguments.emplace_back();
    } else {
        giveUp("a line that is not known: " + line);
    }
}

} // namespace

std::vector<Case> readCases(const std::string& path) {
    std::ifstream lines(path);
    std::vector<Case> cases;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("case ")) {
            cases.emplace_back();
            cases.back().name = line.substr(5);
        } else if (!line.empty() && !line.starts_with('#') && !cases.empty()) {
            readLine(line, lines, cases.back());
        }
    }
    if (cases.empty()) {
        giveUp("There are no cases in " + path);
    }
    return cases;
}

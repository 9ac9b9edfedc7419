// compare_answers OURS RECORDED: line by line; numbers of a tensor within 1e-5 of its largest magnitude.
// Names every line that differs and fails if there is one.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Cases = std::map<std::string, std::vector<std::string>>;

/// The lines of each case, by its name.
Cases casesOf(const char* path) {
    std::ifstream file(path);
    Cases cases;
    std::string name;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("case ")) {
            name = line.substr(5);
            cases[name];
        } else {
            cases[name].push_back(line);
        }
    }
    return cases;
}

/// A line in words up to a tensor's sizes, and the numbers after them.
struct Line {
    std::string words;
    std::vector<double> numbers;
};

Line split(const std::string& line) {
    const std::size_t sizes = line.find(']');
    if (line.starts_with("error") || sizes == std::string::npos) {
        return {line, {}};
    }
    Line made{line.substr(0, sizes + 1), {}};
    std::istringstream stream(line.substr(sizes + 1));
    for (std::string word; stream >> word;) {
        made.numbers.push_back(std::strtod(word.c_str(), nullptr));
    }
    return made;
}

bool agree(const std::string& left, const std::string& right) {
    const Line ours = split(left);
    const Line theirs = split(right);
    if (ours.words != theirs.words || ours.numbers.size() != theirs.numbers.size()) {
        return false;
    }
    double largest = 0;
    for (const double number : theirs.numbers) {
        largest = std::max(largest, std::abs(number));
    }
    for (std::size_t i = 0; i < ours.numbers.size(); ++i) {
        if (!(std::abs(ours.numbers[i] - theirs.numbers[i]) <= 1e-5 * largest)) {
            return false;
        }
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const Cases ours = casesOf(argv[1]);
    const Cases theirs = casesOf(argv[2]);
    std::size_t different = 0;
    for (const auto& [name, recorded] : theirs) {
        const auto found = ours.find(name);
        const std::vector<std::string> said =
            found == ours.end() ? std::vector<std::string>() : found->second;
        for (std::size_t i = 0; i < std::max(said.size(), recorded.size()); ++i) {
            const std::string left = i < said.size() ? said[i] : "(nothing)";
            const std::string right = i < recorded.size() ? recorded[i] : "(nothing)";
            if (!agree(left, right)) {
                std::cout << name << "\n  ours     " << left << "\n  recorded " << right << "\n";
                ++different;
            }
        }
    }
    std::cout << theirs.size() << " recorded cases, " << different << " lines differ\n";
    return different == 0 && !theirs.empty() && ours.size() == theirs.size() ? 0 : 1;
}

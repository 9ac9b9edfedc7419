// Entries in a folder that several processes use: nothing is lost, nothing half is read.
#include "cache/entry_folder.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

using namespace aotscope;

namespace {

cache::EntryName nameOf(char digit) {
    const std::string digits(32, digit);
    return {digits, digits, digits};
}

cache::EntryFolder folderAt(const std::filesystem::path& path, std::uint64_t mostBytes = 1 << 20) {
    return cache::EntryFolder({.folder = path, .mostBytes = mostBytes, .mostEntryBytes = 1 << 18});
}

/// Sets when an entry was last used.
void useAt(const std::filesystem::path& folder, const cache::EntryName& name, std::time_t seconds) {
    const std::array<timespec, 2> times{timespec{seconds, 0}, timespec{seconds, 0}};
    REQUIRE(::utimensat(AT_FDCWD, (folder / name.fileName()).c_str(), times.data(), 0) == 0);
}

std::vector<std::string> filesIn(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

/// Runs `work` in a child process and returns how it ended.
template<typename Work>
int inChild(Work&& work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

TEST_CASE("an entry's name is made of digests, and nothing else is a name") {
    const cache::EntryName name = nameOf('a');
    CHECK(cache::EntryName::from(name.fileName()) == name);
    std::string text = name.fileName();
    CHECK_FALSE(cache::EntryName::from(text + "x"));
    CHECK_FALSE(cache::EntryName::from("../" + text));
    for (const std::size_t at : {0, 32, 33, 65, 98}) {
        std::string other = text;
        other[at] = '/';
        CHECK_FALSE(cache::EntryName::from(other));
    }
    text[0] = 'A';
    CHECK_FALSE(cache::EntryName::from(text));
}

TEST_CASE("what is written is read, listed and cleared") {
    const test::TempFolder temporary;
    const std::filesystem::path path = temporary.path() / "a" / "b";
    const cache::EntryFolder folder = folderAt(path);
    CHECK(folder.list().empty());
    CHECK(folder.read(nameOf('a')).error().code == "cache.read");
    REQUIRE(folder.write(nameOf('a'), "one").ok());
    REQUIRE(folder.write(nameOf('b'), "two").ok());
    REQUIRE(folder.write(nameOf('a'), "three").ok());
    CHECK(*folder.read(nameOf('a')) == "three");
    CHECK(folder.list().size() == 2);
    CHECK(folder.list().front().bytes == 5);
    CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::others_all) ==
          std::filesystem::perms::none);
    CHECK(*folder.clear() == 2);
    CHECK(folder.list().empty());
    CHECK(*folder.clear() == 0);
}

TEST_CASE("links, folders, pipes and files that are too large are not read") {
    const test::TempFolder temporary;
    const cache::EntryFolder folder = folderAt(temporary.path());
    const std::filesystem::path secret = temporary.write("secret", "text");
    std::filesystem::create_symlink(secret, temporary.path() / nameOf('a').fileName());
    std::filesystem::create_directory(temporary.path() / nameOf('b').fileName());
    REQUIRE(::mkfifo((temporary.path() / nameOf('c').fileName()).c_str(), 0600) == 0);
    temporary.write(nameOf('d').fileName(), std::string((1 << 18) + 1, 'x'));
    for (const char digit : {'a', 'b', 'c'}) {
        CHECK(folder.read(nameOf(digit)).error().code == "cache.read");
    }
    CHECK(folder.read(nameOf('d')).error().code == "cache.oversized");
    CHECK(folder.list().size() == 1);
    CHECK(folder.write(nameOf('e'), std::string((1 << 18) + 1, 'x')).error().code == "cache.oversized");
    CHECK(*folder.clear() == 1);
    CHECK(std::filesystem::exists(secret));
}

TEST_CASE("a folder that cannot be made is an error with its place") {
    const test::TempFolder temporary;
    const std::filesystem::path file = temporary.write("file", "");
    const auto written = folderAt(file / "below").write(nameOf('a'), "text");
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == "cache.write");
    CHECK(written.error().place.file == (file / "below").string());
}

TEST_CASE("the least recently used entries are removed first") {
    const test::TempFolder temporary;
    const cache::EntryFolder folder = folderAt(temporary.path(), 250);
    const std::string text(100, 'x');
    REQUIRE(folder.write(nameOf('a'), text).ok());
    REQUIRE(folder.write(nameOf('b'), text).ok());
    useAt(temporary.path(), nameOf('a'), 1000);
    useAt(temporary.path(), nameOf('b'), 2000);
    folder.touch(nameOf('a'));
    REQUIRE(folder.write(nameOf('c'), text).ok());
    CHECK(folder.read(nameOf('a')).ok());
    CHECK_FALSE(folder.read(nameOf('b')).ok());
    CHECK(folder.read(nameOf('c')).ok());
    // The new one stays, however old the clock makes the others.
    useAt(temporary.path(), nameOf('a'), 9'000'000'000);
    useAt(temporary.path(), nameOf('c'), 9'000'000'000);
    REQUIRE(folder.write(nameOf('d'), text).ok());
    CHECK(folder.read(nameOf('d')).ok());
    CHECK(folder.list().size() == 2);
}

TEST_CASE("a process that is killed while it writes leaves the old entry whole, and its rest is removed") {
    const test::TempFolder temporary;
    REQUIRE(folderAt(temporary.path()).write(nameOf('a'), "old").ok());
    const int status = inChild([&] {
        const cache::EntryFolder dying(
            {.folder = temporary.path(), .beforeRename = [] { ::kill(::getpid(), SIGKILL); }});
        (void)dying.write(nameOf('a'), "new");
    });
    CHECK(WIFSIGNALED(status));
    CHECK(filesIn(temporary.path()).size() == 3);
    const cache::EntryFolder folder = folderAt(temporary.path());
    CHECK(*folder.read(nameOf('a')) == "old");
    CHECK(folder.list().size() == 1);
    // The dead process's lock is gone with it.
    REQUIRE(folder.write(nameOf('a'), "newer").ok());
    CHECK(*folder.read(nameOf('a')) == "newer");
    CHECK(filesIn(temporary.path()).size() == 2);
}

TEST_CASE("processes that write at once lose nothing, and a reader never sees half an entry") {
    const test::TempFolder temporary;
    const auto textOf = [](char digit) { return std::string(20'000, digit); };
    constexpr int rounds = 40;
    std::vector<pid_t> children;
    for (const char digit : {'1', '2', '3'}) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const cache::EntryFolder folder = folderAt(temporary.path());
            bool written = true;
            for (int i = 0; i < rounds; ++i) {
                // One entry that all write, and one of its own.
                written = folder.write(nameOf('a'), textOf(digit)).ok() && written;
                written = folder.write(nameOf(digit), textOf(digit)).ok() && written;
            }
            ::_exit(written ? 0 : 1);
        }
        children.push_back(child);
    }
    const cache::EntryFolder folder = folderAt(temporary.path());
    int seen = 0;
    std::size_t ended = 0;
    while (ended < children.size()) {
        if (const auto text = folder.read(nameOf('a'))) {
            ++seen;
            CHECK(text->size() == 20'000);
            CHECK(*text == textOf(text->front()));
        }
        int status = 0;
        if (::waitpid(children[ended], &status, WNOHANG) > 0) {
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 0);
            ++ended;
        }
    }
    CHECK(seen > 0);
    for (const char digit : {'1', '2', '3'}) {
        CHECK(*folder.read(nameOf(digit)) == textOf(digit));
    }
    CHECK(folder.list().size() == 4);
}

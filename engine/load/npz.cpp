#include "load/tensor_formats.h"

#include "base/file_place.h"

#include <algorithm>
#include <memory>
#include <string>

#ifdef AOTSCOPE_HAVE_ZIP
#include <zip.h>
#endif

namespace aotscope::load {

#ifdef AOTSCOPE_HAVE_ZIP

namespace {

base::Error notNpz(std::string message) {
    return {.code = "load.not_npz", .message = std::move(message)};
}

/// The text of an error of libzip.
std::string zipText(zip_error_t* error) {
    std::string text = zip_error_strerror(error);
    zip_error_fini(error);
    return text;
}

/// Forgets all changes, so that nothing is written.
struct DiscardArchive {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

base::Result<Archive> openArchive(std::string_view bytes) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
    zip_t* archive = source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
    if (archive == nullptr) {
        zip_source_free(source);
        return notNpz("This is not an archive of NumPy arrays: " + zipText(&error) + ".");
    }
    zip_error_fini(&error);
    return Archive(archive);
}

/// The content of a member, at most `most` bytes. What the archive says of its size is not relied on.
base::Result<std::string> memberBytes(zip_t* archive, zip_uint64_t index, const std::string& name,
                                      std::uint64_t most, const base::Progress& progress) {
    const std::unique_ptr<zip_file_t, CloseMember> member(zip_fopen_index(archive, index, 0));
    if (!member) {
        return notNpz("The member \"" + name + "\" cannot be read: " + zip_strerror(archive) + ".");
    }
    constexpr std::size_t step = 1U << 20U;
    std::string bytes;
    std::string piece(step, '\0');
    while (true) {
        AOTSCOPE_CHECK(progress.checkStop());
        const zip_int64_t got = zip_fread(member.get(), piece.data(), piece.size());
        if (got < 0) {
            return notNpz("The member \"" + name + "\" is damaged: " + zip_file_strerror(member.get()) + ".");
        }
        if (got == 0) {
            return bytes;
        }
        if (static_cast<std::uint64_t>(got) > most - bytes.size()) {
            return notNpz("The archive unpacks to more than it may (at the member \"" + name + "\").");
        }
        bytes.append(piece, 0, static_cast<std::size_t>(got));
    }
}

} // namespace

base::Result<StoredTensors> parseNpz(std::string_view bytes, const base::Progress& progress,
                                     std::uint64_t mostUnpacked) {
    if (bytes.empty()) {
        // libzip would make a new archive of it.
        return notNpz("This is not an archive of NumPy arrays: the file is empty.");
    }
    AOTSCOPE_TRY(archive, openArchive(bytes));
    StoredTensors tensors;
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    for (zip_int64_t i = 0; i < count; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        const char* known = zip_get_name(archive.get(), index, 0);
        if (known == nullptr) {
            return notNpz("Member " + std::to_string(i) + " of the archive has no name.");
        }
        std::string name = known;
        AOTSCOPE_TRY(content, memberBytes(archive.get(), index, name, mostUnpacked, progress));
        mostUnpacked -= content.size();
        auto tensor = parseNpy(content);
        if (!tensor) {
            tensor.error().message.insert(0, "The member \"" + name + "\": ");
            return std::move(tensor).error();
        }
        if (name.ends_with(".npy")) {
            name.resize(name.size() - 4);
        }
        if (!tensors.emplace(name, std::move(tensor).value()).second) {
            return notNpz("The archive has two arrays named \"" + name + "\".");
        }
    }
    return tensors;
}

base::Result<void> writeNpz(const std::filesystem::path& path, const StoredTensors& tensors) {
    const auto failed = [&path](const std::string& reason) {
        return base::Error{"load.write", "The archive cannot be written: " + reason + ".",
                           base::filePlace(path)};
    };
    int code = 0;
    Archive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        return failed(zipText(&error));
    }
    // libzip reads them when the archive is closed.
    std::vector<std::string> contents;
    contents.reserve(tensors.size());
    for (const auto& [name, tensor] : tensors) {
        auto bytes = npyBytes(tensor);
        if (!bytes) {
            bytes.error().message.insert(0, "The tensor \"" + name + "\": ");
            return std::move(bytes).error();
        }
        const std::string& content = contents.emplace_back(std::move(bytes).value());
        zip_source_t* source = zip_source_buffer(archive.get(), content.data(), content.size(), 0);
        const zip_int64_t index =
            zip_file_add(archive.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE);
        if (index < 0) {
            zip_source_free(source);
            return failed(zip_strerror(archive.get()));
        }
        // The same tensors give the same bytes: no compression, and the date that numpy writes.
        const auto at = static_cast<zip_uint64_t>(index);
        constexpr zip_uint16_t firstOfJanuary1980 = 1U << 5U | 1U;
        zip_set_file_compression(archive.get(), at, ZIP_CM_STORE, 0);
        zip_file_set_dostime(archive.get(), at, 0, firstOfJanuary1980, 0);
    }
    if (tensors.empty()) {
        return failed("there is no tensor to write");
    }
    if (zip_close(archive.get()) != 0) {
        return failed(zip_strerror(archive.get()));
    }
    (void)archive.release();
    return {};
}

#else

namespace {

base::Error noZip() {
    return {.code = "load.no_zip",
            .message = "This program was built without libzip, so it cannot read or write .npz files.",
            .hint = "Use .npy or .safetensors files."};
}

} // namespace

base::Result<StoredTensors> parseNpz(std::string_view /*bytes*/, const base::Progress& /*progress*/,
                                     std::uint64_t /*mostUnpacked*/) {
    return noZip();
}

base::Result<void> writeNpz(const std::filesystem::path& /*path*/, const StoredTensors& /*tensors*/) {
    return noZip();
}

#endif

} // namespace aotscope::load

#pragma once

#include <memory>
#include <string_view>

class QObject;

namespace aotscope::views {

/// Puts text on the clipboard, much of it a moment later: it is made beside the window's thread. `owner`
/// keeps it alive; nothing comes once `receiver` is gone.
void copyToClipboard(QObject* receiver, std::shared_ptr<const void> owner, std::string_view text);

} // namespace aotscope::views

#pragma once

#include <memory>
#include <string_view>

class QObject;

namespace aotscope::views {

/// Copies text to the clipboard. Long text is converted on another thread and arrives later. `owner` keeps
/// the text alive; nothing is copied if `receiver` was destroyed.
void copyToClipboard(QObject* receiver, std::shared_ptr<const void> owner, std::string_view text);

} // namespace aotscope::views

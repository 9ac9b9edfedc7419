#pragma once

#include <vector>

class QWidget;

namespace aotscope::views {

/// Makes a row hide widgets when it is too narrow for all, in the order of `leastFirst`. Their functions must
/// be available elsewhere too, in a menu or by a key.
void giveWay(QWidget* row, std::vector<QWidget*> leastFirst);

} // namespace aotscope::views

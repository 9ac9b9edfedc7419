#pragma once

#include <vector>

class QWidget;

namespace aotscope::views {

/// From now on a row that is too narrow for its widgets hides some until the others fit, the first of
/// `leastFirst` first. What they do must be found elsewhere as well, in a menu or by a key.
void giveWay(QWidget* row, std::vector<QWidget*> leastFirst);

} // namespace aotscope::views

// The live page's figures of several gateways: as one gateway writes them for the others, and their sum. [pure]
#pragma once

#include "gateway/page/live_figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// A gateway's figures for the others. Prices and forecasts are not among them; if the text would be longer than
// `longest`, it has fewer targets and routes.
std::string shared_figures_text(live_figures figures, std::size_t longest);

// The figures in such a text that can be added up. The text is untrusted: none if it is not such a text.
std::optional<live_figures> read_shared_figures(std::string_view text);

// Adds counts, costs and rates. Routes that `into` lacks are of another configuration, and are left out.
void add_figures(live_figures& into, const live_figures& other);

// The same routes and targets without any count: the figures of another gateway are added to them.
live_figures without_counts(live_figures figures);

}  // namespace photofinish::gateway

// What all pages of the bench begin with: the head, and one style sheet for light and dark that loads nothing. [pure]
#pragma once

#include <optional>
#include <string>

namespace photofinish::gateway::bench {

// Up to <main>. The title is HTML.
std::string page_head(const std::string& title);
std::string number_cell(const std::optional<double>& value);  // of a table; a dash if there is no value

}  // namespace photofinish::gateway::bench

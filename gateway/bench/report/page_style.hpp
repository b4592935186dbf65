// Writes the beginning of each page of the bench: the head, and one style sheet for light and dark mode. The page loads
// no other file. [pure]
#pragma once

#include <optional>
#include <string>

namespace photofinish::gateway::bench {

// Returns the HTML page from its beginning to <main>. `title` is HTML.
std::string page_head(const std::string& title);
// Returns a table cell with the value, or with a dash if there is no value.
std::string number_cell(const std::optional<double>& value);

}  // namespace photofinish::gateway::bench

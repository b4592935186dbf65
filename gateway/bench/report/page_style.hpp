// Writes the beginning of all pages of the bench: the head, and one style sheet for light and dark mode that loads no
// other file. [pure]
#pragma once

#include <optional>
#include <string>

namespace photofinish::gateway::bench {

// Returns the HTML page from its beginning to <main>. The title is HTML.
std::string page_head(const std::string& title);
std::string number_cell(const std::optional<double>& value);  // returns a table cell, with a dash if there is no value

}  // namespace photofinish::gateway::bench

// What all pages of the bench begin with: the head, and one style sheet for light and dark that loads nothing. [pure]
#pragma once

#include <string>

namespace photofinish::gateway::bench {

// Up to <main>. The title is HTML.
std::string page_head(const std::string& title);

}  // namespace photofinish::gateway::bench

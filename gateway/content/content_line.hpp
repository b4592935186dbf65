// Makes a line of the content log: one JSON object with a line end, of limited size, and without keys. [pure]
#pragma once

#include "gateway/content/content_entry.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the line for a request and its answer. The request's text gets at most half of the line, and the answer gets
// the rest. A line of a megabyte takes some milliseconds.
std::string content_line(const content_entry& entry);

}  // namespace photofinish::gateway

// Makes a line of the content log: one JSON object with its line end, within the size limit, and without keys. [pure]
#pragma once

#include "gateway/content/content_entry.hpp"

#include <string>

namespace photofinish::gateway {

// Returns the line for a request and its answer. The request's text gets at most half of the line, and the answer the
// rest. Making a line of a megabyte takes some milliseconds.
std::string content_line(const content_entry& entry);

}  // namespace photofinish::gateway

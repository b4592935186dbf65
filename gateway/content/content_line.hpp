// A line of the content log: one JSON object, its line end behind it, no longer than is allowed, without a key. [pure]
#pragma once

#include "gateway/content/content_entry.hpp"

#include <string>

namespace photofinish::gateway {

// A request's text has half of the line at most, what its answer says the rest. A megabyte takes some milliseconds.
std::string content_line(const content_entry& entry);

}  // namespace photofinish::gateway

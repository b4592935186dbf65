// Reads the token counts of a chat answer, under all names that providers use for them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the token counts of a usage. Returns nullopt if the usage contains neither the count of the prompt nor the
// count of the answer. Sets `has_text_counts` if a count is a string, which clients do not expect.
std::optional<token_usage> read_chat_usage(simdjson::dom::element value, bool& has_text_counts);

// Returns a usage, a JSON object, in which counts that were strings are numbers, also in its details.
std::string with_number_counts(std::string_view usage);

}  // namespace photofinish::proxy

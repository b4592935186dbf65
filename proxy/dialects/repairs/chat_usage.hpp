// Reads the token counts of a chat answer under all names that providers use for them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the token counts of a usage. Returns nullopt if the usage contains neither the number of prompt tokens nor
// the number of output tokens. Sets `has_text_counts` if a count is a string, because clients do not expect strings.
std::optional<token_usage> read_chat_usage(simdjson::dom::element value, bool& has_text_counts);

// Returns a usage, which is a JSON object, after converting all counts that are strings to numbers. This includes
// counts in nested objects.
std::string with_number_counts(std::string_view usage);

}  // namespace photofinish::proxy

// Reads the token counts of a chat answer under all names that providers use for them. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Returns the token counts of a usage. Returns nullopt if the usage contains neither the prompt's count nor the
// answer's count. Sets `has_text_counts` if a count is a string, because clients do not expect strings.
std::optional<token_usage> read_chat_usage(simdjson::dom::element value, bool& has_text_counts);

// Returns the usage, a JSON object, in which all counts that were strings are numbers. This includes the counts in its
// details.
std::string with_number_counts(std::string_view usage);

}  // namespace photofinish::proxy

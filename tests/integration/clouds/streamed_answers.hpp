// Joins the events of a streamed answer, as a client does before it continues the conversation.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::testing {

// Returns the whole answer, with the members that a conversing_client reads.
// `path` selects the API. Throws an exception if the stream is incomplete.
nlohmann::json put_together(const std::string& path, const std::string& stream);

}  // namespace photofinish::testing

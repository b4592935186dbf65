// Puts a streamed answer together again, as a client of its API does that goes on with the conversation.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace photofinish::testing {

// The whole answer with the members that a conversing_client reads. `path` tells the API. Throws if the stream is torn.
nlohmann::json put_together(const std::string& path, const std::string& stream);

}  // namespace photofinish::testing

// Reads a streamed or a non-streamed answer as a client of each API does, with very simple code.
#pragma once

#include "tests/unit/gateway/api/pairs/spoken_answer.hpp"

#include <string>

namespace photofinish::gateway::pairs {

spoken_answer read_chat_stream(const std::string& bytes);
spoken_answer read_chat_whole(const json& answer);
spoken_answer read_response_stream(const std::string& bytes);
spoken_answer read_response_whole(const json& answer);
spoken_answer read_message_stream(const std::string& bytes);
spoken_answer read_message_whole(const json& answer);

}  // namespace photofinish::gateway::pairs

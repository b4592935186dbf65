// Builds an answer as providers of each dialect send it.
#pragma once

#include "tests/unit/gateway/api/pairs/spoken_answer.hpp"

#include <string>
#include <vector>

namespace photofinish::gateway::pairs {

std::string chat_answer(const spoken_answer& said);
std::string responses_answer(const spoken_answer& said);
std::string messages_answer(const spoken_answer& said);
std::string gemini_answer(const spoken_answer& said);  // Gemini does not report how many tokens were written into a cache
std::string converse_answer(const spoken_answer& said);  // returns AWS's binary frames, as claude_at_bedrock_answer() does
std::string claude_at_bedrock_answer(const spoken_answer& said);

}  // namespace photofinish::gateway::pairs

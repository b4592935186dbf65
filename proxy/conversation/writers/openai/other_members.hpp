// Finds request members that only OpenAI's chat API has. [pure] The class `conversation` stores them as raw JSON in
// `others`.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/providers/parameters.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace photofinish::proxy {

// Parameters that only OpenAI's chat API has and that change the content of the answer.
inline constexpr std::array<std::string_view, 9> other_needs{
    "n",     "logprobs",   "top_logprobs",      "logit_bias", "frequency_penalty", "presence_penalty",
    "audio", "modalities", "web_search_options"};

// Returns false if omitting the member does not change the meaning of the request.
inline bool says_something(const json_member& each) {
  const bool is_text_alone = json_key_is(each.raw_key, "modalities") && each.value == R"(["text"])";
  return is_meaningful(each.raw_key, each.value) && !is_text_alone;
}

// Returns the member's name if the answer would be different without the member. Otherwise returns an empty view.
inline std::string_view need_in(const json_member& each) {
  const auto named = [&each](std::string_view key) { return json_key_is(each.raw_key, key); };
  const auto need = std::find_if(other_needs.begin(), other_needs.end(), named);
  return need == other_needs.end() ? std::string_view{} : *need;
}

}  // namespace photofinish::proxy

// POST /v1/messages/count_tokens: estimates a request's tokens without a call to a provider. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// The response header that marks the count as an estimate, and names the tokenizer.
inline constexpr std::string_view token_count_header = "x-token-count";
inline constexpr std::string_view token_count_kind = "estimate;tokenizer=o200k_base";

struct token_count {
  std::string model;  // the model that the client requested
  std::string json;   // the JSON of the answer: {"input_tokens":N}
};

// Counts the tokens of a request. `body` is not checked yet. The caller keeps `parser` valid until the function
// returns. Counting a long body takes much time: see long_work.hpp.
std::variant<token_count, api_error> count_request(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway

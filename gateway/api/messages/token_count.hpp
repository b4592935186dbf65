// POST /v1/messages/count_tokens: what a request of Messages would be in tokens, without asking a provider. [pure]
#pragma once

#include "gateway/api/api_error.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// Says with the answer that it is an estimate, and whose tokens it counts.
inline constexpr std::string_view token_count_header = "x-token-count";
inline constexpr std::string_view token_count_kind = "estimate;tokenizer=o200k_base";

struct token_count {
  std::string model;  // that the client named
  std::string json;   // {"input_tokens":N}
};

// `body` is whatever the client sent; `parser` is lent. Takes long for a long one: see long_work.hpp.
std::variant<token_count, api_error> count_request(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway

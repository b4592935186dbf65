// What the gateway itself reads of a chat completions request; the rest passes through. [pure]
#pragma once

#include "gateway/api_error.hpp"
#include "proxy/client_body.hpp"
#include "proxy/usage_chunk.hpp"

#include <memory>
#include <string>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

enum class answer_form { stream, whole };

struct chat_request {
  std::shared_ptr<const proxy::client_body> body;  // shared by every attempt of its race
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;  // by stream_options
  std::size_t prompt_bytes = 0;     // of `messages`, for estimates
};

// `body` is whatever the client sent; `parser` is lent for the call.
std::variant<chat_request, api_error> read_chat_request(std::string body, proxy::tolerant_parser& parser);

}  // namespace photofinish::gateway

// What the gateway itself reads of a chat completions request; the rest passes through. [pure]
#pragma once

#include "gateway/api/api_error.hpp"
#include "proxy/dialects/usage_chunk.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// Values and members of a body, at all depths. The longest honest ones are agents' with some thousand messages and some
// hundred tools, whose schemas have a hundred values each: about a hundred thousand. Long bodies are long because of
// their strings. Each value costs 16 bytes and some ten nanoseconds while it is parsed, whoever sent it.
constexpr std::size_t max_body_values = 250'000;

// Members of the body itself; the API has about forty. They are looked through for each target.
constexpr std::size_t max_body_members = 1'000;

enum class answer_form { stream, whole };

struct chat_request {
  std::shared_ptr<const proxy::client_body> body;  // shared by every attempt of its race
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;  // by stream_options
  std::size_t prompt_bytes = 0;     // of `messages`, for estimates
};

// `body` is whatever the client sent; `parser` is lent for the call. A long body takes long: see long_work.hpp.
std::variant<chat_request, api_error> read_chat_request(std::string body, proxy::tolerant_parser& parser);

// The same body, which keeps the memory that it counts for as long as an attempt needs it.
std::shared_ptr<const proxy::client_body> counted_body(std::shared_ptr<const proxy::client_body> body,
                                                       proxy::memory_share memory);

}  // namespace photofinish::gateway

// Describes OpenAI's APIs as providers serve them: the path of each API, and the shape of its answers. [pure]
#pragma once

#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/served_apis.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// The content that an API's non-streamed JSON answer must have.
enum class answer_promise : std::uint8_t {
  entries,       // the answer has a list `data` or `results` that is not empty
  list,          // the answer has a list `data` or `results`, which may be empty
  text,          // a string `text`
  output,        // the answer has a member `output` that is not null
  input_tokens,  // the answer has a member `input_tokens` that is not null
};

struct openai_format {
  wire_format format;
  served_api api;
  std::string_view path;  // the path of the API after the base URL; for chat, chat_path replaces it
  answer_shape shape;
  answer_promise promise = answer_promise::entries;  // the content that a non-streamed JSON answer must have
};

// Returns the path and the answer shape of an API, or null if this dialect does not support the API.
const openai_format* find_openai_format(wire_format format);

// Returns the path of an API after the base URL. A query string in chat_path is added to the paths of all APIs, because
// Azure's older APIs need their version in the query string.
std::string path_at(const provider& target, const openai_format& format);

}  // namespace photofinish::proxy

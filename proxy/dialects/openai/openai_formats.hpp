// OpenAI's APIs as a provider serves them: the path, and what an answer is. [pure]
#pragma once

#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/providers/provider.hpp"
#include "proxy/providers/served_apis.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// What JSON in one piece must have to be an answer.
enum class answer_promise : std::uint8_t {
  entries,       // a list, `data` or `results`, that is not empty
  list,          // that may be empty
  text,          // a string `text`
  output,        // a member `output`, not null
  input_tokens,  // likewise
};

struct openai_format {
  wire_format format;
  served_api api;
  std::string_view path;  // behind the base URL; of chat it is a setting
  answer_shape shape;
  answer_promise promise = answer_promise::entries;  // of JSON in one piece
};

// Null where this dialect does not speak it.
const openai_format* find_openai_format(wire_format format);

// Behind the base URL. A query in chat_path holds for every API: Azure's older ones want their version there.
std::string path_at(const provider& target, const openai_format& format);

}  // namespace photofinish::proxy

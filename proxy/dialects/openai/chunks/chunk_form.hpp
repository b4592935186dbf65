// Describes the differences between chunks of the chat API, chunks of the older completions API, and non-streamed
// answers. [pure] They differ in the value of `object`, and in the member of a choice that contains the choice's
// content.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <string_view>

namespace photofinish::proxy {

struct chunk_form {
  wire_format format;
  std::string_view object;         // the value of `object` in each chunk
  std::string_view object_member;  // the complete JSON member `object` of each chunk
  std::string_view id_prefix;      // the prefix of answer ids that this gateway makes
  std::string_view said;           // the name of the member with the content of a choice
  std::string_view nothing;        // the JSON for empty content
  bool has_roles;
  bool is_whole = false;  // true for a non-streamed answer, false for a chunk
};

inline constexpr chunk_form chat_form{wire_format::openai_chat,
                                      "chat.completion.chunk",
                                      R"("object":"chat.completion.chunk")",
                                      "chatcmpl-",
                                      "delta",
                                      "{}",
                                      true};
inline constexpr chunk_form completion_form{wire_format::openai_completions,
                                            "text_completion",
                                            R"("object":"text_completion")",
                                            "cmpl-",
                                            "text",
                                            R"("")",
                                            false};

inline constexpr chunk_form whole_chat_form{wire_format::openai_chat,
                                            "chat.completion",
                                            R"("object":"chat.completion")",
                                            "chatcmpl-",
                                            "message",
                                            "{}",
                                            true,
                                            true};
inline constexpr chunk_form whole_completion_form{wire_format::openai_completions,
                                                  "text_completion",
                                                  R"("object":"text_completion")",
                                                  "cmpl-",
                                                  "text",
                                                  R"("")",
                                                  false,
                                                  true};

constexpr const chunk_form& whole_form_of(wire_format format) {
  return format == wire_format::openai_completions ? whole_completion_form : whole_chat_form;
}

constexpr const chunk_form& chunk_form_of(wire_format format) {
  return format == wire_format::openai_completions ? completion_form : chat_form;
}

}  // namespace photofinish::proxy

// What chunks of chat and of the older completions do not share, nor do chunks and answers in one piece. [pure]
// How they are called, and where a choice speaks.
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <string_view>

namespace photofinish::proxy {

struct chunk_form {
  wire_format format;
  std::string_view object;         // of each chunk
  std::string_view object_member;  // the same, as a member of it
  std::string_view id_prefix;      // of ids that we give
  std::string_view said;           // the member of a choice that says something: an object with a role, or a text
  std::string_view nothing;        // its JSON where it says nothing
  bool has_roles;
  bool is_whole = false;  // it is no chunk, but all of an answer
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

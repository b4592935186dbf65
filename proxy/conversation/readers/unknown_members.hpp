// Finds members of a client's objects that this gateway does not know. [pure]
#pragma once

#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The kinds of objects in a client's request, named after their API and their position in the request.
enum class client_object : std::uint8_t {
  chat_message,
  chat_result,  // a message with the role `tool` or `function`
  chat_part,
  chat_image,
  chat_file,
  chat_audio,
  chat_call,
  chat_call_function,
  chat_tool,
  chat_tool_function,
  chat_choice,
  chat_choice_function,
  chat_format,
  chat_schema,
  chat_reasoning,
  chat_thinking,
  chat_stream_options,
  response_message,
  response_call,
  response_result,
  response_part,
  response_tool,
  response_choice,
  response_text,
  response_format,
  response_reasoning,
  response_stream_options,
  message_turn,
  message_block,
  message_call,
  message_source,
  message_system,
  message_tool,
  message_choice,
  message_thinking,
  message_output,
  message_metadata,
};

// Records the names of a request's unknown members in conversation::hints, because translated requests omit these
// members. Records at most eight names for each request, because a client may send any number of unknown members.
class unknown_members {
 public:
  // `builder` must outlive this object.
  explicit unknown_members(conversation_builder& builder) : builder_(builder) {}

  void name(client_object kind, const object_members& object);

  // Returns the members of `value`, a JSON value, and records the names of unknown members in conversation::hints. A
  // value that is not an object has no members.
  object_members read(client_object kind, std::string_view value);

 private:
  struct named_member {
    client_object kind;
    std::string_view raw_key;
    bool operator==(const named_member&) const = default;
  };
  conversation_builder& builder_;
  std::vector<named_member> named_;
};

}  // namespace photofinish::proxy

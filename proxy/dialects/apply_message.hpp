// A code edit, and the message format that models for code edits require. [pure] Morph's models read a single message
// <instruction>…</instruction><code>…</code><update>…</update>, without any text around these tags.
#pragma once

#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct apply_edit {
  // The text in <instruction>, or the text outside the other tags if the message has no such tag. It may be empty.
  std::string instruction;
  std::string code;             // the file's current code
  std::string update;           // the change to the file
  // True if the message has an <instruction> and also text outside the tags. Such text is dropped.
  bool leaves_text_out = false;
  bool begins_with_text = false;  // true if there is text before the first tag
};

// Reads a code edit from a UTF-8 text. The tags may occur in any order. Returns nullopt if <code> or <update> is
// missing. The time is linear in the length of the text.
std::optional<apply_edit> read_apply_edit(std::string_view text);

// Reads a code edit from the last message of a chat body. The message must be from a user, and its content must be a
// string or a list of text parts.
std::optional<apply_edit> read_apply_edit(const client_body& chat);

// Writes the parts of a code edit in the order that the models require. An empty instruction is omitted.
std::string write_apply_message(const apply_edit& edit);

// True if the chat parameter cannot be sent to a model that applies code edits. Examples are `tools` and `tool_choice`.
bool is_beside_apply_message(std::string_view parameter);

}  // namespace photofinish::proxy

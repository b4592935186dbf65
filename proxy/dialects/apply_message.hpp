// A code edit, and its format for models that apply edits: a single message. [pure] Morph's models read
// <instruction>…</instruction><code>…</code><update>…</update>, and no text around these tags.
#pragma once

#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct apply_edit {
  std::string instruction;      // may be empty; the text around the parts, if the message has no <instruction>
  std::string code;             // the file's current code
  std::string update;           // the change to the file
  // True if the text around the parts is dropped, because the message has an <instruction>.
  bool leaves_text_out = false;
  bool begins_with_text = false;  // true if text comes before the first part
};

// Reads a code edit from UTF-8 text, in which the parts can have any order. Returns nullopt if <code> or <update> is
// missing. Takes linear time.
std::optional<apply_edit> read_apply_edit(std::string_view text);

// Reads a code edit from the last message of a chat body. The message must be from a user, and its content must be a
// string or a list of text parts.
std::optional<apply_edit> read_apply_edit(const client_body& chat);

// Writes the parts in the order that the models require. An empty instruction is left out.
std::string write_apply_message(const apply_edit& edit);

// True if a chat parameter cannot be sent to a model that applies edits. Examples are `tools` and `tool_choice`.
bool is_beside_apply_message(std::string_view parameter);

}  // namespace photofinish::proxy

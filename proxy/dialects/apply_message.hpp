// A code edit, and the single message in which models that apply edits accept it. [pure] Morph's models read
// <instruction>…</instruction><code>…</code><update>…</update>, and no text around these tags.
#pragma once

#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct apply_edit {
  std::string instruction;      // may be empty; contains the text around the parts if the message has no <instruction>
  std::string code;             // the current file
  std::string update;           // the change of the file
  bool leaves_text_out = false;  // true if the text around the parts is dropped, because there is an <instruction>
  bool begins_with_text = false;  // true if text comes before the first part
};

// Reads a code edit from UTF-8 text with the parts in any order. Returns nullopt if <code> or <update> is
// missing. Takes linear time.
std::optional<apply_edit> read_apply_edit(std::string_view text);

// Reads a code edit from the last message of a chat body. The message must be from a user, and its content must be a
// string or a list of text parts.
std::optional<apply_edit> read_apply_edit(const client_body& chat);

// Writes the parts in the order that the model needs. An empty instruction is left out.
std::string write_apply_message(const apply_edit& edit);

// True if a chat parameter cannot be sent with such a message, as tools and the choice of tools cannot.
bool is_beside_apply_message(std::string_view parameter);

}  // namespace photofinish::proxy

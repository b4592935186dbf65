// An edit to apply, and the single message that models for applying edits accept. [pure]
// Morph's models read <instruction>…</instruction><code>…</code><update>…</update>, and no text around it.
#pragma once

#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct apply_edit {
  std::string instruction;      // may be empty; text around the parts if the message has no instruction
  std::string code;             // the current file
  std::string update;           // the change
  bool leaves_text_out = false;  // drops text around the parts, because there is an instruction
  bool begins_with_text = false;  // text before the first part
};

// Reads UTF-8 text with the parts in any order. Returns nothing if <code> or <update> is missing. Takes linear time.
std::optional<apply_edit> read_apply_edit(std::string_view text);

// Reads the last message of a chat body, if it is a user's message with only text: a string, or a list of text parts.
std::optional<apply_edit> read_apply_edit(const client_body& chat);

// Writes the parts in the model's order. An empty instruction is left out.
std::string write_apply_message(const apply_edit& edit);

// True if a chat parameter cannot be sent with such a message: tools, and the choice of tools.
bool is_beside_apply_message(std::string_view parameter);

}  // namespace photofinish::proxy

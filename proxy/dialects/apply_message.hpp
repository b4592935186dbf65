// An edit to apply, and the one message that a model for applying edits takes. [pure]
// Morph's models read <instruction>…</instruction><code>…</code><update>…</update>, and nothing around it.
#pragma once

#include "proxy/json/client_body.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

struct apply_edit {
  std::string instruction;      // may be empty; text around the parts where the message has no instruction
  std::string code;             // the file as it is
  std::string update;           // what becomes of it
  bool leaves_text_out = false;  // text around the parts, beside an instruction
  bool begins_with_text = false;  // in front of the first part
};

// From UTF-8 text, parts in any order; none: it lacks <code> or <update>. Takes time in proportion to the text.
std::optional<apply_edit> read_apply_edit(std::string_view text);

// From the last message of a chat body, where it is a user's and text alone: a string, or a list of text parts.
std::optional<apply_edit> read_apply_edit(const client_body& chat);

// The parts in the model's order. An empty instruction is left out.
std::string write_apply_message(const apply_edit& edit);

// Whether a chat parameter has no place beside such a message: tools, and how they are chosen.
bool is_beside_apply_message(std::string_view parameter);

}  // namespace photofinish::proxy

// A completion in one piece for a client that wants it so: its bytes pass. [pure]
// It is looked at as a chunk is, and mended by the same few edits: an id, a role, a word for its end. What would take
// more than that is whole_answer's.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/dialects/openai/stream_state.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/dialects/stream_settings.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace photofinish::proxy {

class passed_answer {
 public:
  explicit passed_answer(stream_settings settings);

  // Takes `body`, all of a 200 answer of type application/json, where it is a completion of which each choice speaks
  // and has ended. Else false, and the body is as it was, but for room behind it.
  bool take(std::string& body);

  // Once it is taken. The JSON moves to who keeps the event (kept_event).
  stream_event event(instant read_at);

  std::size_t held_bytes() const { return kept_ ? kept_->heap_bytes() : 0; }

 private:
  bool is_complete() const;

  const chunk_form& form_;
  chunk_inspector inspector_;
  stream_state state_;
  std::optional<kept_event> kept_;
};

}  // namespace photofinish::proxy

// Reads a whole completion for a client that wants a whole answer. The completion is sent nearly unchanged. [pure] It
// is inspected like a chunk and repaired by the same few edits, which set an id, a role or a finish_reason.
// whole_answer handles completions that need more edits.
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

  // Accepts `body`, a whole answer with status 200 and type application/json, if it is a completion in which each
  // choice has content and has ended. Otherwise returns false, and the body keeps its content.
  bool take(std::string& body);

  // Must be called after take() succeeded. The memory of the JSON moves to the owner of the event (kept_event).
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

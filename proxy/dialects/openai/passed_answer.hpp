// Reads a non-streamed completion for a client that did not request a stream. [pure] The completion is sent nearly
// unchanged. It is inspected like a chunk and repaired by a few edits, which set an id, a role or a finish_reason.
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

  // Accepts `body`, a non-streamed answer with status 200 and type application/json, if each choice of the completion
  // has content and has ended. Otherwise returns false and does not change `body`.
  bool take(std::string& body);

  // Returns the answer as one event. May be called only after take() succeeded. The JSON is moved into the kept_event
  // that stores the event.
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

// Converts the signed reasoning in an answer's deltas into `reasoning_details` of chat chunks. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class chat_reasoning_chunks {
 public:
  // Buffers the reasoning in a delta. Text is kept until its signature arrives. Signed reasoning is kept until the next
  // call of before() or rest().
  void note(const proxy::delta& each);

  // Returns the buffered reasoning that must be sent before this delta, as a JSON member of a chunk's delta. Returns an
  // empty text if no reasoning is buffered for the delta's choice.
  std::string before(const proxy::delta& each);
  // Buffered reasoning of one choice. rest() returns it after the last delta of the answer.
  struct waiting {
    std::int64_t choice;
    std::string member;
  };
  std::optional<waiting> rest();

  // The Gemini signature of the tool call that was last passed to before(). Empty if this call had no signature.
  const std::string& google_signature() const { return google_signature_; }

  std::size_t held_bytes() const { return held_ + choices_.size() * choice_bytes; }

 private:
  struct part {
    proxy::delta_kind kind = proxy::delta_kind::opaque;
    std::string text, signature, readable_by, item;
  };
  struct choice_state {
    std::string text;  // the reasoning text since the last signature
    std::optional<part> waits;
    std::string list;  // the signed reasoning before the text, as JSON
    std::size_t index = 0;
  };

  // The memory in bytes of one choice and its entry in the map. A provider may send any number of choices.
  static constexpr std::size_t choice_bytes = sizeof(choice_state) + 64;

  static bool goes_on(const choice_state& of, const proxy::delta& each);
  void write(choice_state& of, std::string_view call_id);
  std::string take_list(choice_state& of);

  std::map<std::int64_t, choice_state> choices_;  // maps choice numbers to their reasoning
  std::string google_signature_;
  std::size_t held_ = 0;
};

}  // namespace photofinish::gateway

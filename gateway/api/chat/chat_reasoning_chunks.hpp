// Turns the signed reasoning in an answer's deltas into `reasoning_details` of chat's chunks. [pure]
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
  // Stores the reasoning of a delta: text until its signature comes, signed reasoning until next().
  void note(const proxy::delta& each);

  // Returns the waiting reasoning that must precede that delta of the same choice, as a member of a chunk's delta, or
  // an empty text.
  std::string before(const proxy::delta& each);
  // Called after the last delta. Returns the waiting reasoning of any choice, or nothing.
  struct waiting {
    std::int64_t choice;
    std::string member;
  };
  std::optional<waiting> rest();

  // The Gemini signature of the call that before() was just called for; empty: there is none.
  const std::string& google_signature() const { return google_signature_; }

  std::size_t held_bytes() const { return held_ + choices_.size() * choice_bytes; }

 private:
  struct part {
    proxy::delta_kind kind = proxy::delta_kind::opaque;
    std::string text, signature, readable_by, item;
  };
  struct choice_state {
    std::string text;  // text since the last signature
    std::optional<part> waits;
    std::string list;  // signatures of the reasoning before it
    std::size_t index = 0;
  };

  // Bytes of a choice with its place in the map. A provider numbers its choices freely.
  static constexpr std::size_t choice_bytes = sizeof(choice_state) + 64;

  static bool goes_on(const choice_state& of, const proxy::delta& each);
  void write(choice_state& of, std::string_view call_id);
  std::string take_list(choice_state& of);

  std::map<std::int64_t, choice_state> choices_;  // the choices that have reasoning
  std::string google_signature_;
  std::size_t held_ = 0;
};

}  // namespace photofinish::gateway

// What an answer's deltas say of its signed reasoning, as `reasoning_details` of chat's chunks. [pure]
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
  // Notes what a delta says of reasoning: its text is kept until its signature comes, and what is signed until next().
  void note(const proxy::delta& each);

  // What waits to be said before that delta of the same choice, as a member of a chunk's delta; empty: nothing.
  std::string before(const proxy::delta& each);
  // The same of any choice, behind the last delta; none: nothing waits.
  struct waiting {
    std::int64_t choice;
    std::string member;
  };
  std::optional<waiting> rest();

  // Gemini's signature of that call, which before() has just been asked for; empty: there is none.
  const std::string& google_signature() const { return google_signature_; }

  std::size_t held_bytes() const { return held_ + choices_.size() * choice_bytes; }

 private:
  struct part {
    proxy::delta_kind kind = proxy::delta_kind::opaque;
    std::string text, signature, readable_by, item;
  };
  struct choice_state {
    std::string text;  // since the last signature
    std::optional<part> waits;
    std::string list;  // of what stood before it
    std::size_t index = 0;
  };

  // With its place in the map. A provider numbers its choices as it likes.
  static constexpr std::size_t choice_bytes = sizeof(choice_state) + 64;

  static bool goes_on(const choice_state& of, const proxy::delta& each);
  void write(choice_state& of, std::string_view call_id);
  std::string take_list(choice_state& of);

  std::map<std::int64_t, choice_state> choices_;  // those that have reasoned
  std::string google_signature_;
  std::size_t held_ = 0;
};

}  // namespace photofinish::gateway

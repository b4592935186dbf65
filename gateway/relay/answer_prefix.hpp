// What an answer has said so far, kept so that another target can go on with it where its own breaks off. [pure]
// That works for plain text alone: a call in pieces, a thought or a second choice cannot be handed to another model.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace photofinish::gateway {

// What a target is given to go on with, and how its words join what the client has.
struct continued_text {
  std::string given;         // the answer so far, as it was sent
  std::string cut;           // white space behind it, which the client has, and the target is not given
  std::uint64_t tokens = 0;  // of `given`, as we count them: the target counts them as input
};

class answer_prefix {
 public:
  // Less says too little to go on with; and a provider that repeats what it is given looks like a model that repeats
  // its own words.
  static constexpr std::size_t least = 16;
  // The longest answers of models, 128k tokens, have about half of it.
  static constexpr std::size_t longest = 1u << 20;

  // `memory`: for the text.
  explicit answer_prefix(proxy::memory_share memory) : memory_(std::move(memory)) {}

  void see(const proxy::stream_event& event);

  // It can be continued: it is text, of one choice, and not at its end.
  bool may_go_on() const { return is_plain_ && text_.size() >= least; }
  const std::string& text() const { return text_; }

  // Members that each of OpenAI's chunks repeats, as JSON: those of the first that passed as its provider wrote it.
  struct chunk_members {
    std::string id, created, model;  // empty: it has none
  };
  // Null: none has passed.
  const chunk_members* chunks() const { return has_chunk_ ? &chunks_ : nullptr; }

 private:
  void see_delta(const proxy::delta& each);
  void give_up();

  proxy::memory_share memory_;
  std::string text_;
  bool is_plain_ = true;
  bool has_chunk_ = false;
  chunk_members chunks_;
};

}  // namespace photofinish::gateway

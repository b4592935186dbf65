// What an answer has said so far, kept so that another target can go on with it where its own breaks off. [pure]
// That works for plain text alone: a call in pieces, a thought or a second choice cannot be handed to another model.
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/memory/memory_share.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

  void see(const proxy::stream_event& event) {
    if (!is_plain_) return;
    if (!has_chunk_ && event.spoken == proxy::wire_format::openai_chat && !event.json.empty()) {
      std::string chunk;
      for (const std::string_view piece : event.json) chunk += piece;
      const auto member = [&chunk](std::string_view key) {
        return std::string(proxy::json_find(chunk, key).value_or(std::string_view{}));
      };
      chunks_ = {member("id"), member("created"), member("model")};
      has_chunk_ = true;
    }
    for (const proxy::delta& each : event.deltas) see_delta(each);
  }

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
  void see_delta(const proxy::delta& each) {
    if (each.kind != proxy::delta_kind::text || each.choice != 0) return give_up();
    const std::size_t size = text_.size() + each.text.size();
    if (!is_plain_ || size > longest || !memory_.grow_to(size, proxy::memory_use::running)) return give_up();
    text_ += each.text;
  }
  void give_up() {
    is_plain_ = false;
    std::string().swap(text_);
    memory_.shrink_to(0);
  }

  proxy::memory_share memory_;
  std::string text_;
  bool is_plain_ = true;
  bool has_chunk_ = false;
  chunk_members chunks_;
};

}  // namespace photofinish::gateway

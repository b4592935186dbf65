// The text that an answer has sent so far. If the answer breaks off, another target can continue it. [pure] Only plain
// text can be continued. Incomplete tool calls, reasoning, or several choices cannot be passed to another model.
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

// The text that another target must continue after an answer broke off. Also contains the white space that the client
// already has after this text.
struct continued_text {
  std::string given;         // the text that was sent to the client so far
  std::string cut;           // white space after `given` that the client already has; it is not sent to the target
  std::uint64_t tokens = 0;  // the gateway's count of the tokens in `given`; the target bills them as input
};

class answer_prefix {
 public:
  // The minimum size of a text that can be continued. A shorter text gives the model too little context. Also, if the
  // new text began with the same few words, it would be unclear whether the provider repeated the given text.
  static constexpr std::size_t least = 16;
  // The maximum size of a text that can be continued. The longest answers of models have 128k tokens, which need about
  // half of this size.
  static constexpr std::size_t longest = 1u << 20;

  // Memory for the text of the answer is reserved from `memory`.
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

  // True if the answer can be continued: it consists of text in one choice, and it has not ended.
  bool may_go_on() const { return is_plain_ && text_.size() >= least; }
  const std::string& text() const { return text_; }

  // The members that every chunk of an OpenAI stream repeats, as JSON. They are copied from the first chunk that the
  // client got unchanged from the provider.
  struct chunk_members {
    std::string id, created, model;  // the values of the chunk's members as JSON; empty if the chunk does not have the
                                     // member
  };
  // Returns the members that all chunks repeat, or null if no chunk was sent yet.
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

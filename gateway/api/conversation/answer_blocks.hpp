// Sorts an answer's deltas into consecutive blocks, as the Responses and Messages
// APIs require. [pure] Chat providers may send parallel tool calls interleaved.
// While one call is open, the other calls wait until its arguments are complete.
#pragma once

#include "proxy/dialects/openai/tool_calls.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>

namespace photofinish::gateway {

enum class answer_block_kind : std::uint8_t {
  text,
  refusal,
  reasoning,
  opaque,  // reasoning that only its provider can read: it has a signature and no text
  call,
  image,  // an image in one piece: `name` is the media type, and `text` is the image in base64
};

struct answer_block {
  answer_block_kind kind = answer_block_kind::text;
  std::size_t index = 0;  // the number of the block, in the order in which blocks open
  std::string id = {};    // a call's id
  std::string name = {};  // the tool's name as the provider sent it; for an image, its media type
  std::string text = {};  // the text, reasoning or arguments; set if texts are kept or the block is waiting
  std::string signature = {};    // the reasoning's signature, if the block is reasoning
  std::string readable_by = {};  // the name of the API that can read the reasoning's signature
  std::string item = {};         // the provider's item that contained the signature (see delta::item)
  // Citations as JSON values, separated by commas; their positions refer to this block's text.
  std::string citations = {};
  std::string logprobs = {};     // the text's log probabilities as JSON values, separated by commas
  bool is_cut = false;           // true if the answer ended before the block was complete
  bool is_last = false;          // true for the last block of the answer; known only when the block closes
};

// Receives the blocks of an answer. Each block opens, gets its text, and closes before the next block opens.
class block_listener {
 public:
  virtual ~block_listener() = default;
  virtual void on_open(const answer_block& block) = 0;
  virtual void on_text(const answer_block& block, std::string_view more) = 0;
  virtual void on_citation(const answer_block& block, std::string_view json) = 0;
  virtual void on_close(const answer_block& block) = 0;
};

enum class block_texts : std::uint8_t {
  kept,    // keeps texts, so that the listener can read them when the block closes
  passed,  // a block's text is dropped after the listener received it
};

class answer_blocks {
 public:
  // A tool call without an id, or with the id of another call, gets an id that begins with `answer_id`.
  answer_blocks(block_texts texts, std::string answer_id) : texts_(texts), answer_id_(std::move(answer_id)) {}

  // Adds a delta of the first choice. Deltas of other choices are ignored, because the Responses and Messages APIs have
  // only one choice.
  void add(const proxy::delta& each, block_listener& to);

  // Closes all open and waiting blocks. Must be called only once.
  // `is_cut` is true if a limit or a filter ended the answer.
  void finish(bool is_cut, block_listener& to);

  bool has_calls() const { return has_calls_; }
  bool has_refusal() const { return has_refusal_; }
  // True if a citation arrived after the block of its text was closed.
  bool has_lost_citations() const { return has_lost_citations_; }
  // The memory in use, in bytes. The part that waiting_bytes() reports is freed when all open and waiting blocks have
  // closed.
  std::size_t held_bytes() const { return held_ + known_; }
  std::size_t waiting_bytes() const { return held_; }

 private:
  struct pending {
    answer_block block;
    std::int64_t part = 0;           // the number of the tool call, if the block is a tool call
    bool is_open = false;            // true if the listener has received the block's start
    proxy::argument_text arguments;  // the arguments of the tool call, if the block is a tool call
  };

  void add_text(answer_block_kind kind, std::string_view text, block_listener& to);
  void add_call(const proxy::delta& each, block_listener& to);
  void add_signature(const proxy::delta& each, block_listener& to);
  void add_image(const proxy::delta& each, block_listener& to);
  void add_citation(const proxy::delta& each, block_listener& to);

  // Returns the block for the next text: the open block, a waiting block, or a new block.
  pending& place_for(answer_block_kind kind, block_listener& to);
  pending& place_for_call(std::int64_t part, block_listener& to);
  pending& begin(answer_block_kind kind, std::int64_t part, block_listener& to);
  void say(pending& in, std::string_view text, block_listener& to);
  void open(pending& each, block_listener& to);
  void close(pending& each, block_listener& to);
  // Closes the finished blocks and opens the blocks that wait.
  void advance(block_listener& to);
  static bool may_close(const pending& each);
  void keep(std::string& in, std::string_view text);
  static std::size_t kept_of(const answer_block& block);

  block_texts texts_;
  std::string answer_id_;
  std::deque<pending> blocks_;  // the unfinished blocks; the first block is open, and the other blocks wait for its end
  std::size_t next_index_ = 0;
  std::size_t held_ = 0;
  // The memory in bytes of the tool calls' ids and numbers. It is in use until the end of the answer.
  std::size_t known_ = 0;
  bool has_calls_ = false;
  bool has_refusal_ = false;
  bool has_text_ = false;
  std::string logprobs_;  // the log probabilities of the next text
  bool has_lost_citations_ = false;
  std::uint64_t closed_characters_ = 0;  // the number of characters in all closed text blocks, if texts are kept
  std::set<std::string> call_ids_;
  std::set<std::int64_t> closed_calls_;
};

}  // namespace photofinish::gateway

// An answer's deltas, sorted into blocks that stand one after another, as Responses and Messages have them. [pure]
// Chat tells parallel calls apart by index and may mix them: while one is open the others wait, until its arguments
// are whole.
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
  opaque,  // reasoning that only its provider can read: a signature, and no text
  call,
  image,  // which comes whole: its name is its media type, its text base64
};

struct answer_block {
  answer_block_kind kind = answer_block_kind::text;
  std::size_t index = 0;  // among the answer's blocks, in the order in which they open
  std::string id = {};    // of a call
  std::string name = {};  // of a call: as its provider was asked to call it; see image
  std::string text = {};  // of a text, its reasoning, a call's arguments: where texts are kept, and of what waits
  std::string signature = {};    // of reasoning
  std::string readable_by = {};  // the signature: the name of an API
  std::string item = {};         // of its provider's that the signature came in: see delta::item
  std::string citations = {};    // JSON, with commas between them; their places are those in its text
  std::string logprobs = {};     // of its text: JSON, with commas between them
  bool is_cut = false;           // the answer ended before it did
  bool is_last = false;          // of the answer; known when it closes
};

// Each block opens, says something, and closes, before the next one opens.
class block_listener {
 public:
  virtual ~block_listener() = default;
  virtual void on_open(const answer_block& block) = 0;
  virtual void on_text(const answer_block& block, std::string_view more) = 0;
  virtual void on_citation(const answer_block& block, std::string_view json) = 0;
  virtual void on_close(const answer_block& block) = 0;
};

enum class block_texts : std::uint8_t {
  kept,    // to be read when the block closes
  passed,  // what was passed on is forgotten
};

class answer_blocks {
 public:
  // Calls without an id of their own, or with another's, get one that begins with `answer_id`.
  answer_blocks(block_texts texts, std::string answer_id) : texts_(texts), answer_id_(std::move(answer_id)) {}

  // Deltas of the first choice: these APIs have one.
  void add(const proxy::delta& each, block_listener& to);

  // Whatever is open or waits is closed, once. `is_cut`: by a limit or a filter.
  void finish(bool is_cut, block_listener& to);

  bool has_calls() const { return has_calls_; }
  bool has_refusal() const { return has_refusal_; }
  // A citation came after the text that it stands by had closed.
  bool has_lost_citations() const { return has_lost_citations_; }
  // What it keeps of the answer, and of that what is let go when the blocks close which are open or wait.
  std::size_t held_bytes() const { return held_ + known_; }
  std::size_t waiting_bytes() const { return held_; }

 private:
  struct pending {
    answer_block block;
    std::int64_t part = 0;           // of a call
    bool is_open = false;            // the listener knows it
    proxy::argument_text arguments;  // of a call
  };

  void add_text(answer_block_kind kind, std::string_view text, block_listener& to);
  void add_call(const proxy::delta& each, block_listener& to);
  void add_signature(const proxy::delta& each, block_listener& to);
  void add_image(const proxy::delta& each, block_listener& to);
  void add_citation(const proxy::delta& each, block_listener& to);

  // Where the next text goes: the open block, a waiting one, or a new one.
  pending& place_for(answer_block_kind kind, block_listener& to);
  pending& place_for_call(std::int64_t part, block_listener& to);
  pending& begin(answer_block_kind kind, std::int64_t part, block_listener& to);
  void say(pending& in, std::string_view text, block_listener& to);
  void open(pending& each, block_listener& to);
  void close(pending& each, block_listener& to);
  // Those that can close make room for those that wait.
  void advance(block_listener& to);
  static bool may_close(const pending& each);
  void keep(std::string& in, std::string_view text);
  static std::size_t kept_of(const answer_block& block);

  block_texts texts_;
  std::string answer_id_;
  std::deque<pending> blocks_;  // the first one is current, the others wait
  std::size_t next_index_ = 0;
  std::size_t held_ = 0;
  std::size_t known_ = 0;  // of the ids and numbers of calls, which are kept to the end
  bool has_calls_ = false;
  bool has_refusal_ = false;
  bool has_text_ = false;
  std::string logprobs_;  // of the text that comes next
  bool has_lost_citations_ = false;
  std::uint64_t closed_characters_ = 0;  // of the texts that have closed, where texts are kept
  std::set<std::string> call_ids_;
  std::set<std::int64_t> closed_calls_;
};

}  // namespace photofinish::gateway

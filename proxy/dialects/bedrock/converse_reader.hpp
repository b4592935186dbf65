// Reads one answer of Converse, event by event, and converts its content to the types of stream_event.hpp. [pure] Parts
// of the answer that the client's API cannot express are reported as lost.
#pragma once

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/lost_parts.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

class converse_reader {
 public:
  // `lent` is the parser that all streams of a thread share (see event_parser), and may be null. `takes_images` is true
  // if the client's API can express images.
  explicit converse_reader(tolerant_parser* lent = nullptr, bool takes_images = true)
      : takes_images_(takes_images), parser_(lent) {}

  // Reads one event. `type` is the event's type, and `json` is its JSON. The buffer must have 64 readable bytes after
  // the JSON. Unknown events have no effect. Fails if the JSON is not a valid object, or if the answer can no longer
  // succeed.
  result<void> read(std::string_view type, std::string_view json);

  // These functions read a non-streamed answer. read_block() must be called first, for each block of the content.
  // read_end() then reads the other members of the answer.
  result<void> read_block(std::string_view json);
  result<void> read_end(std::string_view json);

  // Returns the content that the last read function found. Its strings are valid until the next call or until the JSON
  // is freed.
  const event_facts& said() const { return said_; }
  // Returns the unpaired surrogates at the beginnings and ends of the current event's texts.
  const edge_halves& halves() const { return parser_.halves(); }

  bool has_stopped() const { return has_stopped_; }  // true if the model has sent its stop reason
  bool has_usage() const { return has_usage_; }
  // Returns the total size of the images and citations that are stored until their block ends, in bytes.
  std::size_t held_bytes() const { return held_; }

 private:
  using object = simdjson::dom::object;
  using element = simdjson::dom::element;

  enum class block_type : std::uint8_t { call, image, other };
  struct open_block {
    std::int64_t index = 0;
    block_type type = block_type::call;
    std::int64_t part = 0;
    bool has_arguments = false;
    std::string image = {};   // the decoded bytes of the image
    std::string format = {};  // the format of `image`, for example "png"
  };

  result<object> parse(std::string_view json);
  void open(object event);
  void read_delta(object event);
  void read_call_delta(std::string_view text, std::int64_t index);
  void read_reasoning(object content);
  void read_image(object image, std::int64_t index);
  void say_image(std::string_view format, std::string_view data);
  void lose(std::string_view name);
  void lose_others_of(object part, std::span<const std::string_view> known);
  void close(std::int64_t index);
  void begin_call(object call, open_block& block);
  result<void> stop(std::string_view word);
  void read_usage(object of);
  void read_tier(object of);
  void say(delta said, event_kind kind);
  void say_text(delta_kind kind, std::string_view text, std::int64_t part = 0);
  void hold_citation(element json);
  void say_citations();
  std::vector<open_block>::iterator find_block(std::int64_t index);

  event_facts said_;
  bool has_said_ = false;  // true if the answer has text or a call
  bool has_stopped_ = false;
  bool has_usage_ = false;
  token_usage usage_;  // the largest token counts that were reported so far
  bool takes_images_;
  std::size_t held_ = 0;
  lost_parts lost_;
  std::uint64_t characters_ = 0;        // the number of characters in the answer's text so far
  std::uint64_t text_begin_ = 0;        // the number of characters in the answer before the current text block
  std::int64_t text_index_ = -1;
  std::vector<std::string> citations_;  // the citations of the newest text block, which are sent when the block ends
  std::int64_t calls_ = 0;
  std::vector<open_block> blocks_;  // the open calls and images; text blocks are not stored here
  std::list<std::string> texts_;   // the texts of deltas that had to be decoded from JSON
  event_parser parser_;
};

}  // namespace photofinish::proxy

// Reads one answer of Converse, event by event, into the events of stream_event.hpp. [pure] If the client's API cannot
// express a part of the answer, the part is reported as lost.
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
  // `lent` is a parser that the streams of a thread share (see event_parser), or null. `takes_images` is true if the
  // client's API can express images.
  explicit converse_reader(tolerant_parser* lent = nullptr, bool takes_images = true)
      : takes_images_(takes_images), parser_(lent) {}

  // Reads one event. `type` is the event's type. `json` is the event's JSON, after which 64 bytes must be readable.
  // Unknown events have no effect. Fails if the JSON is not a valid object, or if the answer can no longer succeed.
  result<void> read(std::string_view type, std::string_view json);

  // These functions read a whole answer. read_block() must be called first, for each block of the content. read_end()
  // then reads the answer without its content.
  result<void> read_block(std::string_view json);
  result<void> read_end(std::string_view json);

  // Returns the content that the last read function found. Its texts are valid until the next call, and only as long as
  // the JSON that was read.
  const event_facts& said() const { return said_; }
  // Returns the halves of surrogate pairs in the texts of the current event.
  const edge_halves& halves() const { return parser_.halves(); }

  bool has_stopped() const { return has_stopped_; }  // true if the model has sent its stop reason
  bool has_usage() const { return has_usage_; }
  // Returns the size in bytes of images and citations that are stored until their block ends.
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
    std::string format = {};  // format of `image`, for example "png"
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
  std::uint64_t characters_ = 0;        // length of the answer's text so far in characters
  std::uint64_t text_begin_ = 0;        // offset of the newest text block in characters
  std::int64_t text_index_ = -1;
  std::vector<std::string> citations_;  // citations of the newest text block; they are sent when the block ends
  std::int64_t calls_ = 0;
  std::vector<open_block> blocks_;  // open calls and images; text blocks need no entry
  std::list<std::string> texts_;   // texts of deltas that differ from the raw JSON
  event_parser parser_;
};

}  // namespace photofinish::proxy

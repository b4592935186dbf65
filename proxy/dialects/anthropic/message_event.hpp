// Inspects the JSON of one event of Anthropic's Messages API: the content of the event, and whether it is the last
// event. [pure] The JSON is validated completely and never changed.
#pragma once

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/lost_parts.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class message_step : std::uint8_t {
  nothing,  // an event that the client does not get, because it is repeated or belongs to another API
  going_on,
  complete,  // the last event of the answer
};

struct message_facts : event_facts {
  message_step step = message_step::nothing;
};

class message_inspector {
 public:
  // `lent` is the parser that all streams of a thread share (see event_parser), and may be null. If clients get
  // translated JSON, blocks that other APIs do not have are reported as lost parts of the answer and do not count as
  // tokens.
  explicit message_inspector(tolerant_parser* lent = nullptr, json_use use = json_use::passes)
      : use_(use), parser_(lent) {}

  // Inspects the JSON of one event. The buffer must have 64 readable bytes after the text. `name` is the event's name
  // in the stream, and is used if the JSON contains no name. Fails with bad_stream if the text is not a valid JSON
  // object or does not belong to the current message. If the event reports a provider's error, fails with that error.
  result<void> inspect(std::string_view json, std::string_view name);

  // Returns the content of the last event that was inspected successfully. Its strings are valid until the event's JSON
  // is freed, the next event is inspected, or the parser is used again.
  const message_facts& facts() const { return facts_; }
  // Returns the unpaired surrogates at the beginnings and ends of the current event's texts.
  const edge_halves& halves() const { return parser_.halves(); }

  // True if the provider has sent its stop reason. After a stop reason, only the end of the answer can follow.
  bool has_stopped() const { return has_stopped_; }

  // Returns how many bytes of the answer this object stores.
  std::size_t held_bytes() const { return held_; }

 private:
  using object = simdjson::dom::object;
  using element = simdjson::dom::element;

  enum class block_type : std::uint8_t { said, call, other };
  struct open_block {
    std::int64_t index = 0;
    block_type type = block_type::said;
    std::int64_t part = 0;       // only for calls: the index of the call among all calls of the answer
    bool has_arguments = false;  // only for calls: true if some of the arguments have arrived
    std::string input = {};      // only for calls: the arguments that the start of the block contained; may be empty
    std::uint64_t text_begin = 0;             // the offset of the block in the answer's text, in characters
    std::vector<std::string> citations = {};  // the citations of this block, which are sent when the block ends
  };

  result<void> read(std::string_view type, object event);
  result<void> begin(object event);
  result<void> open(object event);
  void close(object event);
  open_block open_block_of(object content, std::int64_t index);
  void open_call(object content, open_block& block);
  void close_block(open_block block);
  void read_delta(object event);
  void read_call_delta(object said, open_block& block);
  result<void> read_stop(object event);
  result<void> stop_with(object of);
  void read_usage(object of);
  void say(delta_kind kind, std::string_view text, std::int64_t part = 0);
  void say_own(delta_kind kind, std::string_view text);
  void say_token();
  void hold_citation(element citation, open_block& block);
  void say_citations(open_block& block);
  void open_other(std::string_view type);
  void lose_delta(std::string_view type, const open_block* block);
  open_block* find_block(std::int64_t index);

  json_use use_;
  lost_parts lost_;
  std::uint64_t characters_ = 0;  // the number of characters of text so far; counted only if the answer is translated
  message_facts facts_;
  std::string id_;  // the message's id
  bool has_begun_ = false;
  bool has_stopped_ = false;
  std::int64_t calls_ = 0;           // the number of calls in the message so far
  std::vector<open_block> blocks_;  // the open blocks; at most one if the server sends events in the right order
  std::list<std::string> texts_;   // the texts of deltas that had to be decoded from JSON
  token_usage usage_;       // the largest token counts that were reported so far
  // the token counts, added up over all iterations of the answer; later reports can only raise these counts
  token_usage iterations_;
  std::size_t held_ = 0;
  event_parser parser_;
};

}  // namespace photofinish::proxy

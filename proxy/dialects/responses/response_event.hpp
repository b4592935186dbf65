// Inspects the JSON of one event of OpenAI's Responses API: the content of the event, and whether it is the last event.
// [pure] The JSON is validated completely and never changed.
#pragma once

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/lost_parts.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class response_step : std::uint8_t {
  nothing,  // an event that the client does not get, because it belongs to another API
  going_on,
  complete,  // the last event of the answer
  failed,    // the provider reports an error
};

struct response_facts : event_facts {
  response_step step = response_step::nothing;
};

// Returns the failure for an event with too many texts, calls and choices (see most_said).
failure says_too_much();

class response_inspector {
 public:
  // `lent` is the parser that all streams of a thread share (see event_parser), and may be null. If clients get
  // translated JSON, items that other APIs do not have are reported as lost parts of the answer and do not count as
  // tokens. `takes_images` is true if the client's API can express images.
  explicit response_inspector(tolerant_parser* lent = nullptr, json_use use = json_use::passes,
                              bool takes_images = true)
      : use_(use), takes_images_(takes_images), parser_(lent) {}

  // Inspects the JSON of one event. The buffer must have 64 readable bytes after the text. `name` is the event's name
  // in the stream, and is used if the JSON contains no name. Fails with bad_stream if the text is not a valid JSON
  // object. If the event contains the provider's error, fails with that error.
  result<void> inspect(std::string_view json, std::string_view name);

  // Inspects a complete response that the provider sent although a stream was requested.
  result<void> inspect_whole(std::string_view json);

  // Forgets the content of all earlier events. The next event begins a new answer.
  void forget();

  // Returns the content of the last event that was inspected successfully. Its strings are valid until the event's JSON
  // is freed or the parser is used again.
  const response_facts& facts() const { return facts_; }
  // Returns the unpaired surrogates at the beginnings and ends of the current event's texts.
  const edge_halves& halves() const { return parser_.halves(); }

 private:
  using object = simdjson::dom::object;
  using element = simdjson::dom::element;

  // The content that was received so far for one output item.
  struct item_said {
    std::int64_t at = -1;
    std::uint64_t text_begin = 0;  // the offset of the item's text in the answer's text, in characters
    std::uint64_t part_begin = 0;  // the offset of the item's newest part in the answer's text, in characters
    bool has_citation = false;
    bool has_text = false;
    bool has_reasoning = false;
    bool has_signature = false;
    bool has_call = false;  // true if the call's name has arrived
    bool has_arguments = false;
  };

  result<object> parse(std::string_view json);
  void read_delta(object event);
  void begin_part(object event);
  void read_item(element value, std::int64_t output_index);
  void read_whole_item(element value, std::int64_t output_index);
  void read_whole_reasoning(object item, item_said& said);
  // returns true if any content or summary part of the item has text
  bool read_parts(object item, std::string_view key, delta_kind kind);
  void begin_content(object event);
  void read_annotation(object event);
  void read_annotations(object part, std::uint64_t begin);
  void read_missing_annotations(object item, const item_said& said);
  void cite(element annotation, std::uint64_t begin);
  void say_logprobs(object of);
  item_said& item_at(std::int64_t output_index);
  void read_other(object item, std::string_view type, item_said& said);
  void lose(std::string_view name);
  void note_other_token();
  result<void> read_end(object response);
  void read_usage(object response);
  result<void> read_response(element value, response_step step);
  result<void> look_at(std::string_view json, std::string_view name);
  bool is_full();  // true if the event already has the maximum number of deltas
  void say(delta_kind kind, std::string_view text, std::int64_t part = 0);
  std::int64_t part_of(std::int64_t output_index);

  json_use use_;
  bool takes_images_;
  lost_parts lost_;
  std::uint64_t characters_ = 0;  // the number of characters of text so far; counted only if the answer is translated
  response_facts facts_;
  bool is_overfull_ = false;
  std::vector<item_said> items_;      // the output items that have begun
  item_said spare_;                   // the entry that all items above the limit most_items share
  std::vector<std::int64_t> calls_;   // the output indexes of all calls that have begun
  token_usage usage_;                 // the largest token counts that were reported so far
  event_parser parser_;
  std::list<std::string> texts_;  // the decoded texts, and the JSON of values that are not strings
};

}  // namespace photofinish::proxy

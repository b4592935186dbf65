// Inspects the JSON of one stream event. [pure] Finds its kind, its content, and the data that is needed to repair the
// stream. The JSON is validated completely. Most chunks differ from the previous chunk only in their text, and such
// chunks are not parsed (chunk_pattern.hpp). The client gets the original text.
#pragma once

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/lost_parts.hpp"
#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/dialects/openai/chunks/chunk_pattern.hpp"
#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"
#include "proxy/failures/result.hpp"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class chunk_inspector {
 public:
  // `lent` is the parser that all streams of a thread share (see event_parser), and may be null. If clients get
  // translated JSON, parts that other APIs do not have are reported as lost parts of the answer and do not count as
  // tokens. `takes_images` is true if the client's API can express images. `shapes` contains the learnt shapes of the
  // target's chunks (chunk_shapes.hpp). It may be null, and must outlive this object.
  explicit chunk_inspector(tolerant_parser* lent = nullptr, const chunk_form& form = chat_form,
                           json_use use = json_use::passes, bool takes_images = true, chunk_shapes* shapes = nullptr)
      : pattern_(form), parser_(lent), form_(&form), shapes_{shapes}, use_(use), takes_images_(takes_images) {}

  // Inspects the JSON of one event. The buffer must have 64 readable bytes after the text. Fails with bad_stream if the
  // text is not a valid JSON object, or if clients cannot read its `choices`.
  result<void> inspect(std::string_view json);

  // Returns the content of the last event that was inspected successfully. Its strings are valid until the event's JSON
  // is freed or the parser is used again.
  const chunk_facts& facts() const { return facts_; }
  // True if the chunk differs from the previous chunk only in its text.
  bool is_repetition() const { return is_repetition_; }
  // Returns the unpaired surrogates at the beginnings and ends of the event's texts. If the chunk was not parsed, there
  // are none, because such a chunk contains no \u escapes.
  const edge_halves& halves() const { return is_parsed_ ? parser_.halves() : no_halves_; }

  // Returns a failure if the answer contains nothing that the client's API can express (see lost_parts). Must be called
  // after the end of the answer.
  std::optional<failure> failure_if_all_is_lost() const { return lost_.failure_if_alone(); }

 private:
  struct known_shapes {
    // the learnt shapes of the target's chunks; null if this stream does not use shapes
    chunk_shapes* of_target = nullptr;
    std::uint8_t next = 0;              // the index of the chunk shape to try first
  };

  bool has_known_shape(std::string_view json);
  result<void> look_closely(std::string_view json);
  void clear();
  bool read_chunk(simdjson::dom::object chunk);
  void raise_usage();  // adds the token counts of this chunk to the stream's counts
  bool read_choices(simdjson::dom::element list);
  bool read_choice(simdjson::dom::object choice);
  bool read_said(simdjson::dom::element value, choice_facts& choice);
  bool read_delta(simdjson::dom::element value, choice_facts& choice);
  void read_delta_member(std::string_view key, simdjson::dom::element value, choice_facts& choice);
  void read_content(simdjson::dom::element value);
  void read_content_part(simdjson::dom::object part);
  void read_content_entry(simdjson::dom::element entry);
  void lose_part(simdjson::dom::object part);
  bool read_message(simdjson::dom::element value, choice_facts& choice);
  void read_thinking(simdjson::dom::object part);
  void read_tool_calls(simdjson::dom::element value, choice_facts& choice);
  bool is_full();  // true if the event already has the maximum number of deltas
  void see_text(std::string_view text, delta_kind kind, std::int64_t part = 0);
  void see_reasoning(std::string_view text);
  std::string_view reasoning_text(simdjson::dom::element value);
  void read_details(simdjson::dom::element details, std::string_view reasoning, std::size_t first_delta,
                    const choice_facts& choice);
  void see_detail(simdjson::dom::object detail);
  void see_carried(delta_kind kind, std::string piece);
  void see_extra_content(simdjson::dom::element extra);
  void see_function(const tool_call_facts& call, std::int64_t part);
  void see_audio(simdjson::dom::element value);
  void see_images(simdjson::dom::element value);
  void see_annotations(simdjson::dom::element value);
  void see_logprobs(simdjson::dom::element value, const choice_facts& choice, std::size_t first_delta);
  void see_image(simdjson::dom::object part);
  void lose(std::string_view name);

  chunk_pattern pattern_;
  bool is_repetition_ = false;
  bool is_parsed_ = false;
  // True if the content of this chunk depends on other chunks of the stream, or if this chunk affects how later chunks
  // are read.
  bool depends_on_others_ = false;
  bool has_token_ = false;
  bool is_overfull_ = false;
  bool has_strange_calls_ = false;  // true if `tool_calls` is neither empty nor a list
  bool has_plain_thoughts_ = false;  // true if the answer contains reasoning outside `reasoning_details`
  bool has_delta_ = false;  // true if any delta so far had content
  reported_times times_;  // the times that the provider reported with the usage
  chunk_facts facts_;
  token_usage usage_;  // the largest token counts that were reported so far
  std::list<std::string> texts_;  // the decoded texts, and the JSON of values that are not strings
  event_parser parser_;
  inline static const edge_halves no_halves_{};
  const chunk_form* form_;
  known_shapes shapes_;
  json_use use_;
  bool takes_images_;
  lost_parts lost_;
};

}  // namespace photofinish::proxy

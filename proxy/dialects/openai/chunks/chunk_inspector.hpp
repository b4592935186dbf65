// Looks at the JSON of one stream event: what it is, and what an edit may be needed for. [pure]
// The JSON is validated in full. Most chunks repeat the one before but for their text: those are not parsed again
// (chunk_pattern.hpp). The text itself is what goes on.
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
  // `lent`: see event_parser. If the JSON does not pass to the client, parts that other APIs do not have are lost
  // parts, and no tokens. `takes_images`: the client's API has a place for them. `shapes`: the shapes of the target's
  // chunks, which outlive this; null: none are kept.
  explicit chunk_inspector(tolerant_parser* lent = nullptr, const chunk_form& form = chat_form,
                           json_use use = json_use::passes, bool takes_images = true, chunk_shapes* shapes = nullptr)
      : pattern_(form), parser_(lent), form_(&form), shapes_{shapes}, use_(use), takes_images_(takes_images) {}

  // 64 bytes behind the text must be readable. A failure is bad_stream: the text is no valid JSON object, or
  // `choices` is not what every client takes it for.
  result<void> inspect(std::string_view json);

  // Of the last text that was inspected with success. Its strings live as long as that text, and until the parser is
  // used again.
  const chunk_facts& facts() const { return facts_; }
  // They are those of the text before, but for the text in them.
  bool is_repetition() const { return is_repetition_; }
  // The halves in their texts. A chunk that was not parsed has none, because it has no escapes by number.
  const edge_halves& halves() const { return is_parsed_ ? parser_.halves() : no_halves_; }

  // Ask it after the end: see lost_parts.
  std::optional<failure> failure_if_all_is_lost() const { return lost_.failure_if_alone(); }

 private:
  struct known_shapes {
    chunk_shapes* of_target = nullptr;  // null: none are kept
    std::uint8_t next = 0;              // the shape to try first
  };

  bool has_known_shape(std::string_view json);
  result<void> look_closely(std::string_view json);
  void clear();
  bool read_chunk(simdjson::dom::object chunk);
  void raise_usage();  // by what this chunk reports
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
  bool is_full();  // it says as much as one may
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
  bool depends_on_others_ = false;  // what this chunk says depends on the stream's other chunks, or they depend on it
  bool has_token_ = false;
  bool is_overfull_ = false;
  bool has_strange_calls_ = false;  // `tool_calls` that is neither a list nor nothing
  bool has_plain_thoughts_ = false;  // its reasoning comes outside of reasoning_details
  bool has_delta_ = false;  // a choice has said something in its own place
  reported_times times_;  // those that stand beside the usage
  chunk_facts facts_;
  token_usage usage_;  // the largest counts so far
  std::list<std::string> texts_;  // that the facts refer to, where the JSON has another type than a text
  event_parser parser_;
  inline static const edge_halves no_halves_{};
  const chunk_form* form_;
  known_shapes shapes_;
  json_use use_;
  bool takes_images_;
  lost_parts lost_;
};

}  // namespace photofinish::proxy

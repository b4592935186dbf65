// Converts a complete response to the events of an equivalent stream. [pure] Streaming clients assemble an answer from
// the events of its items, and ignore the response in the last event.
#pragma once

#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

enum class given_events : std::uint8_t {
  all,
  last,  // only the last event, for clients that did not request a stream
  end,   // only the last event, which ends the answer even if the response is incomplete
};

class whole_response {
 public:
  // `body` must be a valid response on a single line. If all events are written, items without an id get a new id that
  // contains `answer_id`.
  whole_response(std::string body, std::string_view answer_id, given_events given);
  whole_response(const whole_response&) = delete;  // copying is forbidden, because some members are views of the body
  whole_response& operator=(const whole_response&) = delete;

  // True if the response contains too many items, parts and annotations for one event (see most_said).
  bool is_overfull() const;

  // Returns the JSON of the next event. The caller repeats the call until is_over() is true. The JSON is valid until
  // the next call. The buffer has 64 readable bytes after the JSON.
  std::string_view next_event();
  bool is_over() const { return step_ == step::over; }

  std::size_t held_bytes() const { return body_.size() + text_.size(); }

 private:
  enum class step : std::uint8_t {
    created,
    in_progress,
    item,  // the step that begins the next item
    call_delta,
    call_done,
    part,  // the step that begins the next part of the item
    part_delta,
    annotation,
    part_text_done,
    part_done,
    item_done,
    last,
    over,
  };

  // Each function writes the event of the current step into text_ and selects the next step. A function returns false
  // if its step has no event.
  bool write_next();
  bool write_opening(std::string_view type, step next);
  bool begin_next_item();
  bool write_call_delta();
  bool write_call_done();
  bool begin_next_part();
  bool write_part_delta();
  bool write_annotation();
  bool write_part_text_done();
  bool write_part_done();
  bool write_item_done();
  bool write_last();

  void add_missing_ids(std::string_view answer_id);
  void count_things(std::string_view output);
  void begin(std::string_view type);
  void begin_for_item(std::string_view type);  // begins an event; the caller appends the JSON of the item
  void begin_in_item(std::string_view type);
  void begin_in_part(std::string_view type);
  void begin_list(std::string_view key);
  void append_begun_item();
  void end_of_text(std::string_view events);
  bool is_cut_call() const;

  std::string body_;
  std::string text_;  // the current event's JSON
  std::string_view last_type_;
  step step_ = step::created;
  std::size_t things_ = 0;      // the number of all items, parts and annotations in the response
  std::size_t items_left_ = 0;  // the number of items after the current item
  std::int64_t number_ = 0;     // the sequence number of the next event
  std::optional<json_walk> items_;
  std::string_view item_text_;
  std::optional<member_index> item_;
  std::string_view item_type_;  // the current item's type as JSON
  std::string item_id_;         // the current item's id as JSON
  std::int64_t item_place_ = -1;
  bool is_summary_ = false;  // true for the parts of a summary, false for the parts of the content
  std::optional<json_walk> parts_;
  std::string_view part_;
  std::int64_t part_place_ = -1;
  std::optional<json_walk> annotations_;
  std::int64_t annotation_place_ = -1;
};

}  // namespace photofinish::proxy

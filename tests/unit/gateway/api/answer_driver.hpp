// Passes hand-written events to an answer_writer, and reads the writer's output as a client does.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "proxy/dialects/sse_parser.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::testing {

using nlohmann::json;
using proxy::delta;
using proxy::delta_kind;

inline delta said(std::string_view text) { return {.text = text}; }
inline delta thought(std::string_view text) { return {.kind = delta_kind::reasoning, .text = text}; }
inline delta called(std::int64_t part, std::string_view name, std::string_view id) {
  return {.kind = delta_kind::call, .part = part, .text = name, .id = id};
}
inline delta arguments(std::int64_t part, std::string_view text) {
  return {.kind = delta_kind::call_arguments, .part = part, .text = text};
}
inline delta finished(proxy::finish_reason reason = proxy::finish_reason::stop) {
  return {.kind = delta_kind::finish, .reason = reason};
}

// One named event as a client reads it.
struct read_event {
  std::string type;
  json data;
};

inline std::vector<read_event> read_named_events(std::string bytes) {
  bytes.reserve(bytes.size() + 64);
  std::vector<read_event> events;
  proxy::sse_parser parser(1u << 24);
  parser.feed(bytes);
  while (const auto event = parser.next()) events.push_back({std::string(event->type), json::parse(event->data)});
  return events;
}

class answer_driver {
 public:
  explicit answer_driver(answer_writer& writer) : writer_(writer) {}

  // Sends one event that contains all of these deltas.
  answer_driver& say(std::initializer_list<delta> deltas, const proxy::token_usage* usage = nullptr) {
    return add({.deltas = {deltas.begin(), deltas.size()}, .usage = usage});
  }
  // Sends each delta as a separate event.
  answer_driver& say_each(std::initializer_list<delta> deltas) {
    for (const delta& each : deltas) say({each});
    return *this;
  }
  answer_driver& add(proxy::stream_event event) {
    event.read_at = now_ += std::chrono::seconds(1);
    out_.begin_batch();
    is_good_ = is_good_ && writer_.add(event, out_).has_value();
    return take();
  }
  answer_driver& end() {
    out_.begin_batch();
    is_good_ = is_good_ && writer_.make_ready().has_value();
    writer_.end(out_);
    return take();
  }
  answer_driver& fail(const api_error& error) {
    out_.begin_batch();
    writer_.fail(error, out_);
    return take();
  }

  bool is_good() const { return is_good_; }
  const std::string& bytes() const { return bytes_; }
  json whole() const { return json::parse(bytes_); }

  std::vector<read_event> events() const { return read_named_events(bytes_); }
  // Returns the names of the events in order, such as "response.created response.in_progress …". If consecutive events have the same name,
  // the name appears only once.
  std::string order() const {
    std::string order, last;
    for (const read_event& each : events()) {
      if (each.type != last) order += (order.empty() ? "" : " ") + each.type;
      last = each.type;
    }
    return order;
  }
  json last_of(const std::string& type) const {
    json found;
    for (const read_event& each : events())
      if (each.type == type) found = each.data;
    return found;
  }

 private:
  answer_driver& take() {
    bytes_ += out_.take().text();
    return *this;
  }

  answer_writer& writer_;
  std::string batch_;
  outgoing out_{batch_};
  std::string bytes_;
  bool is_good_ = true;
  proxy::instant now_{};
};

}  // namespace photofinish::gateway::testing

#include "proxy/dialects/responses/response_stream.hpp"

#include "proxy/dialects/repairs/unique_calls.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view first_event = R"({"type":"response.created","sequence_number":0,"response":)";

// What is worked on in the background has no end yet, and no client is to take it for one.
std::string_view name_of_end(std::string_view response) {
  const auto status = json_find(response, "status");
  if (status == R"("queued")") return "response.queued";
  if (status == R"("in_progress")") return "response.in_progress";
  return status == R"("incomplete")" ? "response.incomplete" : "response.completed";
}

// What a client of a stream expects at first: the response without what it came to.
std::string opening_of(std::string_view response) {
  json_edits edits(response);
  const auto replace = [&](std::string_view key, std::string_view value) {
    if (const auto found = json_find(response, key)) edits.replace(*found, value);
  };
  if (name_of_end(response) != "response.queued") replace("status", R"("in_progress")");
  replace("output", "[]");
  replace("usage", "null");
  std::string event(first_event);
  event.reserve(event.size() + response.size() + 2);
  for (const std::string_view piece : edits.pieces()) event += piece;
  return event += "}";
}

}  // namespace

result<response_stream::relayed> response_stream::on_event(const sse_event& event, instant read_at) {
  if (is_over_) return relayed{};
  if (event.type == "error") return fail(error_from_event(without_space(event.data)));
  const std::string_view json = json_of(event);
  if (json.empty()) return relayed{};
  const std::string_view line = in_one_line(json, one_line_);
  const bool may_have_calls = !event.type.ends_with(".delta");
  const std::string_view data = may_have_calls ? with_unique_calls(line, answer_id_, with_ids_) : line;
  if (auto read = inspector_.inspect(data, event.type); !read) return fail(std::move(read).error());
  if (inspector_.facts().step == response_step::nothing) return relayed{};
  is_over_ = inspector_.facts().step == response_step::complete;
  pieces_[0] = data;
  return relay(std::span(pieces_).first(1), inspector_.facts().name, read_at);
}

// What the inspector has found, with that JSON; and the end, where it is over.
response_stream::relayed response_stream::relay(std::span<const std::string_view> json, std::string_view name,
                                                instant read_at) {
  events_[0] = inspector_.facts().event(wire_format::openai_responses, json, read_at);
  events_[0].name = name;
  pairs_.join(events_[0], inspector_.halves(), is_over_);
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return std::span(events_).first(is_over_ ? 2 : 1);
}

result<response_stream::relayed> response_stream::on_body_end(std::string_view, instant) {
  if (is_over_) return relayed{};
  return fail(bad_stream("the stream ended early"));
}

result<void> response_stream::on_whole(std::string body) {
  std::string with_ids;
  with_unique_calls(body, answer_id_, with_ids);
  if (!with_ids.empty()) body = std::move(with_ids);
  body.reserve(body.size() + readable_behind);
  if (auto read = inspector_.inspect_whole(body); !read) {
    is_over_ = true;
    return std::move(read).error();
  }
  std::replace(body.begin(), body.end(), '\n', ' ');
  std::replace(body.begin(), body.end(), '\r', ' ');
  opening_ = opening_of(body);
  whole_ = std::move(body);
  return {};
}

result<response_stream::relayed> response_stream::next_of_whole(instant read_at) {
  if (is_over_) return relayed{};
  const std::string_view name = name_of_end(whole_);
  // Its strings are of the body that was inspected, which has moved since.
  if (auto read = inspector_.inspect_whole(whole_); !read) return fail(std::move(read).error());
  is_over_ = true;
  ending_ = R"({"type":")" + std::string(name) + R"(","sequence_number":1,"response":)";
  pieces_ = {ending_, whole_, "}"};
  const relayed ending = relay(pieces_, name, read_at);
  events_[2] = ending[1];
  events_[1] = ending[0];
  opening_view_ = opening_;
  events_[0] = {.spoken = wire_format::openai_responses, .json = {&opening_view_, 1}, .read_at = read_at};
  events_[0].name = "response.created";
  return relayed(events_);
}

}  // namespace photofinish::proxy

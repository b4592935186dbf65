#include "gateway/api/responses/response_writers.hpp"

#include "gateway/api/answer_limit.hpp"
#include "gateway/api/conversation/event_text.hpp"
#include "gateway/api/responses/passed_responses.hpp"
#include "proxy/memory/long_text.hpp"

#include <chrono>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the reason why an answer is incomplete, or an empty text if it is complete.
std::string_view cut_by(proxy::finish_reason reason) {
  if (reason == proxy::finish_reason::length) return "max_output_tokens";
  return reason == proxy::finish_reason::content_filter ? "content_filter" : std::string_view{};
}

}  // namespace

response_writer::response_writer(item_events form, const answer_identity& identity, const proxy::client_body* asked,
                                 proxy::restored_calls tools)
    : form_(form),
      keep_items_(identity.keep_items),
      created_(identity.created),
      response_(identity, asked),
      items_(form, identity.id, std::move(tools)),
      blocks_(block_texts::kept, identity.id) {}

proxy::result<void> response_writer::add(const proxy::stream_event& event, outgoing& to) {
  items_.events().clear();
  note(event);
  begin();
  for (const proxy::delta& each : event.deltas) {
    lost_.note(each);
    blocks_.add(each, items_);
  }
  if (!items_.events().empty()) to.put(items_.events());
  return check_kept(held_bytes());
}

void response_writer::note(const proxy::stream_event& event) {
  if (event.usage != nullptr) usage_ = *event.usage;
  for (const proxy::delta& each : event.deltas)
    if (each.kind == proxy::delta_kind::finish && each.choice == 0) reason_ = each.reason;
  if (!first_read_at_) first_read_at_ = event.read_at;
  seconds_ = std::chrono::duration_cast<std::chrono::seconds>(event.read_at - *first_read_at_).count();
}

void response_writer::begin() {
  if (std::exchange(has_begun_, true) || form_ == item_events::none) return;
  say_response("response.created", {});
  say_response("response.in_progress", {});
}

void response_writer::say_response(std::string_view type, const response_state& state) {
  items_.begin(type);
  items_.events() += R"(,"response":)";
  response_.append(items_.events(), state);
  end_event(items_.events());
}

response_state response_writer::last_state() {
  response_state state{.status = "completed", .output = items_.output()};
  state.incomplete_reason = cut_by(reason_);
  if (!state.incomplete_reason.empty()) state.status = "incomplete";
  else state.completed_at = created_ + seconds_;
  if (usage_) state.usage = &*usage_;
  if (blocks_.has_lost_citations()) lost_.note("citations");
  more_ = lost_.member();
  state.more = more_;
  return state;
}

void response_writer::end(outgoing& to) {
  std::string& text = items_.events();
  text.clear();
  begin();
  blocks_.finish(!cut_by(reason_).empty(), items_);
  if (keep_items_) keep_items_("[" + items_.output() + "]");
  const response_state state = last_state();
  if (form_ == item_events::none) {
    response_.append(text, state);
    to.put(proxy::long_text(std::move(text)));
    return;
  }
  say_response(state.status == "completed" ? "response.completed" : "response.incomplete", state);
  to.put(text);
}

// Sends the first event of a response before the error, because clients require this event.
void response_writer::fail(const api_error& error, outgoing& to) {
  std::string& text = items_.events();
  text.clear();
  if (form_ == item_events::none) {
    to.put(proxy::long_text(to_json(error)));
    return;
  }
  begin();
  const std::string why = response_error(error);
  response_state state{.status = "failed", .output = items_.output(), .error = why};
  if (usage_) state.usage = &*usage_;
  say_response("response.failed", state);
  to.put(text);
}

std::size_t response_writer::held_bytes() const {
  return response_.held_bytes() + blocks_.held_bytes() + items_.output().size() + lost_.held_bytes();
}

}  // namespace photofinish::gateway

#include "gateway/api/responses/passed_responses.hpp"

#include "gateway/api/conversation/event_text.hpp"
#include "gateway/api/responses/response_object.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/memory/long_text.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <array>

namespace photofinish::gateway {
namespace {

// The maximum length of a response's id in bytes. Real ids have about sixty bytes.
constexpr std::size_t longest_id = 256;

// The maximum size of a buffer that stays allocated while the answer streams. A response repeats the request's
// instructions and tools, so its text may be long.
constexpr std::size_t longest_kept = 16u << 10;

// The largest integer that all JSON readers represent exactly.
constexpr std::int64_t largest_number = std::int64_t{1} << 53;

std::string_view response_in(std::string_view event) {
  const auto found = proxy::json_find(event, "response");
  return found && proxy::json_is_object(*found) ? *found : std::string_view{};
}

std::int64_t number_in(std::string_view event) {
  const std::string_view text = proxy::json_find(event, "sequence_number").value_or("");
  const std::int64_t number = proxy::parse_leading_number<std::int64_t>(text).value_or(0);
  return number >= 0 && number <= largest_number ? number : 0;
}

bool is_last(const proxy::stream_event& event) {
  return event.name == "response.completed" || event.name == "response.incomplete";
}

bool has_response(const proxy::stream_event& event) {
  constexpr std::array<std::string_view, 6> shows{"response.created",   "response.queued",     "response.in_progress",
                                                  "response.completed", "response.incomplete", "response.failed"};
  return proxy::contains(shows, event.name);
}

// Returns the client's id in place of an id that only the provider can use. Both ids are JSON texts.
std::string shown_text(std::string_view id, const answer_identity& shown) {
  return proxy::json_quote(shown.shown_id(proxy::json_unescape(proxy::json_raw_string(id))));
}

void keep_items_of(std::string_view event, const answer_identity& answer) {
  const auto output = proxy::json_find(response_in(event), "output");
  if (answer.keep_items && output && proxy::json_is_array(*output)) answer.keep_items(*output);
}

std::string with_id(std::string response, std::string_view id) {
  proxy::json_edits edits(response);
  if (const auto own = proxy::json_find(response, "id"); own && !id.empty()) edits.replace(*own, id);
  return edits.text();
}

}  // namespace

// Returns the error code for the client. A provider's own code is kept, because clients react to it, as Codex does to
// context_length_exceeded. Codes of this gateway are replaced, because they are not in the API's list. Codex repeats a
// request after server_error, so this code is not used if the request is at fault.
std::string response_error(const api_error& error) {
  const bool is_kept = error.is_providers_code || error.code == "insufficient_quota";
  const bool is_clients_fault = error.status >= 400 && error.status < 500;
  const std::string_view ours = error.status == 429 ? "rate_limit_exceeded"
                                : is_clients_fault  ? "invalid_prompt"
                                                    : "server_error";
  return R"({"code":)" + proxy::json_quote(proxy::valid_utf8(is_kept ? error.code : ours)) + R"(,"message":)" +
         proxy::json_quote(proxy::valid_utf8(error.message)) + "}";
}

std::string with_shown_ids(std::string_view response, const answer_identity& shown) {
  proxy::json_edits edits(response);
  const auto id = proxy::json_find(response, "id");
  if (shown.shown_id && id && proxy::json_is_string(*id)) edits.replace(*id, shown_text(*id, shown));
  const auto previous = proxy::json_find(response, "previous_response_id");
  if (previous && proxy::json_is_string(*previous)) {
    if (!shown.previous_id.empty()) edits.replace(*previous, proxy::json_quote(shown.previous_id));
    else if (shown.shown_id) edits.replace(*previous, shown_text(*previous, shown));
  }
  return edits.text();
}

proxy::result<void> passed_response_stream::add(const proxy::stream_event& event, outgoing& to) {
  if (event.json.empty()) return {};
  note(event);
  const bool is_renamed = has_response(event) && (identity_.shown_id || !identity_.previous_id.empty());
  if (is_renamed) put_renamed(event, to);
  else put_passed(event, to, beginning_.of(event.name));
  return {};
}

// Writes an event that contains the response, with the client's ids in place of the provider's ids. A stream has only a
// few such events.
void passed_response_stream::put_renamed(const proxy::stream_event& event, outgoing& to) {
  const std::string json = joined(event.json);
  const std::string_view response = response_in(json);
  text_.clear();
  if (!response.empty()) {
    const auto begin = static_cast<std::size_t>(response.data() - json.data());
    text_.append(json, 0, begin).append(with_shown_ids(response, identity_));
    text_.append(json, begin + response.size());
  } else {
    text_ = json;
  }
  to.put(beginning_.of(event.name));
  if (text_.size() <= longest_kept) to.put(std::string_view(text_));
  else to.put(proxy::long_text(std::exchange(text_, {})));
  to.put(event_end);
}

// Stores the number of the next event and the response's id, because an error event would need both.
void passed_response_stream::note(const proxy::stream_event& event) {
  ++next_number_;
  if (is_last(event)) keep_items_of(joined(event.json), identity_);
  if (std::exchange(has_begun_, true)) return;
  const std::string first = joined(event.json);
  next_number_ = number_in(first) + 1;
  const auto id = proxy::json_find(response_in(first), "id");
  if (!id || !proxy::json_is_string(*id) || id->size() > longest_id) return;
  id_ = *id;
  if (identity_.shown_id) id_ = shown_text(*id, identity_);
}

void passed_response_stream::fail(const api_error& error, outgoing& to) {
  const std::string why = response_error(error);
  std::string text;
  begin_event(text, "response.failed");
  text.append(R"(,"sequence_number":)").append(std::to_string(next_number_)).append(R"(,"response":)");
  std::string response;
  response_object(identity_, nullptr).append(response, {.status = "failed", .error = why});
  text += with_id(std::move(response), id_);
  end_event(text);
  to.put(proxy::long_text(std::move(text)));
}

proxy::result<void> passed_whole_response::add(const proxy::stream_event& event, outgoing&) {
  // Keeps the last response that the stream contains. This response may be unfinished: a background response has the
  // status `queued`.
  if (event.json.empty() || !has_response(event)) return {};
  const std::string all = joined(event.json);
  if (is_last(event)) keep_items_of(all, identity_);
  response_ = with_shown_ids(response_in(all), identity_);
  return {};
}

void passed_whole_response::end(outgoing& to) { to.put(proxy::long_text(std::move(response_))); }

void passed_whole_response::fail(const api_error& error, outgoing& to) { to.put(proxy::long_text(to_json(error))); }

}  // namespace photofinish::gateway

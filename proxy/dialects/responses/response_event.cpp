#include "proxy/dialects/responses/response_event.hpp"

#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/failures/error_shapes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;

// The maximum number of items, and of calls, that are tracked separately in one answer. All items above this limit
// share one entry. All calls above this limit are treated as the last call.
constexpr std::size_t most_items = 1024;

constexpr std::string_view own_signatures = "openai_responses";
// The maximum length of an item's id, in bytes. The id is stored and sent back in a later request. OpenAI's ids have at
// most 64 bytes. Longer ids of other servers are ignored.
constexpr std::size_t longest_item_id = 512;
constexpr std::string_view between_parts = "\n\n";  // the separator between the parts of a reasoning summary

// True if OpenAI's JavaScript and Python clients would report an error. These clients ignore an `error` that is null,
// false, 0 or "", and some events without an error contain such a member.
bool reports_error(dom::object event) {
  dom::element error;
  if (event.at_key("error").get(error) != simdjson::SUCCESS || error.is_null()) return false;
  std::string_view text;
  if (error.get(text) == simdjson::SUCCESS) return !text.empty();
  bool flag = false;
  if (error.get(flag) == simdjson::SUCCESS) return flag;
  std::int64_t number = 0;
  return error.get(number) != simdjson::SUCCESS || number != 0;
}

struct said_by {
  std::string_view type;
  delta_kind kind;
};

constexpr std::array<said_by, 8> texts{{{"response.output_text.delta", delta_kind::text},
                                        {"response.refusal.delta", delta_kind::refusal},
                                        {"response.reasoning_summary_text.delta", delta_kind::reasoning},
                                        {"response.reasoning_text.delta", delta_kind::reasoning},
                                        {"response.reasoning.delta", delta_kind::reasoning},
                                        {"response.audio.transcript.delta", delta_kind::transcript},
                                        {"response.function_call_arguments.delta", delta_kind::call_arguments},
                                        {"response.custom_tool_call_input.delta", delta_kind::call_arguments}}};

// Returns the kind of text in a delta event. Returns nullopt for bytes, for the input of a tool that the provider runs,
// and for unknown events. These events count as tokens, but contain no text for the client.
std::optional<delta_kind> kind_of(std::string_view type) {
  for (const said_by& each : texts)
    if (each.type == type) return each.kind;
  return std::nullopt;
}

// True if the first event of an item of this type does not count as content. The item's text follows in later events,
// or the server, not the model, has written the item.
bool is_silent(std::string_view item) {
  return item.empty() || item == "message" || item == "reasoning" || item == "mcp_list_tools";
}

// True for calls that the client has to execute. Providers themselves execute all other calls.
bool is_call(std::string_view item) { return item == "function_call" || item == "custom_tool_call"; }

finish_reason cut_by(std::string_view reason) {
  return reason == "content_filter" ? finish_reason::content_filter : finish_reason::length;
}

constexpr std::string_view image_item = "image_generation_call";

}  // namespace

failure says_too_much() { return bad_stream("an event contains more than " + std::to_string(most_said) + " parts"); }

result<response_inspector::object> response_inspector::parse(std::string_view json) {
  facts_.clear();
  facts_.step = response_step::nothing;
  is_overfull_ = false;
  if (!texts_.empty()) texts_.clear();
  return parser_.parse(json);
}

result<void> response_inspector::inspect(std::string_view json, std::string_view name) {
  auto read = look_at(json, name);
  return read && is_overfull_ ? says_too_much() : std::move(read);
}

result<void> response_inspector::look_at(std::string_view json, std::string_view name) {
  auto parsed = parse(json);
  if (!parsed) return std::move(parsed).error();
  const object event = *parsed;
  const std::string_view own = text_at(event, "type");
  // an event name of several words is ignored, because it cannot be sent to the client
  const std::string_view type = own.empty() ? as_event_name(name) : own;
  if (type == "error" || reports_error(event)) return error_from_event(json);
  if (type.empty()) return {};
  facts_.step = response_step::going_on;
  facts_.name = as_event_name(type);
  element value;
  if (event.at_key("response").get(value) == simdjson::SUCCESS) {
    if (type == "response.failed") return read_response(value, response_step::failed);
    const bool is_last = type == "response.completed" || type == "response.incomplete";
    return read_response(value, is_last ? response_step::complete : response_step::going_on);
  }
  if (type == "response.failed" || type == "response.completed" || type == "response.incomplete")
    return bad_stream("the last event has no member `response`");
  if (type.ends_with(".delta")) read_delta(event);
  else if (type == "response.image_generation_call.partial_image") note_other_token();
  else if (type == "response.reasoning_summary_part.added") begin_part(event);
  else if (type == "response.content_part.added") begin_content(event);
  else if (type == "response.output_text.annotation.added") read_annotation(event);
  else if (type == "response.output_item.added" && event.at_key("item").get(value) == simdjson::SUCCESS)
    read_item(value, place_at(event, "output_index"));
  else if (type == "response.output_item.done" && event.at_key("item").get(value) == simdjson::SUCCESS)
    read_whole_item(value, place_at(event, "output_index"));
  return {};
}

result<void> response_inspector::inspect_whole(std::string_view json) {
  auto parsed = parse(json);
  if (!parsed) return std::move(parsed).error();
  element output;
  const bool is_response = parsed->at_key("output").get(output) == simdjson::SUCCESS && output.is_array();
  if (reports_error(*parsed) || !is_response)
    return error_in_answer(json);
  const std::string_view status = text_at(*parsed, "status");
  if (status == "failed" || is_failed_finish(status)) return failed_finish(status);
  forget();
  read_usage(*parsed);
  if (auto read = read_end(*parsed); !read) return read;
  if (is_overfull_) return says_too_much();
  facts_.step = response_step::complete;
  facts_.kind = event_kind::token;  // the arrival of a complete response counts as its first token
  return {};
}

void response_inspector::forget() {
  items_.clear();
  spare_ = {};
  calls_.clear();
  lost_.clear();
  characters_ = 0;
}

void response_inspector::read_delta(object event) {
  const std::optional<delta_kind> kind = kind_of(facts_.name);
  const bool is_of_call = kind == delta_kind::call_arguments;
  const std::string_view text = is_of_call ? fragment_at(event, "delta", texts_) : text_at(event, "delta");
  const std::int64_t at = place_at(event, "output_index");
  if (kind == delta_kind::text) say_logprobs(event);
  // Non-text deltas also count as content, for example audio, or a patch that is an object.
  if (text.empty() || !kind) {
    element value;
    const bool is_there = event.at_key("delta").get(value) == simdjson::SUCCESS;
    const bool says_nothing = !is_there || value.is_null() || (value.is_string() && text.empty());
    if (says_nothing) return;
    (void)item_at(at);
    if (facts_.name.starts_with("response.audio")) lose("audio");
    return note_other_token();
  }
  item_said& item = item_at(at);
  if (*kind == delta_kind::reasoning) item.has_reasoning = true;
  else if (*kind == delta_kind::call_arguments) item.has_arguments = true;
  else if (!std::exchange(item.has_text, true)) item.text_begin = item.part_begin = characters_;
  say(*kind, text, *kind == delta_kind::call_arguments ? part_of(at) : 0);
}

// Begins a part of the reasoning. A separator is written between two parts. The separator does not count as a token.
void response_inspector::begin_part(object event) {
  if (item_at(place_at(event, "output_index")).has_reasoning && !is_full())
    facts_.deltas.push_back({.kind = delta_kind::reasoning, .text = between_parts});
}

bool response_inspector::is_full() {
  is_overfull_ |= facts_.deltas.size() >= most_said;
  return is_overfull_;
}

void response_inspector::say(delta_kind kind, std::string_view text, std::int64_t part) {
  if (text.empty() || is_full()) return;
  facts_.say(kind, text, part);
  if (kind != delta_kind::reasoning) lost_.note_visible();
  if (kind == delta_kind::text && use_ == json_use::translated) characters_ += characters_in(text);
}

// Handles an unknown event, or the input of a tool that the provider runs. The event counts as a token if the client
// gets it unchanged.
void response_inspector::note_other_token() {
  if (use_ == json_use::passes) facts_.kind = event_kind::token;
}

// Finds an item, or adds it. The search begins at the last item, because most events belong to that item.
response_inspector::item_said& response_inspector::item_at(std::int64_t output_index) {
  const auto found = std::find_if(items_.rbegin(), items_.rend(),
                                  [output_index](const item_said& each) { return each.at == output_index; });
  if (found != items_.rend()) return *found;
  if (items_.size() < most_items) return items_.emplace_back(item_said{.at = output_index});
  if (spare_.at != output_index) spare_ = {.at = output_index};
  return spare_;
}

// Reads the beginning of an item. The beginning of a call contains its name.
void response_inspector::read_item(element value, std::int64_t output_index) {
  object item;
  if (value.get(item) != simdjson::SUCCESS) return;
  item_said& said = item_at(output_index);
  const std::string_view type = text_at(item, "type");
  if (is_silent(type)) return;
  if (!is_call(type)) return note_other_token();
  facts_.kind = event_kind::token;
  lost_.note_visible();
  if (said.has_call || is_full()) return;
  said.has_call = true;
  facts_.deltas.push_back({.kind = delta_kind::call,
                           .part = part_of(output_index),
                           .text = any_text_at(item, "name", texts_),
                           .id = any_text_at(item, "call_id", texts_)});
}

// Reads the content of a complete item, except content that came earlier in deltas. Some servers send only complete
// items and no deltas.
void response_inspector::read_whole_item(element value, std::int64_t output_index) {
  object item;
  if (value.get(item) != simdjson::SUCCESS) return;
  const std::string_view type = text_at(item, "type");
  item_said& said = item_at(output_index);
  if (type == "reasoning") return read_whole_reasoning(item, said);
  if (type == "message") {
    if (std::exchange(said.has_text, true)) read_missing_annotations(item, said);
    else read_parts(item, "content", delta_kind::text);
    return;
  }
  if (is_call(type)) {
    read_item(value, output_index);
    const std::string_view text = any_text_at(item, type == "function_call" ? "arguments" : "input", texts_);
    if (!std::exchange(said.has_arguments, true)) say(delta_kind::call_arguments, text, part_of(output_index));
    return;
  }
  if (!is_silent(type) && !std::exchange(said.has_call, true)) read_other(item, type, said);
}

// Reads reasoning. Encrypted reasoning does not count as a token, because no client can read it.
void response_inspector::read_whole_reasoning(object item, item_said& said) {
  if (!said.has_reasoning) {
    said.has_reasoning = read_parts(item, "content", delta_kind::reasoning) ||
                         read_parts(item, "summary", delta_kind::reasoning);
  }
  const std::string_view blob = text_at(item, "encrypted_content");
  if (blob.empty() || std::exchange(said.has_signature, true) || is_full()) return;
  const std::string_view id = text_at(item, "id");
  facts_.deltas.push_back({.kind = said.has_reasoning ? delta_kind::signature : delta_kind::opaque,
                           .text = blob,
                           .id = own_signatures,
                           .item = id.size() <= longest_item_id ? id : std::string_view()});
}

bool response_inspector::read_parts(object item, std::string_view key, delta_kind kind) {
  dom::array parts;
  bool has_said = false;
  if (item.at_key(key).get(parts) != simdjson::SUCCESS) return false;
  for (const element each : parts) {
    object part;
    if (each.get(part) != simdjson::SUCCESS) continue;
    const std::string_view text = text_at(part, "text"), refusal = text_at(part, "refusal");
    if (has_said && kind == delta_kind::reasoning) say(kind, between_parts);
    const std::uint64_t begin = characters_;
    if (kind == delta_kind::text) say_logprobs(part);
    say(kind, text);
    say(delta_kind::refusal, refusal);
    if (kind == delta_kind::text) read_annotations(part, begin);
    has_said |= !text.empty() || !refusal.empty();
    if (kind == delta_kind::text && part.at_key("text").error() && part.at_key("refusal").error())
      lose(text_at(part, "type"));
  }
  return has_said;
}

// Returns the index of a call among all calls, in the order in which the calls began. Fragments of
// several calls may alternate.
std::int64_t response_inspector::part_of(std::int64_t output_index) {
  const auto found = std::find(calls_.begin(), calls_.end(), output_index);
  if (found != calls_.end()) return found - calls_.begin();
  if (calls_.size() < most_items) calls_.push_back(output_index);
  return static_cast<std::int64_t>(calls_.size()) - 1;
}

result<void> response_inspector::read_response(element value, response_step step) {
  object response;
  if (value.get(response) != simdjson::SUCCESS) return bad_stream("an event's `response` is not an object");
  facts_.step = step;
  element error;
  if (step == response_step::failed) {
    const bool has_reason = response.at_key("error").get(error) == simdjson::SUCCESS && !error.is_null();
    return error_from_event(has_reason ? simdjson::minify(error) : std::string("{}"));
  }
  read_usage(response);
  return step == response_step::complete ? read_end(response) : result<void>();
}

void response_inspector::read_usage(object response) {
  const auto usage = object_at(response, "usage");
  if (!usage) return;
  token_usage counts;
  count_at(*usage, "input_tokens", counts.input_tokens);
  count_at(*usage, "output_tokens", counts.output_tokens);
  if (counts.input_tokens == 0 && counts.output_tokens == 0) return;
  if (const auto details = object_at(*usage, "input_tokens_details")) {
    count_at(*details, "cached_tokens", counts.cached_input_tokens);
    count_at(*details, "cache_write_tokens", counts.written_input_tokens);
  }
  if (const auto details = object_at(*usage, "output_tokens_details"))
    count_at(*details, "reasoning_tokens", counts.reasoning_tokens);
  std::uint64_t total = 0;
  count_at(*usage, "total_tokens", total);
  add_uncounted_reasoning(counts, total);
  counts.tier = parse_price_tier(text_at(response, "service_tier"));
  raise_counts(usage_, counts);
  facts_.usage = usage_;
}

result<void> response_inspector::read_end(object response) {
  dom::array output;
  std::int64_t place = 0;
  // If items came in earlier events, the items in the last event are not read. The last event may contain fewer items,
  // or number them differently.
  const bool has_said = std::any_of(items_.begin(), items_.end(), [](const item_said& each) {
    return each.has_text || each.has_reasoning || each.has_call || each.has_arguments;
  });
  if (!has_said && response.at_key("output").get(output) == simdjson::SUCCESS)
    for (const element each : output) read_whole_item(each, place++);
  delta finish{.kind = delta_kind::finish};
  object why;
  // A response that is incomplete without a reason has reached its length limit.
  if (text_at(response, "status") == "incomplete") finish.reason = finish_reason::length;
  if (response.at_key("incomplete_details").get(why) == simdjson::SUCCESS) {
    finish.text = text_at(why, "reason");
    finish.reason = cut_by(finish.text);
  } else if (!calls_.empty() && finish.reason == finish_reason::stop) {
    finish.reason = finish_reason::tool_calls;
  }
  facts_.deltas.push_back(finish);
  if (finish.reason == finish_reason::content_filter) lost_.note_visible();
  if (auto lost = lost_.failure_if_alone()) return *std::move(lost);
  return {};
}

// The next functions read content that is neither text nor calls: citations, log probabilities, images, and items that
// other APIs do not have.

void response_inspector::lose(std::string_view name) {
  if (use_ == json_use::passes || !lost_.note(name) || is_full()) return;
  facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = name});
}

void response_inspector::begin_content(object event) {
  item_said& item = item_at(place_at(event, "output_index"));
  item.part_begin = characters_;
  if (!item.has_text) item.text_begin = characters_;
}

void response_inspector::read_annotation(object event) {
  element annotation;
  item_said& item = item_at(place_at(event, "output_index"));
  if (event.at_key("annotation").get(annotation) != simdjson::SUCCESS) return;
  item.has_citation = true;
  cite(annotation, item.part_begin);
}

void response_inspector::read_annotations(object part, std::uint64_t begin) {
  dom::array list;
  if (part.at_key("annotations").get(list) != simdjson::SUCCESS) return;
  for (const element each : list) cite(each, begin);
}

// Reads the annotations of a complete item. Some servers send the text in deltas, but send the annotations of the text
// only in the complete item.
void response_inspector::read_missing_annotations(object item, const item_said& said) {
  dom::array parts;
  if (use_ == json_use::passes || said.has_citation || item.at_key("content").get(parts) != simdjson::SUCCESS) return;
  std::uint64_t begin = said.text_begin;
  for (const element each : parts) {
    object part;
    if (each.get(part) != simdjson::SUCCESS) continue;
    read_annotations(part, begin);
    begin += characters_in(text_at(part, "text"));
  }
}

void response_inspector::cite(element annotation, std::uint64_t begin) {
  if (use_ == json_use::passes || is_full()) return;
  texts_.push_back(moved_citation(simdjson::minify(annotation), static_cast<std::int64_t>(begin)));
  facts_.deltas.push_back({.kind = delta_kind::citation, .text = texts_.back()});
}

void response_inspector::say_logprobs(object of) {
  dom::array list;
  if (use_ == json_use::passes || is_full() || of.at_key("logprobs").get(list) != simdjson::SUCCESS) return;
  if (list.size() == 0) return;
  texts_.push_back(elements_of(list));
  facts_.deltas.push_back({.kind = delta_kind::logprobs, .text = texts_.back()});
}

// Reads an image that the model made, or a step of a tool that the provider runs itself.
void response_inspector::read_other(object item, std::string_view type, item_said& said) {
  note_other_token();
  const std::string_view data = type == image_item ? text_at(item, "result") : std::string_view{};
  if (use_ == json_use::passes) return;
  if (data.empty() || !takes_images_) return lose(type);
  if (is_full()) return;
  said.has_text = true;
  const std::string_view format = text_at(item, "output_format");
  texts_.push_back("image/" + std::string(format.empty() ? std::string_view("png") : format));
  facts_.deltas.push_back({.kind = delta_kind::image, .text = data, .id = texts_.back()});
  facts_.kind = event_kind::token;
  lost_.note_visible();
}

}  // namespace photofinish::proxy

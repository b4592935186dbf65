#include "proxy/dialects/responses/whole_response.hpp"

#include "proxy/dialects/stream_event.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace photofinish::proxy {
namespace {

// The maximum length of an item's id, in bytes. Each event of an item repeats the item's id. OpenAI's ids have at most
// 64 bytes.
constexpr std::size_t longest_repeated_id = 512;

// Describes a type of item or content part whose text is sent in separate events.
struct spoken_text {
  std::string_view type;    // the type of the item or content part, as a JSON string with its quotes
  std::string_view member;  // the name of the member that contains the text of the item or part
  // the prefix of the names of all stream events that contain the text
  std::string_view events;
};
constexpr auto spoken_parts = std::to_array<spoken_text>({
    {R"("output_text")", "text", "response.output_text"},
    {R"("refusal")", "refusal", "response.refusal"},
    {R"("reasoning_text")", "text", "response.reasoning_text"},
    {R"("summary_text")", "text", "response.reasoning_summary_text"},
});
// The types of calls that the client has to execute.
constexpr auto spoken_calls = std::to_array<spoken_text>({
    {R"("function_call")", "arguments", "response.function_call_arguments"},
    {R"("custom_tool_call")", "input", "response.custom_tool_call_input"},
});

// Returns the description of the text events for items or content parts of this type. Returns null if the type has no
// text events.
const spoken_text* find_spoken(std::span<const spoken_text> among, std::string_view type) {
  const auto found = std::find_if(among.begin(), among.end(), [type](const auto& each) { return each.type == type; });
  return found == among.end() ? nullptr : &*found;
}

const spoken_text* spoken_in(std::string_view part) {
  return find_spoken(spoken_parts, json_find(part, "type").value_or(""));
}

bool has_parts(std::string_view item_type) { return item_type == R"("message")" || item_type == R"("reasoning")"; }

// Returns the type of the event that ends the stream. If a background response is not finished, this type shows clients
// that the response is not complete.
std::string_view type_of_last(std::string_view response) {
  const auto status = json_find(response, "status");
  if (status == R"("queued")") return "response.queued";
  if (status == R"("in_progress")") return "response.in_progress";
  return status == R"("incomplete")" ? "response.incomplete" : "response.completed";
}

bool has_string(std::string_view value) { return json_is_string(value) && !json_raw_string(value).empty(); }

// Returns arguments as a JSON string, which the events require. Some servers send arguments as an object.
std::string as_string(std::string_view value) {
  if (json_is_string(value)) return std::string(value);
  return json_is_absent(value) ? R"("")" : json_quote(value);
}

std::string_view list_or_empty(std::optional<std::string_view> value) {
  return value && json_is_array(*value) ? *value : "[]";
}

std::string_view value_in(const member_index& object, std::string_view key) {
  const json_member* const found = object.find(key);
  return found == nullptr ? std::string_view{} : found->value;
}

// Returns a new id, as a JSON string, for an item that has none.
std::string made_item_id(std::string_view type, std::string_view answer_id, std::int64_t place) {
  const std::string_view prefix = type == R"("message")"         ? "msg_"
                                  : type == R"("reasoning")"     ? "rs_"
                                  : type == R"("function_call")" ? "fc_"
                                                                 : "item_";
  std::string id(prefix);
  if (!answer_id.empty()) id.append(answer_id).append("_");
  return json_quote(id.append(std::to_string(place)));
}

// True if the item has no id and may get one. Providers refuse encrypted reasoning with a new id, but accept encrypted
// reasoning without an id.
bool may_get_id(const member_index& item) {
  const std::string_view id = value_in(item, "id");
  return (json_is_absent(id) || id == R"("")") && !has_string(value_in(item, "encrypted_content"));
}

bool is_member(const json_member& member, std::string_view key) { return json_key_is(member.raw_key, key); }

void append_pieces(std::string& out, json_edits& edits) {
  for (const std::string_view piece : edits.pieces()) out += piece;
}

}  // namespace

whole_response::whole_response(std::string body, std::string_view answer_id, given_events given)
    : body_(std::move(body)), last_type_(type_of_last(body_)) {
  const bool has_end = last_type_ == "response.completed" || last_type_ == "response.incomplete";
  if (given == given_events::end && !has_end) last_type_ = "response.completed";
  if (given != given_events::all) step_ = step::last;
  if (given != given_events::all || !has_end) return;
  add_missing_ids(answer_id);
  const std::string_view output = list_or_empty(json_find(body_, "output"));
  count_things(output);
  items_.emplace(output);
}

void whole_response::add_missing_ids(std::string_view answer_id) {
  json_edits edits(body_);
  std::int64_t place = 0;
  for (const std::string_view each : json_elements(list_or_empty(json_find(body_, "output")))) {
    const member_index item(each);
    if (json_is_object(each) && may_get_id(item)) {
      const std::string id = made_item_id(value_in(item, "type"), answer_id, place);
      if (const std::string_view empty = value_in(item, "id"); !empty.empty()) edits.replace(empty, id);
      else edits.insert_member(each, R"("id":)" + id);
    }
    ++place;
  }
  if (!edits.empty()) body_ = edits.text();
}

// Counts the elements of all lists in the response. Each element becomes one or more events.
void whole_response::count_things(std::string_view output) {
  const auto count = [this](std::string_view list) {
    for (json_walk walk(list, '['); walk.next_element();) ++things_;
  };
  for (const std::string_view each : json_elements(output)) {
    ++items_left_;
    const member_index item(each);
    count(value_in(item, "summary"));
    const std::string_view content = value_in(item, "content");
    count(content);
    for (const std::string_view part : json_elements(content)) count(json_find(part, "annotations").value_or(""));
  }
  things_ += items_left_;
}

bool whole_response::is_overfull() const { return things_ > most_said; }

std::string_view whole_response::next_event() {
  text_.clear();
  while (!is_over() && !write_next()) continue;
  text_.reserve(text_.size() + readable_behind);
  return text_;
}

bool whole_response::write_next() {
  switch (step_) {
    case step::created: return write_opening("response.created", items_ ? step::in_progress : step::last);
    case step::in_progress: return write_opening("response.in_progress", step::item);
    case step::item: return begin_next_item();
    case step::call_delta: return write_call_delta();
    case step::call_done: return write_call_done();
    case step::part: return begin_next_part();
    case step::part_delta: return write_part_delta();
    case step::annotation: return write_annotation();
    case step::part_text_done: return write_part_text_done();
    case step::part_done: return write_part_done();
    case step::item_done: return write_item_done();
    case step::last: return write_last();
    case step::over: break;
  }
  return false;
}

void whole_response::begin(std::string_view type) {
  text_.append(R"({"type":")").append(type).append(R"(","sequence_number":)").append(std::to_string(number_++));
}

// Writes an event that contains the response as it was before its first item.
bool whole_response::write_opening(std::string_view type, step next) {
  json_edits edits(body_);
  for (const json_member& member : json_members(body_)) {
    if (is_member(member, "status") && last_type_ != "response.queued") edits.replace(member.value, R"("in_progress")");
    else if (is_member(member, "output")) edits.replace(member.value, "[]");
    else if (is_member(member, "output_text") && json_is_string(member.value)) edits.replace(member.value, R"("")");
    else if (is_member(member, "usage") || is_member(member, "completed_at") || is_member(member, "incomplete_details"))
      edits.replace(member.value, "null");
  }
  begin(type);
  text_ += R"(,"response":)";
  append_pieces(text_, edits);
  text_ += "}";
  step_ = next;
  return true;
}

// Writes the last event. The response's JSON is moved into the event, because nothing else needs it.
bool whole_response::write_last() {
  step_ = step::over;
  begin(last_type_);
  text_ += R"(,"response":)";
  body_.insert(0, text_).append("}");
  text_ = std::exchange(body_, {});
  return true;
}

// Items

bool whole_response::begin_next_item() {
  const auto item = items_->next_element();
  if (!item) {
    step_ = step::last;
    return false;
  }
  ++item_place_;
  --items_left_;
  if (!json_is_object(*item)) return false;
  item_text_ = *item;
  item_.emplace(*item);
  item_type_ = value_in(*item_, "type");
  const std::string_view id = value_in(*item_, "id");
  const bool is_repeatable = has_string(id) && id.size() <= longest_repeated_id;
  item_id_ = is_repeatable ? std::string(id) : made_item_id(item_type_, {}, item_place_);
  begin_for_item("response.output_item.added");
  append_begun_item();
  if (find_spoken(spoken_calls, item_type_) != nullptr) step_ = step::call_delta;
  else if (has_parts(item_type_)) begin_list("content");
  else step_ = step::item_done;
  return true;
}

void whole_response::begin_for_item(std::string_view type) {
  begin(type);
  text_.append(R"(,"output_index":)").append(std::to_string(item_place_)).append(R"(,"item":)");
}

// Writes the event that begins an item, without the texts that later events contain.
void whole_response::append_begun_item() {
  const spoken_text* const call = find_spoken(spoken_calls, item_type_);
  const bool is_image = item_type_ == R"("image_generation_call")";
  json_edits edits(item_text_);
  for (const json_member& member : item_->members()) {
    const bool is_list = is_member(member, "content") || is_member(member, "summary");
    if (is_member(member, "status") && json_is_string(member.value)) edits.replace(member.value, R"("in_progress")");
    else if (call != nullptr && is_member(member, call->member)) edits.replace(member.value, R"("")");
    else if (is_image && is_member(member, "result")) edits.replace(member.value, "null");
    else if (!has_parts(item_type_)) continue;
    else if (is_list && json_is_array(member.value)) edits.replace(member.value, "[]");
    else if (is_member(member, "encrypted_content")) edits.replace(member.value, "null");
  }
  append_pieces(text_, edits);
  text_ += "}";
}

void whole_response::begin_in_item(std::string_view type) {
  begin(type);
  text_.append(R"(,"item_id":)").append(item_id_);
  text_.append(R"(,"output_index":)").append(std::to_string(item_place_));
}

bool whole_response::write_call_delta() {
  const spoken_text& call = *find_spoken(spoken_calls, item_type_);
  step_ = step::call_done;
  const std::string input = as_string(value_in(*item_, call.member));
  if (!has_string(input)) return false;
  begin_in_item(std::string(call.events) + ".delta");
  text_.append(R"(,"delta":)").append(input).append("}");
  return true;
}

bool whole_response::write_call_done() {
  const spoken_text& call = *find_spoken(spoken_calls, item_type_);
  step_ = step::item_done;
  if (is_cut_call()) return false;
  begin_in_item(std::string(call.events) + ".done");
  const std::string_view name = value_in(*item_, "name");
  if (call.member == "arguments" && json_is_string(name)) text_.append(R"(,"name":)").append(name);
  text_.append(",\"").append(call.member).append("\":").append(as_string(value_in(*item_, call.member))).append("}");
  return true;
}

// True if the answer was truncated inside this item's call. Such a call must not seem complete, because the client
// would then execute it. In a truncated answer, the last call is complete if its status is not `incomplete`, or if its
// arguments are complete JSON.
bool whole_response::is_cut_call() const {
  const spoken_text* const call = find_spoken(spoken_calls, item_type_);
  if (call == nullptr) return false;
  const std::string_view status = value_in(*item_, "status"), input = value_in(*item_, call->member);
  if (json_is_string(status)) return status == R"("incomplete")";
  if (last_type_ != "response.incomplete" || items_left_ > 0) return false;
  return json_is_string(input) && !is_whole_object(json_unescape(json_raw_string(input)));
}

bool whole_response::write_item_done() {
  step_ = step::item;
  if (is_cut_call()) return false;
  begin_for_item("response.output_item.done");
  text_.append(item_text_).append("}");
  return true;
}

// Parts

void whole_response::begin_list(std::string_view key) {
  is_summary_ = key == "summary";
  parts_.emplace(value_in(*item_, key), '[');
  part_place_ = -1;
  step_ = step::part;
}

bool whole_response::begin_next_part() {
  const auto part = parts_->next_element();
  if (!part) {
    if (is_summary_ || item_type_ != R"("reasoning")") step_ = step::item_done;
    else begin_list("summary");
    return false;
  }
  ++part_place_;
  part_ = *part;
  const spoken_text* const spoken = spoken_in(part_);
  step_ = spoken == nullptr ? step::part_done : step::part_delta;
  begin_in_part(is_summary_ ? "response.reasoning_summary_part.added" : "response.content_part.added");
  json_edits edits(part_);
  if (spoken != nullptr)
    for (const json_member& member : json_members(part_)) {
      const bool is_list = is_member(member, "annotations") || is_member(member, "logprobs");
      if (is_member(member, spoken->member)) edits.replace(member.value, R"("")");
      else if (is_list && json_is_array(member.value)) edits.replace(member.value, "[]");
    }
  text_ += R"(,"part":)";
  append_pieces(text_, edits);
  text_ += "}";
  return true;
}

void whole_response::begin_in_part(std::string_view type) {
  begin_in_item(type);
  text_ += is_summary_ ? R"(,"summary_index":)" : R"(,"content_index":)";
  text_ += std::to_string(part_place_);
}

bool whole_response::write_part_delta() {
  const spoken_text& spoken = *spoken_in(part_);
  annotations_.emplace(json_find(part_, "annotations").value_or(""), '[');
  annotation_place_ = -1;
  step_ = step::annotation;
  const std::string_view text = json_find(part_, spoken.member).value_or("");
  if (!has_string(text)) return false;
  begin_in_part(std::string(spoken.events) + ".delta");
  text_.append(R"(,"delta":)").append(text);
  end_of_text(spoken.events);
  return true;
}

// Ends the event for a complete text. Clients require the member `logprobs` in such an event.
void whole_response::end_of_text(std::string_view events) {
  if (events == "response.output_text")
    text_.append(R"(,"logprobs":)").append(list_or_empty(json_find(part_, "logprobs")));
  text_ += "}";
}

bool whole_response::write_annotation() {
  const auto annotation = annotations_->next_element();
  ++annotation_place_;
  if (!annotation) {
    step_ = step::part_text_done;
    return false;
  }
  begin_in_part("response.output_text.annotation.added");
  text_.append(R"(,"annotation_index":)").append(std::to_string(annotation_place_));
  text_.append(R"(,"annotation":)").append(*annotation).append("}");
  return true;
}

bool whole_response::write_part_text_done() {
  const spoken_text& spoken = *spoken_in(part_);
  step_ = step::part_done;
  begin_in_part(std::string(spoken.events) + ".done");
  text_.append(",\"").append(spoken.member).append("\":");
  text_.append(as_string(json_find(part_, spoken.member).value_or("")));
  end_of_text(spoken.events);
  return true;
}

bool whole_response::write_part_done() {
  step_ = step::part;
  begin_in_part(is_summary_ ? "response.reasoning_summary_part.done" : "response.content_part.done");
  text_.append(R"(,"part":)").append(part_).append("}");
  return true;
}

}  // namespace photofinish::proxy

#include "gateway/api/messages/passed_messages.hpp"

#include "gateway/api/answer_limit.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "proxy/dialects/largest_count.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/memory/long_text.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>

namespace photofinish::gateway {
namespace {

using proxy::json_find;
using proxy::json_raw_string;

// The maximum number of unknown members in one object. The limit is low, because every new member is compared with all
// previous members.
constexpr std::size_t most_members = 64;

std::string_view value_in(std::string_view object, std::string_view key) {
  return json_find(object, key).value_or(std::string_view{});
}

// Returns the object that is the value of this member in an event. Returns an empty object if the provider sent another
// type of value.
std::string_view object_in(std::string_view object, std::string_view key) {
  const std::string_view value = value_in(object, key);
  return proxy::json_is_object(value) ? value : "{}";
}

std::int64_t index_in(std::string_view event) {
  return proxy::parse_leading_number<std::int64_t>(value_in(event, "index")).value_or(0);
}

// Sets a member of the object, or adds the member if it does not exist.
void set(proxy::json_edits& edits, std::string_view object, std::string_view raw_key, std::string_view value) {
  proxy::json_walk walk(object);
  while (const auto each = walk.next_member())
    if (each->raw_key == raw_key) return edits.replace(each->value, value);
  edits.insert_member(object, "\"" + std::string(raw_key) + "\":" + std::string(value));
}

constexpr std::array<std::string_view, 3> input_counts{"input_tokens", "cache_creation_input_tokens",
                                                       "cache_read_input_tokens"};

std::uint64_t count_of(std::string_view number) {
  return std::min(proxy::parse_leading_number<std::uint64_t>(number).value_or(0), proxy::largest_count);
}

// True if the gateway itself writes this member of a block, because the member's text arrives in deltas.
bool is_own(std::string_view raw_key) {
  constexpr std::array<std::string_view, 8> own{"type",  "text",      "thinking", "signature",
                                                "input", "citations", "content",  "usage"};
  const auto is = [raw_key](std::string_view each) { return proxy::json_key_is(raw_key, each); };
  return std::any_of(own.begin(), own.end(), is);
}

bool is_object(std::string_view json) {
  proxy::json_scan scan;
  return scan.see(json) && scan.is_complete();
}

// Replaces a message id that only the provider can use. `json` is the message, or text that contains the message.
std::string with_shown_id(std::string_view json, std::string_view message, const answer_identity& shown) {
  proxy::json_edits edits(json);
  const auto id = json_find(message, "id");
  if (id && proxy::json_is_string(*id))
    edits.replace(*id, proxy::json_quote(shown.shown_id(proxy::json_unescape(json_raw_string(*id)))));
  return edits.text();
}

}  // namespace

// As a stream

proxy::result<void> passed_message_stream::add(const proxy::stream_event& event, outgoing& to) {
  if (event.json.empty()) return {};
  if (!identity_.shown_id || event.name != "message_start") {
    put_passed(event, to, beginning_.of(event.name));
    return {};
  }
  const std::string json = joined(event.json);
  text_ = std::string(beginning_.of(event.name)) + with_shown_id(json, value_in(json, "message"), identity_);
  text_ += event_end;
  to.put(text_);
  return {};
}

void passed_message_stream::fail(const api_error& error, outgoing& to) {
  text_ = "event: error\ndata: " + message_error_json(error) + "\n\n";
  to.put(text_);
}

// As a whole

proxy::result<void> passed_whole_message::add(const proxy::stream_event& event, outgoing&) {
  if (event.json.empty()) return {};
  std::string_view json = event.json.front();
  if (event.json.size() > 1) joined_ = joined(event.json), json = joined_;
  if (event.name == "content_block_delta") add_to_block(json);
  else if (event.name == "content_block_start") begin_block(json);
  else if (event.name == "message_start") begin(object_in(json, "message"));
  else if (event.name == "message_delta") end_message(json);
  joined_.clear();
  // The maximum number of blocks. It is low, because every new block is compared with all previous blocks.
  if (blocks_.size() > proxy::most_said) return check_kept(SIZE_MAX);
  return check_kept(held_);
}

void passed_whole_message::keep(std::string& in, std::string_view text) {
  in += text;
  held_ += text.size();
}

void passed_whole_message::begin(std::string_view message) {
  if (identity_.shown_id) keep(message_, with_shown_id(message, message, identity_));
  else keep(message_, message);
}

void passed_whole_message::begin_block(std::string_view event) {
  const std::int64_t index = index_in(event);
  const auto before = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                   [index](const growing_block& each) { return each.index <= index; });
  const auto block = blocks_.emplace(before.base());
  block->index = index;
  keep(block->start, object_in(event, "content_block"));
  held_ += sizeof(growing_block);
}

void passed_whole_message::add_to_block(std::string_view event) {
  const std::string_view delta = value_in(event, "delta");
  const auto place = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                  [index = index_in(event)](const growing_block& each) { return each.index == index; });
  if (place == blocks_.rend() || !proxy::json_is_object(delta)) return;
  growing_block& block = *place;
  const std::string_view type = json_raw_string(value_in(delta, "type"));
  if (type == "text_delta") return keep(block.text, json_raw_string(value_in(delta, "text")));
  if (type == "thinking_delta") return keep(block.thinking, json_raw_string(value_in(delta, "thinking")));
  if (type == "signature_delta") {
    held_ -= std::min(held_, block.signature.size());
    block.signature.clear();
    return keep(block.signature, json_raw_string(value_in(delta, "signature")));
  }
  if (type == "input_json_delta") return keep(block.input, json_raw_string(value_in(delta, "partial_json")));
  if (type == "citations_delta") {
    const std::string_view citation = value_in(delta, "citation");
    if (!block.citations.empty() && !citation.empty()) keep(block.citations, ",");
    return keep(block.citations, citation);
  }
  proxy::json_walk walk(delta);
  while (const auto each = walk.next_member())
    if (!is_own(each->raw_key) || proxy::json_key_is(each->raw_key, "content"))
      note(block.others, each->raw_key, each->value);
}

void passed_whole_message::end_message(std::string_view event) {
  proxy::json_walk walk(event);
  while (const auto each = walk.next_member()) {
    if (proxy::json_key_is(each->raw_key, "type")) continue;
    const bool is_delta = proxy::json_key_is(each->raw_key, "delta");
    if (!is_delta && !proxy::json_key_is(each->raw_key, "usage")) {
      if (!is_own(each->raw_key)) note(changed_, each->raw_key, each->value);
      continue;
    }
    if (!proxy::json_is_object(each->value)) continue;
    if (!is_delta) {
      end_usage(each->value);
      continue;
    }
    proxy::json_walk inside(each->value);
    while (const auto member = inside.next_member())
      if (!is_own(member->raw_key)) note(changed_, member->raw_key, member->value);
  }
}

// Updates the usage at the end of the answer. The provider may move input tokens from one count to another, for example
// to the cached tokens. Therefore only the sum of the input counts is compared: neither this sum nor the output count
// ever decreases.
void passed_whole_message::end_usage(std::string_view usage) {
  const auto sum = [](const auto& value_of) {
    std::uint64_t all = 0;
    for (const std::string_view key : input_counts) all += count_of(value_of(key));
    return all;
  };
  const auto known = [this](std::string_view key) { return known_usage(key); };
  const auto reported = [&](std::string_view key) {
    const std::string_view value = value_in(usage, key);
    return value.empty() || proxy::json_is_null(value) ? known(key) : value;
  };
  const bool is_input_less = sum(reported) < sum(known);
  const bool is_output_less = count_of(reported("output_tokens")) < count_of(known("output_tokens"));
  proxy::json_walk walk(usage);
  while (const auto member = walk.next_member()) {
    const bool is_input = std::find(input_counts.begin(), input_counts.end(), member->raw_key) != input_counts.end();
    const bool is_less = is_input ? is_input_less : is_output_less && member->raw_key == "output_tokens";
    if (!is_less && !proxy::json_is_null(member->value)) note(usage_, member->raw_key, member->value);
  }
}

std::string_view passed_whole_message::known_usage(std::string_view key) const {
  const auto noted = std::find_if(usage_.begin(), usage_.end(), [key](const auto& each) { return each.first == key; });
  return noted != usage_.end() ? std::string_view(noted->second) : value_in(object_in(message_, "usage"), key);
}

void passed_whole_message::note(members& in, std::string_view raw_key, std::string_view value) {
  const auto known = std::find_if(in.begin(), in.end(), [raw_key](const auto& each) { return each.first == raw_key; });
  if (known == in.end()) {
    if (in.size() >= most_members) return;
    in.emplace_back(raw_key, value);
    held_ += raw_key.size() + value.size() + sizeof(in.front());
    return;
  }
  held_ -= std::min(held_, known->second.size());
  known->second = value;
  held_ += value.size();
}

// Returns the block's JSON. If the arguments of a tool call were cut off, writes the call without arguments, because
// incomplete JSON would make the client fail.
std::string passed_whole_message::block_json(growing_block& block) {
  proxy::json_edits edits(block.start);
  const auto set_text = [&edits, &block](std::string_view key, const std::string& text) {
    if (!text.empty())
      set(edits, block.start, key, "\"" + std::string(json_raw_string(value_in(block.start, key))) + text + "\"");
  };
  set_text("text", block.text);
  set_text("thinking", block.thinking);
  if (!block.signature.empty()) set(edits, block.start, "signature", "\"" + block.signature + "\"");
  // Unescapes the whole input of the tool call at once, because a character may be split between two fragments.
  const std::string input = proxy::json_unescape(block.input);
  if (is_object(input)) set(edits, block.start, "input", input);
  if (!block.citations.empty()) set(edits, block.start, "citations", "[" + block.citations + "]");
  for (const auto& [key, value] : block.others) set(edits, block.start, key, value);
  return edits.text();
}

void passed_whole_message::end(outgoing& to) {
  if (message_.empty()) message_ = "{}";
  proxy::json_edits edits(message_);
  std::string content = "[";  // starts with the content of the message's first event
  if (const std::string_view begun = value_in(message_, "content"); proxy::json_is_array(begun)) {
    proxy::json_walk walk(begun);
    while (const auto each = walk.next_element()) content.append(content.size() > 1 ? "," : "").append(*each);
  }
  for (growing_block& each : blocks_) content.append(content.size() > 1 ? "," : "").append(block_json(each));
  set(edits, message_, "content", content + "]");
  for (const auto& [key, value] : changed_) set(edits, message_, key, value);
  const std::string_view usage = value_in(message_, "usage");
  if (proxy::json_is_object(usage)) {
    for (const auto& [key, value] : usage_) set(edits, usage, key, value);
  } else if (!usage_.empty()) {
    std::string all = "{";
    for (const auto& [key, value] : usage_)
      all.append(all.size() > 1 ? ",\"" : "\"").append(key).append("\":").append(value);
    set(edits, message_, "usage", all + "}");
  }
  to.put(proxy::long_text(edits.text()));
}

void passed_whole_message::fail(const api_error& error, outgoing& to) {
  to.put(proxy::long_text(message_error_json(error)));
}

}  // namespace photofinish::gateway

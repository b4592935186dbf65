#include "gateway/api/responses/response_items.hpp"

#include "gateway/api/conversation/event_text.hpp"
#include "proxy/conversation/argument_object.hpp"
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {
namespace {

using proxy::json_quote;

std::string_view prefix_of(answer_block_kind kind) {
  switch (kind) {
    case answer_block_kind::text:
    case answer_block_kind::refusal: return "msg_";
    case answer_block_kind::reasoning:
    case answer_block_kind::opaque: return "rs_";
    case answer_block_kind::call: return "fc_";
    case answer_block_kind::image: return "ig_";
  }
  return "msg_";
}

// Returns the common prefix of the event names for this kind of block.
std::string_view event_of(answer_block_kind kind) {
  switch (kind) {
    case answer_block_kind::text: return "response.output_text";
    case answer_block_kind::refusal: return "response.refusal";
    case answer_block_kind::reasoning:
    case answer_block_kind::opaque: return "response.reasoning_summary_text";
    case answer_block_kind::call: return "response.function_call_arguments";
    case answer_block_kind::image: break;  // the API has no delta events for images
  }
  return {};
}

std::string part_json(const answer_block& block, std::string_view text) {
  if (block.kind == answer_block_kind::refusal) return R"({"type":"refusal","refusal":)" + json_quote(text) + "}";
  if (block.kind == answer_block_kind::reasoning) return R"({"type":"summary_text","text":)" + json_quote(text) + "}";
  return R"({"type":"output_text","text":)" + json_quote(text) + R"(,"annotations":[)" +
         (text.empty() ? "" : block.citations) + R"(],"logprobs":[)" + (text.empty() ? "" : block.logprobs) + "]}";
}

// Returns the type of the item that represents a tool call.
std::string_view item_type_of(proxy::call_kind kind) {
  switch (kind) {
    case proxy::call_kind::function: return "function_call";
    case proxy::call_kind::custom: return "custom_tool_call";
    case proxy::call_kind::search: return "tool_search_call";
  }
  return "function_call";
}

bool is_reasoning(const answer_block& block) {
  return block.kind == answer_block_kind::reasoning || block.kind == answer_block_kind::opaque;
}

// Writes an image as the result of the API's own image tool: the data is base64, and the format is "png".
std::string image_item(const answer_block& image, std::string_view status) {
  std::string json = R"(,"type":"image_generation_call","status":")";
  json.append(status).append(R"(","result":)");
  if (status == "in_progress") return json.append("null}");
  const std::string_view type = image.name;
  json.append(json_quote(image.text)).append(R"(,"output_format":)");
  return json.append(json_quote(type.substr(type.find('/') + 1))).append("}");
}

bool is_message(const answer_block& block) {
  return block.kind == answer_block_kind::text || block.kind == answer_block_kind::refusal;
}

}  // namespace

void response_items::begin(std::string_view type) {
  begin_event(events_, type);
  events_.append(R"(,"sequence_number":)").append(std::to_string(number_++));
}

std::string response_items::id_of(const answer_block& block) const {
  const proxy::call_kind kind = kind_of(block);
  const std::string_view prefix = kind == proxy::call_kind::custom   ? "ctc_"
                                  : kind == proxy::call_kind::search ? "tsc_"
                                                                     : prefix_of(block.kind);
  return std::string(prefix) + answer_id_ + "_" + std::to_string(block.index);
}

const proxy::restored_call* response_items::restored(const answer_block& block) const {
  const auto found = tools_.find(block.name);
  return found == tools_.end() ? nullptr : &found->second;
}

proxy::call_kind response_items::kind_of(const answer_block& block) const {
  const proxy::restored_call* known = block.kind == answer_block_kind::call ? restored(block) : nullptr;
  return known == nullptr ? proxy::call_kind::function : known->kind;
}

// Returns the JSON of the block's output item. The item contains the current content of the block, which is empty when
// the item begins.
std::string response_items::item(const answer_block& block, std::string_view status) const {
  const bool is_done = status != "in_progress";
  std::string json = R"({"id":)" + json_quote(id_of(block));
  if (is_reasoning(block)) {
    json += R"(,"type":"reasoning","summary":[)";
    if (is_done && block.kind == answer_block_kind::reasoning) json += part_json(block, block.text);
    json += "]";
    if (is_done && !block.signature.empty())
      json.append(R"(,"encrypted_content":)")
          .append(json_quote(proxy::pack_signature({block.readable_by, block.signature, block.item})));
    return json.append("}");
  }
  if (block.kind == answer_block_kind::call) return json.append(call_item(block, status));
  if (block.kind == answer_block_kind::image) return json.append(image_item(block, status));
  json.append(R"(,"type":"message","status":")").append(status).append(R"(","role":"assistant","content":[)");
  if (is_done) json += part_json(block, block.text);
  return json.append("]}");
}

std::string response_items::call_item(const answer_block& block, std::string_view status) const {
  const bool is_done = status != "in_progress";
  const proxy::restored_call* known = restored(block);
  const proxy::call_kind kind = kind_of(block);
  std::string json = R"(,"type":")";
  json.append(item_type_of(kind)).append(R"(","status":")").append(status);
  json.append(R"(","call_id":)").append(json_quote(block.id));
  if (kind == proxy::call_kind::search)
    return json.append(R"(,"execution":"client","arguments":)")
        .append(is_done ? proxy::argument_object(block.text) : "{}")
        .append("}");
  json.append(R"(,"name":)");
  json.append(json_quote(known == nullptr ? block.name : known->name));
  if (known != nullptr && !known->name_space.empty())
    json.append(R"(,"namespace":)").append(json_quote(known->name_space));
  if (kind == proxy::call_kind::custom)
    json.append(R"(,"input":)").append(json_quote(is_done ? proxy::free_text_in(block.text) : ""));
  else json.append(R"(,"arguments":)").append(json_quote(is_done ? block.text : std::string_view{}));
  return json.append("}");
}

void response_items::say_item(std::string_view type, const answer_block& block, std::string_view json) {
  begin(type);
  events_.append(R"(,"output_index":)").append(std::to_string(block.index)).append(R"(,"item":)").append(json);
  end_event(events_);
}

// Begins an event, and writes the members that identify the message part that the event belongs to.
void response_items::begin_for_part(std::string_view type, const answer_block& block) {
  begin(type);
  events_.append(R"(,"item_id":)").append(json_quote(id_of(block)));
  events_.append(R"(,"output_index":)").append(std::to_string(block.index));
  if (is_message(block)) events_ += R"(,"content_index":0)";
  if (block.kind == answer_block_kind::reasoning) events_ += R"(,"summary_index":0)";
}

void response_items::say_part(std::string_view type, const answer_block& block, std::string_view text) {
  begin_for_part(type, block);
  events_.append(R"(,"part":)").append(part_json(block, text));
  end_event(events_);
}

void response_items::on_open(const answer_block& block) {
  citations_ = logprobs_ = 0;
  if (!has_events_) return;
  say_item("response.output_item.added", block, item(block, "in_progress"));
  if (is_message(block)) say_part("response.content_part.added", block, {});
  if (block.kind == answer_block_kind::reasoning) say_part("response.reasoning_summary_part.added", block, {});
  delta_type_ = std::string(event_of(block.kind)) + ".delta";
  delta_head_ = R"(,"item_id":)" + json_quote(id_of(block)) + R"(,"output_index":)" + std::to_string(block.index);
  if (is_message(block)) delta_head_ += R"(,"content_index":0)";
  if (block.kind == answer_block_kind::reasoning) delta_head_ += R"(,"summary_index":0)";
  delta_head_ += R"(,"delta":)";
}

void response_items::on_text(const answer_block& block, std::string_view more) {
  // Arguments for tools other than functions are sent at the end of the call. They can be converted only when all
  // arguments of the provider's function call have arrived.
  if (!has_events_ || block.kind == answer_block_kind::image || kind_of(block) != proxy::call_kind::function) return;
  begin(delta_type_);
  events_.append(delta_head_).append(json_quote(more));
  if (block.kind == answer_block_kind::text) append_logprobs(block);
  end_event(events_);
}

// Adds the log probabilities of the text since the last delta event.
void response_items::append_logprobs(const answer_block& block) {
  std::string_view more = std::string_view(block.logprobs).substr(logprobs_);
  logprobs_ = block.logprobs.size();
  if (more.starts_with(',')) more.remove_prefix(1);
  events_.append(R"(,"logprobs":[)").append(more).append("]");
}

void response_items::on_citation(const answer_block& block, std::string_view json) {
  if (!has_events_) return;
  begin_for_part("response.output_text.annotation.added", block);
  events_.append(R"(,"annotation_index":)").append(std::to_string(citations_++));
  events_.append(R"(,"annotation":)").append(json);
  end_event(events_);
}

void response_items::on_close(const answer_block& block) {
  const std::string_view status = block.is_cut ? "incomplete" : "completed";
  const std::string json = item(block, status);
  // An incomplete tool call must not be reported as done, because clients would run it.
  const bool is_half_call = block.is_cut && block.kind == answer_block_kind::call;
  if (has_events_ && !is_half_call) {
    if (block.kind == answer_block_kind::call) close_call(block);
    else if (block.kind != answer_block_kind::opaque && block.kind != answer_block_kind::image) close_text(block);
    say_item("response.output_item.done", block, json);
  }
  output_.append(output_.empty() ? "" : ",").append(json);
}

void response_items::close_text(const answer_block& block) {
  begin_for_part(std::string(event_of(block.kind)) + ".done", block);
  events_.append(block.kind == answer_block_kind::refusal ? R"(,"refusal":)" : R"(,"text":)");
  events_ += json_quote(block.text);
  if (block.kind == answer_block_kind::text) events_.append(R"(,"logprobs":[)").append(block.logprobs).append("]");
  end_event(events_);
  const bool is_content = is_message(block);
  say_part(is_content ? "response.content_part.done" : "response.reasoning_summary_part.done", block, block.text);
}

void response_items::close_call(const answer_block& block) {
  const proxy::call_kind kind = kind_of(block);
  // A search call is sent as a whole item, so there are no events for its arguments.
  if (kind == proxy::call_kind::search) return;
  if (kind == proxy::call_kind::custom) {
    const std::string input = json_quote(proxy::free_text_in(block.text));
    begin_for_part("response.custom_tool_call_input.delta", block);
    events_.append(R"(,"delta":)").append(input);
    end_event(events_);
    begin_for_part("response.custom_tool_call_input.done", block);
    events_.append(R"(,"input":)").append(input);
  } else {
    const proxy::restored_call* known = restored(block);
    begin_for_part("response.function_call_arguments.done", block);
    events_.append(R"(,"name":)").append(json_quote(known == nullptr ? block.name : known->name));
    events_.append(R"(,"arguments":)").append(json_quote(block.text));
  }
  end_event(events_);
}

}  // namespace photofinish::gateway

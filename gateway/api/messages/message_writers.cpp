#include "gateway/api/messages/message_writers.hpp"

#include "gateway/api/answer_limit.hpp"
#include "gateway/api/conversation/event_text.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "proxy/conversation/argument_object.hpp"
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/memory/long_text.hpp"

namespace photofinish::gateway {
namespace {

using proxy::json_quote;

constexpr std::string_view own_signatures = "anthropic_messages";
constexpr proxy::character_set id_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"};

bool is_cutting(proxy::finish_reason reason) {
  return reason == proxy::finish_reason::length || reason == proxy::finish_reason::content_filter;
}

// Returns the name that the called tool has in the client's request.
std::string name_of(const answer_block& call, const proxy::restored_calls& tools) {
  const auto found = tools.find(call.name);
  return json_quote(found == tools.end() ? call.name : found->second.name);
}

// Returns the tool call's id without characters that Anthropic's models reject. The client sends this id back in later
// requests, and Anthropic's models check it.
std::string id_of(const answer_block& call, const std::string& answer_id) {
  if (!call.id.empty() && id_letters.holds_all(call.id)) return json_quote(call.id);
  std::string id = "toolu_" + answer_id + "_" + std::to_string(call.index);
  for (char& each : id)
    if (!id_letters.holds(each)) each = '_';
  return json_quote(id);
}

// Returns the signature of the reasoning. If a provider with another API made the signature, the result starts with the
// name of that API. A later request then shows where the signature comes from.
std::string signature_of(const answer_block& reasoning) {
  if (reasoning.readable_by == own_signatures || reasoning.signature.empty()) return json_quote(reasoning.signature);
  return json_quote(proxy::pack_signature({reasoning.readable_by, reasoning.signature, reasoning.item}));
}

// True for a signature in the last block of an answer that does not end with a tool call. Gemini sends such signatures,
// but does not need them in later requests. Claude Code would mistake this block for the answer's text, and show
// nothing.
bool is_left_out(const answer_block& closing) {
  return closing.kind == answer_block_kind::opaque && closing.is_last && closing.index > 0;
}

// Writes all members of a message except its content and the members whose values are known only at its end.
std::string message_head(const answer_identity& identity) {
  return R"({"id":)" + json_quote("msg_" + identity.id) + R"(,"type":"message","role":"assistant","model":)" +
         json_quote(identity.model);
}

// Adds a delta to the blocks. Images are reported as lost, because answers of the Messages API cannot contain images.
// An answer that contains only images fails. Citations are also reported as lost, because citations of this API can
// refer only to documents and searches in the conversation.
void add_to_blocks(const proxy::delta& each, answer_blocks& blocks, lost_names& lost, block_listener& to) {
  lost.note(each);
  if (each.kind == proxy::delta_kind::image) lost.note("image");
  else if (each.kind == proxy::delta_kind::citation) lost.note("citations");
  else if (each.kind == proxy::delta_kind::logprobs) lost.note("logprobs");
  else blocks.add(each, to);
}

void note_end(const proxy::stream_event& event, proxy::token_usage& usage, proxy::finish_reason& reason) {
  if (event.usage != nullptr) usage = *event.usage;
  for (const proxy::delta& each : event.deltas)
    if (each.kind == proxy::delta_kind::finish && each.choice == 0) reason = each.reason;
}

}  // namespace

// As a stream

proxy::result<void> message_stream_writer::add(const proxy::stream_event& event, outgoing& to) {
  text_.clear();
  note_end(event, usage_, reason_);
  begin();
  for (const proxy::delta& each : event.deltas) add_to_blocks(each, blocks_, lost_, *this);
  if (!text_.empty()) to.put(text_);
  return check_kept(held_bytes());
}

void message_stream_writer::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  begin_event(text_, "message_start");
  text_.append(R"(,"message":)").append(message_head(identity_));
  text_.append(R"(,"content":[],"stop_reason":null,"stop_sequence":null,"usage":)").append(usage_json(usage_)) += "}";
  end_event(text_);
}

void message_stream_writer::on_open(const answer_block& block) {
  // Opaque reasoning comes in one piece, so the stream has no deltas for it.
  if (block.kind == answer_block_kind::opaque) return;
  begin_event(text_, "content_block_start");
  text_.append(R"(,"index":)").append(std::to_string(block.index)).append(R"(,"content_block":)");
  if (block.kind == answer_block_kind::call)
    text_.append(R"({"type":"tool_use","id":)").append(id_of(block, identity_.id)).append(R"(,"name":)")
        .append(name_of(block, tools_)).append(R"(,"input":{}})");
  else if (block.kind == answer_block_kind::reasoning) text_ += R"({"type":"thinking","thinking":"","signature":""})";
  else text_ += R"({"type":"text","text":""})";
  end_event(text_);
}

void message_stream_writer::begin_delta(std::size_t index, std::string_view kind_and_key) {
  begin_event(text_, "content_block_delta");
  text_.append(R"(,"index":)").append(std::to_string(index)).append(R"(,"delta":{"type":")").append(kind_and_key);
}

void message_stream_writer::on_text(const answer_block& block, std::string_view more) {
  if (block.kind == answer_block_kind::call) more = input_.add(more);
  if (!more.empty()) say(block, more);
}

void message_stream_writer::say(const answer_block& block, std::string_view more) {
  if (block.kind == answer_block_kind::call) begin_delta(block.index, R"(input_json_delta","partial_json":)");
  else if (block.kind == answer_block_kind::reasoning) begin_delta(block.index, R"(thinking_delta","thinking":)");
  else begin_delta(block.index, R"(text_delta","text":)");
  text_.append(json_quote(more)) += "}";
  end_event(text_);
}

void message_stream_writer::on_close(const answer_block& block) {
  if (is_left_out(block)) return;
  if (block.kind == answer_block_kind::opaque) {
    begin_event(text_, "content_block_start");
    text_.append(R"(,"index":)").append(std::to_string(block.index));
    text_.append(R"(,"content_block":{"type":"redacted_thinking","data":)").append(signature_of(block)) += "}";
    end_event(text_);
  } else if (block.kind == answer_block_kind::reasoning && !block.signature.empty()) {
    begin_delta(block.index, R"(signature_delta","signature":)");
    text_.append(signature_of(block)) += "}";
    end_event(text_);
  } else if (block.kind == answer_block_kind::call) {
    if (const std::string rest = input_.finish(); !rest.empty()) say(block, rest);
  }
  begin_event(text_, "content_block_stop");
  text_.append(R"(,"index":)").append(std::to_string(block.index));
  end_event(text_);
}

void message_stream_writer::end(outgoing& to) {
  text_.clear();
  begin();
  blocks_.finish(is_cutting(reason_), *this);
  begin_event(text_, "message_delta");
  text_.append(R"(,"delta":{"stop_reason":")").append(stop_word(reason_, blocks_, input_.has_broken_call()));
  text_.append(R"(","stop_sequence":null},"usage":)").append(usage_json(usage_)).append(lost_.member());
  end_event(text_);
  begin_event(text_, "message_stop");
  end_event(text_);
  to.put(text_);
}

void message_stream_writer::fail(const api_error& error, outgoing& to) {
  text_ = "event: error\ndata: ";
  text_.append(message_error_json(error)).append("\n\n");
  to.put(text_);
}

// As a whole

proxy::result<void> message_whole_writer::add(const proxy::stream_event& event, outgoing&) {
  note_end(event, usage_, reason_);
  for (const proxy::delta& each : event.deltas) add_to_blocks(each, blocks_, lost_, *this);
  return check_kept(held_bytes());
}

void message_whole_writer::on_close(const answer_block& block) {
  if (is_left_out(block)) return;
  if (!content_.empty()) content_ += ",";
  switch (block.kind) {
    case answer_block_kind::text:
    case answer_block_kind::refusal:
      content_.append(R"({"type":"text","text":)").append(json_quote(block.text)) += "}";
      return;
    case answer_block_kind::reasoning:
      content_.append(R"({"type":"thinking","thinking":)").append(json_quote(block.text));
      content_.append(R"(,"signature":)").append(signature_of(block)) += "}";
      return;
    case answer_block_kind::opaque:
      content_.append(R"({"type":"redacted_thinking","data":)").append(signature_of(block)) += "}";
      return;
    case answer_block_kind::image: return;  // unreachable, because add_to_blocks() handles images
    case answer_block_kind::call:
      content_.append(R"({"type":"tool_use","id":)").append(id_of(block, identity_.id)).append(R"(,"name":)");
      content_.append(name_of(block, tools_)).append(R"(,"input":)").append(proxy::argument_object(block.text)) += "}";
      has_broken_call_ |= proxy::is_broken_object(block.text);
  }
}

void message_whole_writer::end(outgoing& to) {
  blocks_.finish(is_cutting(reason_), *this);
  proxy::long_text whole(message_head(identity_) + R"(,"content":[)");
  whole.append(std::move(content_));
  whole.append(R"(],"stop_reason":")" + std::string(stop_word(reason_, blocks_, has_broken_call_)) +
               R"(","stop_sequence":null,"usage":)" + usage_json(usage_) + lost_.member() + "}");
  to.put(std::move(whole));
}

void message_whole_writer::fail(const api_error& error, outgoing& to) {
  to.put(proxy::long_text(message_error_json(error)));
}

}  // namespace photofinish::gateway

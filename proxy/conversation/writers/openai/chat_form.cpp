#include "proxy/conversation/writers/openai/chat_form.hpp"

#include "proxy/conversation/paired_results.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/writers/openai/openai_limits.hpp"
#include "proxy/json/values/data_url.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/providers/parameters.hpp"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

// Returns `null` for an absent value, because a JSON member needs a value.
std::string_view or_null(std::string_view json) { return json.empty() ? "null" : json; }

// The members of an assistant's message that contain signed reasoning from providers with a chat API.
struct carried_members {
  std::string details;                           // the objects of `reasoning_details`, separated by commas
  std::string extra;                             // the `extra_content` of the message; empty if there is none
  std::map<const block*, std::string> of_calls;  // the `extra_content` of each call
};

// Returns the signed reasoning of a block as the provider sent it (see chat_member_reader). Returns nullopt if a client
// has changed the JSON and made it invalid.
std::optional<std::string> piece_of(const block& each) {
  if (each.readable_by != wire_format::openai_chat || each.signature.empty()) return std::nullopt;
  std::string piece = json_unescape(json_raw_string(each.signature));
  simdjson::dom::parser parser;  // the JSON is checked, because a client may have changed it
  simdjson::dom::object object;
  if (parser.parse(piece).get(object) != simdjson::SUCCESS || object.size() == 0) return std::nullopt;
  return piece;
}

// Adds the block's text to an object of `reasoning_details` that was stored without its text.
std::string with_text(const std::string& piece, std::string_view text) {
  const std::string_view own = text.empty() ? std::string_view(R"("")") : text;
  return std::string(R"({"text":)").append(own).append(",").append(piece, piece.find('{') + 1);
}

// Reads the signed reasoning of an assistant's blocks. A signature from Google belongs to the call that follows the
// signature.
carried_members read_carried_members(std::span<const block> blocks) {
  carried_members members;
  std::string pending;
  for (const block& each : blocks) {
    if (each.kind == block_kind::call && !pending.empty()) members.of_calls[&each] = std::exchange(pending, {});
    const auto piece = piece_of(each);
    if (!piece) continue;
    if (const auto extra = json_find(*piece, "extra_content"); extra && json_is_object(*extra)) {
      if (!pending.empty()) members.extra = std::move(pending);
      pending = std::string(*extra);
    } else {
      const bool is_text = json_find(*piece, "type") == R"("reasoning.text")" && !json_find(*piece, "text");
      if (!members.details.empty()) members.details += ",";
      members.details += is_text ? with_text(*piece, each.text) : *piece;
    }
  }
  if (!pending.empty()) members.extra = std::move(pending);
  return members;
}

// Writes the turns of a conversation as messages of a chat request, and appends them to the request's JSON. Consecutive
// texts, reasoning and calls of the assistant become one message. Each tool result is written directly after its call,
// even if the client put it elsewhere.
class message_writer {
 public:
  message_writer(const conversation& said, translated_text& form)
      : said_(said), form_(form), out_(form.json), results_(said) {}

  void write() {
    std::size_t at = write_instructions();
    while (at < said_.turns.size()) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant) write_assistant(each), ++at;
      else at = write_said(at);
    }
  }

 private:
  // A part of a user's message: a text, an image, a file, or audio.
  struct said_piece {
    const block* what;
    bool is_instruction;
  };

  // Messages

  void begin(std::string_view role) {
    out_.append(is_first_ ? "" : ",").append(R"({"role":")").append(role).append(R"(","content":)");
    is_first_ = false;
  }

  // Joins all instructions at the beginning of the conversation into one message. Many chat templates accept only a
  // single system message, and only at the beginning.
  std::size_t write_instructions() {
    std::vector<const block*> texts;
    std::size_t at = 0;
    for (; at < said_.turns.size() && is_instruction(said_.turns[at]); ++at)
      for (const block& each : said_.blocks_of(said_.turns[at])) note_text(each, texts);
    if (texts.empty()) return at;
    begin("system");
    write_joined(texts);
    out_ += "}";
    return at;
  }

  void note_text(const block& each, std::vector<const block*>& texts) {
    if (is_text(each)) texts.push_back(&each);
    else form_.unsupported = "system";
  }

  // Writes all turns between two answers of the assistant as one user message. Many chat templates require alternating
  // roles and accept a system message only at the beginning. Instructions in the middle of the conversation are
  // enclosed in the tags that Claude Code uses for its own instructions. A result without a call becomes the user's
  // text. Returns the index of the next turn.
  std::size_t write_said(std::size_t at) {
    std::vector<said_piece> pieces;
    for (; at < said_.turns.size(); ++at) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant) break;
      for (const block& block : said_.blocks_of(each)) {
        if (block.kind != block_kind::result) pieces.push_back({&block, is_instruction(each)});
        else if (!results_.is_taken(block)) add_left_result(block, pieces);
      }
    }
    if (pieces.empty()) return at;
    begin("user");
    const auto is_plain = [](const said_piece& each) { return is_plain_text(*each.what); };
    // Plain text is written as a string, which every inference engine accepts. Other content is written as a list of
    // parts.
    if (std::all_of(pieces.begin(), pieces.end(), is_plain)) write_text_of(pieces);
    else write_parts_of(pieces);
    out_ += "}";
    return at;
  }

  static bool is_plain_text(const block& each) { return is_text(each) || each.kind == block_kind::result; }

  void add_left_result(const block& result, std::vector<said_piece>& pieces) {
    if (result.parts == 0) pieces.push_back({&result, false});
    for (const block& part : said_.parts_of(result)) pieces.push_back({&part, false});
  }

  void write_text_of(const std::vector<said_piece>& pieces) {
    out_ += "\"";
    const block* last = nullptr;
    for (const auto& [each, is_instruction] : pieces) {
      const std::string_view text = json_raw_string(each->text);
      if (text.empty()) continue;
      if (last != nullptr) out_ += last->item == each->item ? "\\n" : "\\n\\n";
      append_text(text, is_instruction);
      last = each;
    }
    out_ += "\"";
  }

  void append_text(std::string_view raw, bool is_instruction) {
    if (!is_instruction) out_ += raw;
    else out_.append("<system-reminder>\\n").append(raw).append("\\n</system-reminder>");
  }

  void write_parts_of(const std::vector<said_piece>& pieces) {
    out_ += "[";
    const std::size_t begun = out_.size();
    for (const auto& [each, is_instruction] : pieces) {
      if (!is_instruction || !is_plain_text(*each)) {
        write_part(*each, begun);
        continue;
      }
      begin_part(begun);
      out_ += R"({"type":"text","text":")";
      append_text(json_raw_string(each->text), is_instruction);
      out_ += "\"}";
    }
    out_ += "]";
  }

  void begin_part(std::size_t list_begun) {
    if (out_.size() != list_begun) out_ += ",";
  }

  void write_part(const block& each, std::size_t begun) {
    if (is_plain_text(each)) {
      if (each.text.empty() || each.text == R"("")") return;
      begin_part(begun);
      out_.append(R"({"type":"text","text":)").append(or_null(each.text)).append("}");
    } else if (each.kind == block_kind::image) {
      write_image(each, begun);
    } else if (each.kind == block_kind::document) {
      write_document(each, begun);
    } else if (each.kind == block_kind::audio) {
      begin_part(begun);
      out_.append(R"({"type":"input_audio","input_audio":{"data":)").append(or_null(each.media.data));
      out_.append(R"(,"format":)").append(or_null(each.media.type)).append("}}");
    } else {
      form_.unsupported = "content";
    }
  }

  void write_image(const block& each, std::size_t begun) {
    if (each.media.url.empty() && each.media.data.empty()) {
      form_.unsupported = "content.image.file_id";
      return;
    }
    begin_part(begun);
    out_ += R"({"type":"image_url","image_url":{"url":)";
    if (const auto held = read_data_url(json_raw_string(each.media.url))) write_data_url(held->media_type, held->data);
    else if (each.media.url.empty()) write_data_url(each);
    else out_ += each.media.url;
    if (!each.media.detail.empty()) out_.append(R"(,"detail":)").append(each.media.detail);
    out_ += "}}";
  }

  void write_data_url(const block& each) {
    const std::string_view data = json_raw_string(each.media.data);
    write_data_url(media_type_of(json_raw_string(each.media.type), data), data);
  }

  // Writes a data: URL. `data` is the text of a JSON string between its quotes.
  void write_data_url(const std::string& type, std::string_view data) {
    const std::string head = json_quote("data:" + type + ";base64,");
    out_.append(head, 0, head.size() - 1).append(data).append("\"");
  }

  void write_document(const block& each, std::size_t begun) {
    if (!each.text.empty()) {
      begin_part(begun);
      out_.append(R"({"type":"text","text":)").append(each.text).append("}");
    } else if (!each.media.data.empty() || !each.media.file_id.empty()) {
      write_file(each, begun);
    } else {
      form_.unsupported = "content.document.url";
    }
  }

  void write_file(const block& each, std::size_t begun) {
    begin_part(begun);
    out_ += R"({"type":"file","file":{)";
    const block_media& media = each.media;
    if (!media.title.empty() || !media.data.empty())
      out_.append(R"("filename":)").append(media.title.empty() ? R"("document.pdf")" : media.title).append(",");
    if (media.data.empty()) {
      out_.append(R"("file_id":)").append(media.file_id);
    } else {
      out_ += R"("file_data":)";
      if (const auto held = read_data_url(json_raw_string(media.data))) write_data_url(held->media_type, held->data);
      else if (media.type.empty()) out_ += media.data;
      else write_data_url(each);
    }
    out_ += "}}";
  }

  // Joins texts into one JSON string. Texts of the same assistant message are joined directly. Other texts are
  // separated by line ends.
  void write_joined(const std::vector<const block*>& texts, bool is_assistant = false) {
    out_ += "\"";
    const block* last = nullptr;
    for (const block* each : texts) {
      const std::string_view text = json_raw_string(each->text);
      if (text.empty()) continue;
      const bool goes_on = is_assistant && last != nullptr && last->item == each->item;
      if (last != nullptr && !goes_on) out_ += "\\n";
      out_ += text;
      last = each;
    }
    out_ += "\"";
  }

  // The assistant

  void write_assistant(const turn& turn) {
    std::vector<const block*> texts, thoughts, calls;
    for (const block& each : said_.blocks_of(turn)) {
      if (each.is_restored || each.kind == block_kind::hosted) continue;
      if (is_text(each)) texts.push_back(&each);
      else if (each.kind == block_kind::reasoning) thoughts.push_back(&each);
      else if (each.kind == block_kind::call) calls.push_back(&each);
      else if (each.kind != block_kind::opaque) form_.unsupported = "content";
      const bool is_written = (!each.raw.empty() && said_.from == wire_format::openai_chat) ||
                              each.readable_by == wire_format::openai_chat;
      if (!each.signature.empty() && !is_written) form_.drop_once("reasoning.signature");
    }
    if (texts.empty() && calls.empty()) {
      if (!thoughts.empty()) form_.drop_once("reasoning");
      return;
    }
    begin("assistant");
    if (texts.empty()) out_ += "null";
    else write_joined(texts, true);
    if (!thoughts.empty()) {
      out_ += R"(,"reasoning_content":)";
      write_joined(thoughts);
    }
    write_details(turn);
    const carried_members carried = write_carried(turn);
    write_calls(calls, carried);
    out_ += "}";
    for (const block* each : calls) write_result_of(*each);
    flush_media();
  }

  // If the client uses the chat API and sent `reasoning_details`, writes them unchanged.
  void write_details(const turn& turn) {
    if (said_.from != wire_format::openai_chat) return;
    bool is_first = true;
    for (const block& each : said_.blocks_of(turn)) {
      const bool is_detail = each.kind == block_kind::reasoning || each.kind == block_kind::opaque;
      if (!is_detail || each.raw.empty()) continue;
      out_.append(std::exchange(is_first, false) ? R"(,"reasoning_details":[)" : ",").append(each.raw);
    }
    if (!is_first) out_ += "]";
  }

  // Writes the signed reasoning of all providers with a chat API. Later, each attempt removes the reasoning that its
  // own provider did not sign.
  carried_members write_carried(const turn& turn) {
    if (said_.from == wire_format::openai_chat) return {};
    carried_members carried = read_carried_members(said_.blocks_of(turn));
    if (!carried.details.empty()) out_.append(R"(,"reasoning_details":[)").append(carried.details).append("]");
    if (!carried.extra.empty()) out_.append(R"(,"extra_content":)").append(carried.extra);
    return carried;
  }

  void write_calls(const std::vector<const block*>& calls, const carried_members& carried) {
    if (calls.empty()) return;
    out_ += R"(,"tool_calls":[)";
    for (const char* separator = ""; const block* each : calls) {
      out_.append(separator).append(R"({"id":)").append(or_null(each->call_id));
      out_.append(R"(,"type":"function","function":{"name":)");
      out_.append(json_quote(flat_tool_name(each->name_space, each->name))).append(R"(,"arguments":)");
      write_arguments(*each);
      out_ += "}";
      const auto extra = carried.of_calls.find(each);
      if (extra != carried.of_calls.end()) out_.append(R"(,"extra_content":)").append(extra->second);
      out_ += "}";
      separator = ",";
    }
    out_ += "]";
  }

  void write_arguments(const block& call) {
    const bool is_custom = call.called == call_kind::custom;
    if (is_custom) out_ += json_quote(R"({"input":)" + std::string(or_null(call.arguments)) + "}");
    else if (call.arguments == R"("")") out_ += R"("{}")";
    else if (json_is_string(call.arguments)) out_ += call.arguments;
    else out_ += json_quote(call.arguments.empty() ? "{}" : call.arguments);
  }

  // Results

  void write_result_of(const block& call) {
    const block* const result = results_.take(call);
    begin("tool");
    if (result == nullptr) out_ += missing_result;
    else write_result(*result);
    out_.append(R"(,"tool_call_id":)").append(or_null(call.call_id)).append("}");
  }

  // Writes the content of a tool result.
  void write_result(const block& each) {
    if (each.is_error) form_.drop_once("is_error");
    if (each.parts == 0) {
      out_ += each.text.empty() ? std::string_view(R"("")") : each.text;
      return;
    }
    std::vector<const block*> texts;
    for (const block& part : said_.parts_of(each))
      (is_text(part) || is_text_document(part) ? texts : media_).push_back(&part);
    write_joined(texts);
  }

  // Writes the images and files of tool results as a user message after the last result, because a tool message may
  // contain only text.
  void flush_media() {
    if (media_.empty()) return;
    begin("user");
    out_ += "[";
    const std::size_t begun = out_.size();
    for (const block* each : media_) write_part(*each, begun);
    out_ += "]}";
    media_.clear();
  }

  const conversation& said_;
  translated_text& form_;
  std::string& out_;
  bool is_first_ = true;
  paired_results results_;
  std::vector<const block*> media_;  // the images and files of tool results that are not written yet
};

constexpr std::size_t chat_most_stops = 4;  // the maximum number of stop sequences in a request to OpenAI

class chat_form_writer : form_base {
 public:
  explicit chat_form_writer(const conversation& said) : form_base(said) {}

  translated_text write() && {
    if (!begin("{\"messages\":[")) return std::move(form_);
    message_writer(said_, form_).write();
    form_.json += "]";
    write_tools();
    write_choice();
    write_output();
    write_limits();
    write_reasoning();
    write_user();
    write_logprobs();
    form_.json += "}";
    note_dropped();
    return std::move(form_);
  }

 private:
  void write_tools() {
    if (said_.tools.empty()) return;
    form_.json += ",\"tools\":[";
    for (const char* separator = ""; const tool& each : said_.tools) {
      form_.json += separator;
      separator = ",";
      form_.json += R"({"type":"function","function":{"name":)";
      form_.json += json_quote(flat_tool_name(each.name_space, each.name));
      member("description", each.description);
      member("parameters", input_schema(each));
      note_schema(each);
      if (each.kind != call_kind::custom) member("strict", each.strict);
      form_.json += "}}";
    }
    form_.json += "]";
    if (said_.parallel_calls == false) form_.json += R"(,"parallel_tool_calls":false)";
  }

  void write_choice() {
    if (said_.tools.empty()) return;
    const tool_choice& choice = said_.choice;
    if (choice.kind == choice_kind::none) member("tool_choice", R"("none")");
    if (choice.kind == choice_kind::automatic) member("tool_choice", R"("auto")");
    if (choice.kind == choice_kind::required) member("tool_choice", R"("required")");
    if (choice.kind == choice_kind::named)
      member("tool_choice", R"({"type":"function","function":{"name":)" +
                                json_quote(flat_tool_name(choice.name_space, choice.name)) + "}}");
  }

  void write_output() {
    const output_format& output = said_.output;
    if (output.kind == output_kind::json_object) member("response_format", R"({"type":"json_object"})");
    if (output.kind != output_kind::json_schema) return;
    form_.json += R"(,"response_format":{"type":"json_schema","json_schema":{"name":)";
    form_.json += output.name.empty() ? std::string_view(R"("answer")") : output.name;
    member("description", output.description);
    member("schema", output.schema);
    member("strict", output.strict);
    form_.json += "}}";
  }

  void write_limits() {
    member("temperature", said_.sampling.temperature);
    member("top_p", said_.sampling.top_p);
    member("max_tokens", said_.sampling.max_tokens);
    if (!said_.sampling.top_k.empty()) drop("top_k");
    std::size_t stops = 0;
    for (json_walk walk(said_.sampling.stop); json_is_array(said_.sampling.stop) && walk.next_element();) ++stops;
    if (stops > chat_most_stops) form_.unsupported = "stop_sequences";
    const bool is_said = json_is_string(said_.sampling.stop) || stops > 0;
    if (is_said) member("stop", said_.sampling.stop);
  }

  void write_reasoning() {
    // Clients of the Messages API often turn thinking off, even for models that never think. OpenAI's dialect sends the
    // member `thinking` only to models that can think.
    const bool is_off = said_.from == wire_format::anthropic_messages && said_.effort == R"("none")";
    if (is_off) return member("thinking", R"({"type":"disabled"})");
    // OpenAI's dialect later adapts the effort to the model.
    if (json_is_string(said_.effort)) member("reasoning_effort", said_.effort);
    else if (said_.reasoning_budget) member("reasoning_effort", json_quote(effort_of_budget(*said_.reasoning_budget)));
  }

  void write_user() {
    if (json_is_string(said_.user)) member("user", user_within_limit(said_.user));
    if (json_is_string(said_.service_tier)) member("service_tier", said_.service_tier);
  }

  // Writes the members that request log probabilities. Clients of the Responses API request them with `include` and
  // `top_logprobs`.
  void write_logprobs() {
    std::string_view alternatives;
    bool is_asked = false;
    for (const json_member& each : said_.others) {
      if (json_key_is(each.raw_key, "include")) is_asked = true;
      if (json_key_is(each.raw_key, "top_logprobs")) alternatives = each.value;
    }
    if (!is_asked) return;
    member("logprobs", "true");
    member("top_logprobs", alternatives);
  }

  bool is_logprobs(const json_member& each) const {
    const bool asks = std::any_of(said_.others.begin(), said_.others.end(),
                                  [](const json_member& one) { return json_key_is(one.raw_key, "include"); });
    return json_key_is(each.raw_key, "include") || (asks && json_key_is(each.raw_key, "top_logprobs"));
  }

  void note_dropped() {
    drop_hints();
    for (const json_member& each : said_.others)
      if (is_meaningful(each.raw_key, each.value) && !is_logprobs(each)) drop(each.raw_key);
  }
};

}  // namespace

translated_text write_chat(const conversation& said) { return chat_form_writer(said).write(); }

std::string_view effort_of_budget(std::int64_t tokens) {
  constexpr std::int64_t most_low = 2048, most_medium = 8192;
  if (tokens <= most_low) return "low";
  return tokens <= most_medium ? "medium" : "high";
}

}  // namespace photofinish::proxy

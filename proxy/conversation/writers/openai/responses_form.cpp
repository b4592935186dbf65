#include "proxy/conversation/writers/openai/responses_form.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/paired_results.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/conversation/writers/openai/openai_limits.hpp"
#include "proxy/conversation/writers/openai/other_members.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/values/data_url.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {
namespace {

constexpr std::size_t longest_id = 64;  // the maximum length of a call's id in the Responses API, in characters
// The name of the cache mark in content parts. OpenAI's chat and Responses APIs both use it.
constexpr std::string_view cache_mark = "prompt_cache_breakpoint";

std::string text_part(std::string_view type, std::string_view key, std::string_view text) {
  std::string part = R"({"type":")";
  return part.append(type).append(R"(",")").append(key).append("\":").append(text).append("}");
}

// Returns a data: URL. `data` is the text of a JSON string between its quotes.
std::string data_url(const std::string& type, std::string_view data) {
  std::string url = json_quote("data:" + type + ";base64,");
  url.pop_back();
  return url.append(data).append("\"");
}

std::string data_url(const block& each) {
  const std::string_view data = json_raw_string(each.media.data);
  return data_url(media_type_of(json_raw_string(each.media.type), data), data);
}

// Returns the client's URL as a JSON string. A data: URL is rewritten to the spelling that the API accepts.
std::string plain_url(std::string_view quoted) {
  const auto held = read_data_url(json_raw_string(quoted));
  return held ? data_url(held->media_type, held->data) : std::string(quoted);
}

// Writes the turns of a conversation as the instructions and input items of a Responses request, and appends them to
// the request's JSON. The results of consecutive calls are written directly after the calls, wherever the client put
// them. Missing results are replaced by a fixed text.
class item_writer {
 public:
  item_writer(const conversation& said, translated_text& form)
      : said_(said), form_(form), out_(form.json), results_(said) {}

  void write() {
    const std::size_t first = write_instructions();
    out_ += R"("input":[)";
    if (first == said_.turns.size()) write_message(speaker::developer, instructions_of(first));
    for (std::size_t at = first; at < said_.turns.size(); ++at) write_turn(said_.turns[at]);
    out_ += "]";
  }

 private:
  // Instructions

  std::vector<const block*> instructions_of(std::size_t turns) {
    std::vector<const block*> texts;
    for (std::size_t at = 0; at < turns; ++at)
      for (const block& each : said_.blocks_of(said_.turns[at]))
        if (!is_text(each)) form_.unsupported = "system";
        else if (!json_raw_string(each.text).empty()) texts.push_back(&each);
    return texts;
  }

  // Writes the instructions at the beginning of the conversation. Returns the index of the first turn after them. If
  // there is no such turn, the instructions become the input, which may not be empty.
  std::size_t write_instructions() {
    std::size_t end = 0;
    while (end < said_.turns.size() && is_instruction(said_.turns[end])) ++end;
    const std::vector<const block*> texts = instructions_of(end);
    if (texts.empty() || end == said_.turns.size()) return end;
    out_ += R"("instructions":")";
    for (const char* separator = ""; const block* each : texts) {
      out_.append(separator).append(json_raw_string(each->text));
      separator = "\\n";
    }
    out_ += "\",";
    return end;
  }

  // Items

  void begin_item() { out_.append(std::exchange(is_first_, false) ? "" : ","); }

  void write_turn(const turn& each) {
    if (each.who == speaker::assistant) return write_assistant(each);
    if (each.who == speaker::tool) return write_left_results(each);
    std::vector<const block*> blocks;
    for (const block& block : said_.blocks_of(each)) blocks.push_back(&block);
    write_message(each.who, blocks);
  }

  void write_message(speaker who, const std::vector<const block*>& blocks) {
    std::string parts;
    for (const block* each : blocks) append_parts(*each, parts);
    if (parts.empty()) return;
    const std::string_view role = who == speaker::system      ? "system"
                                  : who == speaker::developer ? "developer"
                                                              : "user";
    begin_item();
    out_.append(R"({"type":"message","role":")").append(role).append(R"(","content":[)").append(parts).append("]}");
  }

  // Content

  void append_parts(const block& each, std::string& parts) {
    const std::string part = part_of(each);
    if (part.empty()) return;
    parts.append(parts.empty() ? "" : ",").append(part);
    const auto mark = said_.from == wire_format::openai_chat ? json_find(each.raw, cache_mark) : std::nullopt;
    if (mark) parts.replace(parts.size() - 1, 1, ",\"" + std::string(cache_mark) + "\":" + std::string(*mark) + "}");
  }

  std::string part_of(const block& each) {
    if (is_text(each) && json_raw_string(each.text).empty()) return {};
    if (is_text(each)) return text_part("input_text", "text", each.text);
    if (each.kind == block_kind::image) return image_of(each);
    if (each.kind == block_kind::document) return file_of(each);
    form_.unsupported = each.kind == block_kind::audio ? "content.audio" : "content";
    return {};
  }

  std::string image_of(const block& each) {
    std::string part = R"({"type":"input_image",)";
    if (!each.media.url.empty()) part.append(R"("image_url":)").append(plain_url(each.media.url));
    else if (!each.media.data.empty()) part.append(R"("image_url":)").append(data_url(each));
    else return form_.unsupported = "content.image.file_id", std::string();
    if (!each.media.detail.empty()) part.append(R"(,"detail":)").append(each.media.detail);
    return part.append("}");
  }

  // Returns the JSON of a document. A file id is valid only in the account that uploaded the file. Therefore, file ids
  // are sent only if the client uses one of OpenAI's APIs.
  std::string file_of(const block& each) {
    if (!each.text.empty()) return text_part("input_text", "text", each.text);
    if (!each.media.data.empty()) {
      std::string part = R"({"type":"input_file","filename":)";
      part.append(each.media.title.empty() ? R"("document.pdf")" : each.media.title).append(R"(,"file_data":)");
      return part.append(each.media.type.empty() ? plain_url(each.media.data) : data_url(each)).append("}");
    }
    if (!each.media.url.empty()) {
      note_title(each);
      return text_part("input_file", "file_url", each.media.url);
    }
    if (said_.from == wire_format::anthropic_messages || each.media.file_id.empty()) {
      form_.unsupported = each.media.file_id.empty() ? "content.document" : "content.document.file_id";
      return {};
    }
    return text_part("input_file", "file_id", each.media.file_id);
  }

  // Records that a document's title is dropped. The Responses API does not accept a title for a file with a URL.
  void note_title(const block& each) {
    if (!json_raw_string(each.media.title).empty()) form_.drop_once("content.document.title");
  }

  // The assistant

  // Writes an assistant's turn. Each reasoning item is written before the text or call that followed the reasoning.
  // Reasoning at the end of a turn is dropped, because the API requires another item after it.
  void write_assistant(const turn& turn) {
    std::string texts, thoughts, summary;
    for (const block& each : said_.blocks_of(turn)) {
      if (each.kind == block_kind::hosted) continue;
      if (each.kind == block_kind::reasoning || each.kind == block_kind::opaque) {
        write_texts(texts);
        note_thought(each, thoughts, summary);
        continue;
      }
      if (!summary.empty()) form_.drop_once("reasoning"), summary.clear();
      if (is_text(each)) {
        if (json_raw_string(each.text).empty()) continue;
        write_outputs();
        put_item(thoughts);
        const bool is_refusal = each.kind == block_kind::refusal;
        texts.append(texts.empty() ? "" : ",");
        texts += text_part(is_refusal ? "refusal" : "output_text", is_refusal ? "refusal" : "text", each.text);
      } else if (each.kind == block_kind::call) {
        write_texts(texts);
        put_item(thoughts);
        write_call(each);
      } else {
        form_.unsupported = "content";
      }
    }
    write_texts(texts);
    if (!thoughts.empty() || !summary.empty()) form_.drop_once("reasoning");
    write_outputs();
  }

  // Writes a reasoning item for a block with encrypted reasoning. The texts of reasoning before this block become the
  // item's summary.
  void note_thought(const block& each, std::string& thoughts, std::string& summary) {
    const bool is_own = each.readable_by == wire_format::openai_responses;
    const bool is_signed = !json_raw_string(each.signature).empty();
    if (!is_own) return form_.drop_once("reasoning");
    if (!json_raw_string(each.text).empty())
      summary.append(summary.empty() ? "" : ",").append(text_part("summary_text", "text", each.text));
    if (!is_signed) return;
    thoughts.append(thoughts.empty() ? "" : ",").append(R"({"type":"reasoning",)").append(own_id_of(each));
    thoughts.append(R"("summary":[)").append(summary);
    thoughts.append(R"(],"encrypted_content":)").append(each.signature).append("}");
    summary.clear();
  }

  // Returns the id of a reasoning item. OpenAI accepts encrypted reasoning with its original id or without an id, but
  // not with a different id. Strict servers of this API require an id. OpenAI refuses repeated ids, so if several items
  // have the same id, only the first one keeps the id.
  std::string own_id_of(const block& thought) {
    const bool is_new = !json_raw_string(thought.id).empty() && thoughts_.insert(thought.id).second;
    return is_new ? R"("id":)" + std::string(thought.id) + "," : std::string();
  }

  void put_item(std::string& items) {
    if (items.empty()) return;
    begin_item();
    out_ += std::exchange(items, {});
  }

  void write_texts(std::string& texts) {
    if (texts.empty()) return;
    begin_item();
    out_.append(R"({"type":"message","role":"assistant","content":[)").append(std::exchange(texts, {})).append("]}");
  }

  void write_call(const block& each) {
    const bool is_custom = each.called == call_kind::custom;
    const std::string id = id_for(each);
    begin_item();
    out_.append(is_custom ? R"({"type":"custom_tool_call","call_id":)" : R"({"type":"function_call","call_id":)");
    out_.append(json_quote(id)).append(R"(,"name":)").append(json_quote(flat_tool_name(each.name_space, each.name)));
    out_.append(is_custom ? R"(,"input":)" : R"(,"arguments":)");
    const bool is_empty = each.arguments.empty() || each.arguments == R"("")";
    if (is_custom) out_ += is_empty ? std::string_view(R"("")") : each.arguments;
    else if (is_empty) out_ += R"("{}")";
    else if (json_is_string(each.arguments)) out_ += each.arguments;
    else out_ += json_quote(each.arguments);
    out_ += "}";
    calls_.push_back({&each, id});
  }

  // Returns an id for a call. The id is unique in the request and short enough for the API. If the id must be
  // shortened, a hash replaces the removed characters.
  std::string id_for(const block& call) {
    std::string id = text_of_id(call.call_id);
    if (id.empty()) id = "call";
    if (id.size() > longest_id) {
      const std::string hash = short_hash(id);
      id.resize(longest_id - hash.size());
      while (!id.empty() && (static_cast<unsigned char>(id.back()) & 0xc0) == 0x80) id.pop_back();
      if (!id.empty() && static_cast<unsigned char>(id.back()) >= 0xc0) id.pop_back();
      id += hash;
    }
    std::string made = id;
    std::size_t& number = repeated_.try_emplace(id, 0).first->second;
    while (!ids_.insert(made).second) {
      const std::string end = "_" + std::to_string(++number);
      made = id.substr(0, longest_id - end.size()) + end;
    }
    return made;
  }

  // Outputs

  struct open_call {
    const block* call;
    std::string id;
  };

  void write_outputs() {
    for (const open_call& each : calls_) {
      const bool is_custom = each.call->called == call_kind::custom;
      const block* const result = results_.take(*each.call);
      if (result != nullptr && result->is_error) form_.drop_once("is_error");
      begin_item();
      out_.append(is_custom ? R"({"type":"custom_tool_call_output",)" : R"({"type":"function_call_output",)");
      out_.append(R"("call_id":)").append(json_quote(each.id)).append(R"(,"output":)");
      write_output(result);
      out_ += "}";
    }
    calls_.clear();
  }

  // Plain text is written as a string, which every inference engine accepts. Other content is written as a list of
  // parts.
  void write_output(const block* result) {
    if (result == nullptr) {
      out_ += missing_result;
      return;
    }
    if (result->parts == 0) {
      out_ += json_is_string(result->text) ? result->text : std::string_view(R"("")");
      return;
    }
    const auto parts = said_.parts_of(*result);
    std::string list;
    if (!std::all_of(parts.begin(), parts.end(), is_text)) {
      for (const block& each : parts) append_parts(each, list);
      out_.append("[").append(list).append("]");
      return;
    }
    for (const block& each : parts) {
      const std::string_view text = json_raw_string(each.text);
      if (!text.empty()) list.append(list.empty() ? "" : "\\n").append(text);
    }
    out_.append("\"").append(list).append("\"");
  }

  // Writes a tool result as the user's text if the result's call is missing or already has another result.
  void write_left_results(const turn& turn) {
    for (const block& each : said_.blocks_of(turn)) {
      if (results_.is_taken(each)) continue;
      std::string parts;
      if (!json_raw_string(each.text).empty()) parts = text_part("input_text", "text", each.text);
      for (const block& part : said_.parts_of(each)) append_parts(part, parts);
      if (parts.empty()) continue;
      begin_item();
      out_.append(R"({"type":"message","role":"user","content":[)").append(parts).append("]}");
    }
  }

  const conversation& said_;
  translated_text& form_;
  std::string& out_;
  bool is_first_ = true;
  std::vector<open_call> calls_;  // the calls whose outputs are not written yet
  std::set<std::string> ids_;
  std::set<std::string_view> thoughts_;  // the ids of the reasoning items written so far, as raw JSON
  // the last number that was appended to each repeated id to make it unique; the key is the repeated id
  std::map<std::string, std::size_t> repeated_;
  paired_results results_;
};

constexpr std::int64_t least_output = 16;  // the smallest output limit that OpenAI accepts, in tokens

// Members that have the same name and format in the chat API and the Responses API.
constexpr std::array<std::string_view, 5> shared{"metadata", "prompt_cache_key", "prompt_cache_options",
                                                 "prompt_cache_retention", "safety_identifier"};

// Penalties affect only the style of an answer. The Responses API does not have penalties.
constexpr std::array<std::string_view, 2> penalties{"frequency_penalty", "presence_penalty"};

class responses_form_writer : form_base {
 public:
  explicit responses_form_writer(const conversation& said) : form_base(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    item_writer(said_, form_).write();
    write_tools();
    write_choice();
    write_output();
    write_limits();
    write_reasoning();
    write_logprobs();
    if (!include_.empty()) member("include", "[" + include_ + "]");
    write_user();
    member("store", "false");
    drop_hints();
    std::erase(form_.dropped, "tools[].format");  // write_grammar() writes this member, so the member is not dropped
    for (const json_member& each : said_.others) write_other(each);
    form_.json += "}";
    return std::move(form_);
  }

 private:
  std::string include_;  // the elements of the member `include`, separated by commas

  bool is_chat() const { return said_.from == wire_format::openai_chat; }

  // Writes the tools. `strict` is always written, because OpenAI's default is true.
  void write_tools() {
    if (said_.tools.empty()) return;
    form_.json += R"(,"tools":[)";
    for (const char* separator = ""; const tool& each : said_.tools) {
      const bool is_custom = each.kind == call_kind::custom;
      form_.json.append(separator).append(is_custom ? R"({"type":"custom","name":)" : R"({"type":"function","name":)");
      form_.json += json_quote(flat_tool_name(each.name_space, each.name));
      if (json_is_string(each.description)) member("description", each.description);
      if (!is_custom) {
        member("parameters", argument_schema(each.parameters));
        note_schema(each);
        member("strict", each.strict == "true" ? "true" : "false");
      } else if (json_is_object(each.grammar)) {
        write_grammar(object_members(each.grammar));
      }
      form_.json += "}";
      separator = ",";
    }
    form_.json += "]";
    if (said_.parallel_calls) member("parallel_tool_calls", *said_.parallel_calls ? "true" : "false");
  }

  void write_grammar(const object_members& grammar) {
    if (!json_is_string(grammar["syntax"]) || !json_is_string(grammar["definition"])) return;
    form_.json.append(R"(,"format":{"type":"grammar","syntax":)").append(grammar["syntax"]);
    form_.json.append(R"(,"definition":)").append(grammar["definition"]).append("}");
  }

  void write_choice() {
    if (said_.tools.empty()) return;
    const tool_choice& choice = said_.choice;
    if (choice.kind == choice_kind::none) member("tool_choice", R"("none")");
    if (choice.kind == choice_kind::automatic) member("tool_choice", R"("auto")");
    if (choice.kind == choice_kind::required) member("tool_choice", R"("required")");
    if (choice.kind == choice_kind::named)
      member("tool_choice",
             R"({"type":")" + std::string(names_custom_tool(choice) ? "custom" : "function") + R"(","name":)" +
                 json_quote(flat_tool_name(choice.name_space, choice.name)) + "}");
  }

  bool names_custom_tool(const tool_choice& choice) const {
    return std::any_of(said_.tools.begin(), said_.tools.end(), [&choice](const tool& each) {
      return each.kind == call_kind::custom && each.name == choice.name && each.name_space == choice.name_space;
    });
  }

  void write_output() {
    const output_format& output = said_.output;
    std::string text;
    if (output.kind == output_kind::json_object) text = R"("format":{"type":"json_object"})";
    if (output.kind == output_kind::json_schema) {
      text = R"("format":{"type":"json_schema","name":)";
      text += output.name.empty() ? std::string_view(R"("answer")") : output.name;
      if (json_is_string(output.description)) text.append(R"(,"description":)").append(output.description);
      text.append(R"(,"schema":)").append(output.schema.empty() ? "{}" : output.schema);
      text.append(R"(,"strict":)").append(output.strict == "true" ? "true" : "false").append("}");
    }
    if (const std::string_view verbosity = other("verbosity"); json_is_string(verbosity))
      text.append(text.empty() ? "" : ",").append(R"("verbosity":)").append(verbosity);
    if (!text.empty()) member("text", "{" + text + "}");
  }

  void write_limits() {
    member("temperature", said_.sampling.temperature);
    member("top_p", said_.sampling.top_p);
    if (!said_.sampling.top_k.empty()) drop("top_k");
    const std::string_view asked = said_.sampling.max_tokens;
    const bool is_little = parse_leading_number<std::int64_t>(asked).value_or(least_output) < least_output;
    if (is_little) drop("max_tokens");
    member("max_output_tokens", is_little ? std::string_view("16") : asked);
    const std::string_view stop = said_.sampling.stop;
    const bool stops = json_is_string(stop) || (json_is_array(stop) && json_walk(stop).next_element());
    if (stops) drop("stop");  // omitting stop sequences only makes the answer longer
  }

  // Writes the reasoning settings. The request asks for a summary of the reasoning, because clients cannot see any
  // other text of the reasoning.
  void write_reasoning() {
    std::string effort;
    // OpenAI's dialect later adapts the effort to the model.
    if (json_is_string(said_.effort)) effort = said_.effort;
    else if (said_.reasoning_budget) effort = json_quote(effort_of_budget(*said_.reasoning_budget));
    if (effort.empty()) return;
    if (effort == R"("none")") return member("reasoning", R"({"effort":"none"})");
    member("reasoning", R"({"effort":)" + effort + R"(,"summary":"auto"})");
    include_ = R"("reasoning.encrypted_content")";
  }

  void write_logprobs() {
    if (other("logprobs") != "true") return;
    include_.append(include_.empty() ? "" : ",").append(R"("message.output_text.logprobs")");
    member("top_logprobs", other("top_logprobs"));
  }

  void write_user() {
    if (json_is_string(said_.user)) member("user", user_within_limit(said_.user));
    if (json_is_string(said_.service_tier)) member("service_tier", said_.service_tier);
  }

  std::string_view other(std::string_view key) const {
    for (const json_member& each : said_.others)
      if (is_chat() && json_key_is(each.raw_key, key)) return each.value;
    return {};
  }

  void write_other(const json_member& each) {
    // `verbosity` and the members for log probabilities are skipped here, because other functions write them.
    for (const std::string_view key : {"verbosity", "logprobs", "top_logprobs"})
      if (is_chat() && json_key_is(each.raw_key, key)) return;
    for (const std::string_view key : shared)
      if (is_chat() && json_key_is(each.raw_key, key)) return member(key, each.value);
    if (!says_something(each)) return;
    for (const std::string_view key : penalties)
      if (json_key_is(each.raw_key, key)) return drop(key);
    if (const std::string_view need = need_in(each); !need.empty()) form_.unsupported = need;
    else drop(each.raw_key);
  }
};

}  // namespace

translated_text write_responses(const conversation& said) { return responses_form_writer(said).write(); }

}  // namespace photofinish::proxy

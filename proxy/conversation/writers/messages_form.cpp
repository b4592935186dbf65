#include "proxy/conversation/writers/messages_form.hpp"

#include "proxy/conversation/output_schema.hpp"
#include "proxy/conversation/writers/alternating_turns.hpp"
#include "proxy/conversation/writers/form_writer.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/base64.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::size_t anthropic_longest_user = 256;  // the maximum size of a user's name in Anthropic's API, in bytes
constexpr std::int64_t anthropic_least_budget = 1024;  // Anthropic's minimum thinking budget in tokens

constexpr std::string_view pdf = "application/pdf";

std::string base64_source(std::string_view quoted_type, std::string_view raw_data) {
  std::string source = R"("source":{"type":"base64","media_type":)";
  return source.append(quoted_type).append(R"(,"data":")").append(raw_data).append("\"}");
}

std::string url_source(std::string_view quoted_url) {
  return std::string(R"("source":{"type":"url","url":)").append(quoted_url).append("}");
}

constexpr character_set messages_id_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"};

class messages_turns final : public alternating_turns {
 public:
  messages_turns(const conversation& said, translated_text& form)
      : alternating_turns(said, form, {messages_id_letters}) {}

 private:
  std::string text_block(std::string_view text, const block& of) override {
    std::string made = R"({"type":"text","text":)";
    made.append(text);
    return made.append(is_text(of) ? cache_mark_of(of) : std::string()).append("}");
  }

  static std::string cache_mark_of(const block& each) {
    return each.cache_mark.empty() ? std::string() : R"(,"cache_control":)" + std::string(each.cache_mark);
  }

  std::string media(const block& each) override {
    std::string made = media_block(each);
    if (!made.empty()) made.insert(made.size() - 1, cache_mark_of(each));
    return made;
  }

  // Returns the JSON of reasoning that a Claude model signed. Other reasoning is not sent,
  // because Claude cannot read it.
  std::string thought(const block& each) override {
    if (each.readable_by != wire_format::anthropic_messages) return {};
    if (each.kind == block_kind::opaque)
      return R"({"type":"redacted_thinking","data":)" + std::string(each.signature) + "}";
    const std::string_view text = each.text.empty() ? std::string_view(R"("")") : each.text;
    return R"({"type":"thinking","thinking":)" + std::string(text) + R"(,"signature":)" + std::string(each.signature) +
           "}";
  }

  std::string call_block(const std::string& id, std::string_view name, std::string_view arguments) override {
    std::string made = R"({"type":"tool_use","id":")" + id + R"(","name":)" + json_quote(name);
    return made.append(R"(,"input":)").append(arguments).append("}");
  }

  std::string result_block(const std::string& id, const block* result) override {
    std::string made = R"({"type":"tool_result","tool_use_id":")" + id + "\"";
    if (result == nullptr) return made.append(R"(,"content":)").append(missing_result).append(R"(,"is_error":true})");
    const std::string parts = parts_of(*result);
    if (!parts.empty()) made.append(R"(,"content":[)").append(parts).append("]");
    else if (json_is_string(result->text)) made.append(R"(,"content":)").append(result->text);
    if (result->is_error) made.append(R"(,"is_error":true)");
    made += cache_mark_of(*result);
    return made.append("}");
  }

  // Media

  std::string media_block(const block& each) {
    if (each.kind == block_kind::image) return image_block(each);
    if (each.kind == block_kind::document) return document_block(each);
    return unsaid(each.kind == block_kind::audio ? "content.audio" : "content");
  }

  std::string image_block(const block& each) {
    constexpr std::string_view begin = R"({"type":"image",)";
    const inline_media media = media_of(each);
    if (!media.data.empty() && media.media_type.empty()) return unsaid("content.image.media_type");
    if (!media.data.empty())
      return std::string(begin) + base64_source(json_quote(media.media_type), media.data) + "}";
    if (is_web_address(json_raw_string(each.media.url))) return std::string(begin) + url_source(each.media.url) + "}";
    return unsaid(each.media.file_id.empty() ? "content.image.url" : "content.image.file_id");
  }

  // Returns the source of a document. Plain text is sent unencoded, because Anthropic permits base64 for PDF only.
  std::string document_source(const block& each) {
    const inline_media media = media_of(each);
    const std::string& type = media.media_type;
    if (!media.data.empty() && type.starts_with("text/")) {
      const std::string text = base64_decoded(json_unescape(media.data));
      return R"("source":{"type":"text","media_type":"text/plain","data":)" + json_quote(valid_utf8(text)) + "}";
    }
    if (!media.data.empty() && (type.empty() || type == pdf)) return base64_source(json_quote(pdf), media.data);
    if (!each.text.empty())
      return std::string(R"("source":{"type":"text","media_type":"text/plain","data":)").append(each.text).append("}");
    if (is_web_address(json_raw_string(each.media.url))) return url_source(each.media.url);
    return unsaid(!media.data.empty() ? "content.document.media_type"
                  : each.media.file_id.empty() ? "content.document" : "content.document.file_id");
  }

  std::string document_block(const block& each) {
    std::string source = document_source(each);
    if (source.empty()) return {};
    std::string block = R"({"type":"document",)" + source;
    if (json_is_string(each.media.title)) block.append(R"(,"title":)").append(each.media.title);
    return block.append("}");
  }
};

class messages_form_writer : form_writer {
 public:
  explicit messages_form_writer(const conversation& said) : form_writer(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    messages_turns(said_, form_).write();
    write_tools();
    write_choice();
    write_thinking();
    write_output();
    write_limits();
    write_user();
    write_speed();
    member("cache_control", said_.cache_mark);
    form_.json += "}";
    note_others();
    // the request contains all cache marks of the client, so none was dropped
    std::erase(form_.dropped, "cache_control");
    return std::move(form_);
  }

 private:
  // Tools

  void write_tools() {
    if (said_.tools.empty()) return write_tools_of_history();
    form_.json += R"(,"tools":[)";
    for (const char* separator = ""; const tool& each : said_.tools) {
      form_.json.append(separator).append(R"({"name":)");
      form_.json += json_quote(flat_tool_name(each.name_space, each.name));
      if (json_is_string(each.description)) member("description", each.description);
      member("input_schema", input_schema(each));
      member("cache_control", each.cache_mark);
      form_.json += "}";
      separator = ",";
      if (each.strict == "true") drop("tools[].strict");
      note_schema(each);
    }
    form_.json += "]";
  }

  void write_tools_of_history() {
    const std::set<std::string> names = names_of_calls();
    if (names.empty()) return;
    form_.json += R"(,"tools":[)";
    for (const char* separator = ""; const std::string& each : names) {
      form_.json.append(separator).append(R"({"name":)").append(json_quote(each)).append(R"(,"input_schema":)");
      form_.json.append(any_object_schema).append("}");
      separator = ",";
    }
    form_.json += R"(],"tool_choice":{"type":"none"})";
  }

  void write_choice() {
    if (said_.tools.empty()) return;
    const bool is_single = said_.parallel_calls == false;
    std::string choice;
    switch (said_.choice.kind) {
      case choice_kind::none: return member("tool_choice", R"({"type":"none"})");
      case choice_kind::unset:
        if (!is_single) return;
        [[fallthrough]];
      case choice_kind::automatic: choice = R"({"type":"auto")"; break;
      case choice_kind::required: choice = R"({"type":"any")"; break;
      case choice_kind::named:
        choice = R"({"type":"tool","name":)" + json_quote(flat_tool_name(said_.choice.name_space, said_.choice.name));
        break;
    }
    if (is_single) choice += R"(,"disable_parallel_tool_use":true)";
    member("tool_choice", choice + "}");
  }

  // Thinking

  // Returns the effort as a value of Anthropic's API. The lowest value is `low`.
  std::string_view effort() const {
    const std::string_view asked = json_raw_string(said_.effort);
    return asked == "minimal" ? std::string_view("low") : asked;
  }

  // True if the client set a thinking budget in tokens and no effort. Some models do not accept a number of tokens. For
  // these models, Anthropic's dialect later replaces the number with an effort.
  bool has_budget() const { return effort().empty() && said_.reasoning_budget.has_value(); }

  bool thinks() const {
    return (has_budget() || (!effort().empty() && effort() != "none")) && !forces_a_call();
  }

  // Writes the thinking setting. Anthropic refuses thinking together with a forced tool call. Clients show the text of
  // the thinking, but the newest models omit this text by default. Therefore, the request asks for it.
  void write_thinking() {
    if (effort() == "none") return member("thinking", R"({"type":"disabled"})");
    if (!thinks()) return;
    if (!has_budget()) return member("thinking", R"({"type":"adaptive","display":"summarized"})");
    const std::int64_t budget = std::max(*said_.reasoning_budget, anthropic_least_budget);
    if (budget != *said_.reasoning_budget) drop("thinking");
    member("thinking", R"({"type":"enabled","budget_tokens":)" + std::to_string(budget) + "}");
  }

  // Returns the effort for the request. If a forced tool call prevents thinking, the effort is derived from the
  // thinking budget.
  std::string_view written_effort() const {
    if (has_budget()) return forces_a_call() ? effort_of_budget(*said_.reasoning_budget) : std::string_view{};
    return effort() == "none" ? std::string_view{} : effort();
  }

  void write_output() {
    std::string config;
    if (!written_effort().empty()) config = R"("effort":)" + json_quote(json_unescape(written_effort()));
    if (said_.output.kind == output_kind::json_object) form_.unsupported = "response_format";
    if (said_.output.kind == output_kind::json_schema) {
      narrowed_schema schema = narrow_schema(said_.output.schema);
      if (schema.has_lost) drop("response_format.json_schema");
      config.append(config.empty() ? "" : ",").append(R"("format":{"type":"json_schema","schema":)");
      config.append(schema.json).append("}");
    }
    if (!config.empty()) member("output_config", "{" + config + "}");
  }

  // Writes `speed: fast` if the client asks for it. A request cannot choose Anthropic's other service tiers.
  void write_speed() {
    if (said_.service_tier == R"("fast")") member("speed", said_.service_tier);
    else if (is_meaningful("service_tier", said_.service_tier)) drop("service_tier");
  }

  // Limits

  void write_limits() {
    member("max_tokens", said_.sampling.max_tokens);
    write_sampling("temperature", said_.sampling.temperature);
    write_sampling("top_p", said_.sampling.top_p);
    write_sampling("top_k", said_.sampling.top_k);
    member("stop_sequences", stop_list());
  }

  // Writes a sampling parameter unless thinking is on, because models accept no sampling parameters while they think.
  void write_sampling(std::string_view key, std::string_view value) {
    if (thinks() && number_in(value) && is_meaningful(key, value)) return drop(key);
    if (!thinks()) member(key, key == "top_k" && number_in(value) ? value : up_to_one(value));
  }

  void write_user() {
    if (!json_is_string(said_.user)) return;
    if (said_.user.size() <= anthropic_longest_user + 2)
      member("metadata", R"({"user_id":)" + std::string(said_.user) + "}");
    else drop("user");
  }
};

}  // namespace

translated_text write_messages(const conversation& said) { return messages_form_writer(said).write(); }

}  // namespace photofinish::proxy

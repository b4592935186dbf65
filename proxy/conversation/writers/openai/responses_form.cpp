#include "proxy/conversation/writers/openai/responses_form.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/conversation/writers/openai/openai_limits.hpp"
#include "proxy/conversation/writers/openai/other_members.hpp"
#include "proxy/conversation/writers/openai/responses_items.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace photofinish::proxy {
namespace {

constexpr std::int64_t least_output = 16;  // OpenAI's limit: fewer tokens are 400

// Members of chat that are the same in Responses.
constexpr std::array<std::string_view, 5> shared{"metadata", "prompt_cache_key", "prompt_cache_options",
                                                 "prompt_cache_retention", "safety_identifier"};

// They color an answer, and this API has no words for them.
constexpr std::array<std::string_view, 2> penalties{"frequency_penalty", "presence_penalty"};

class responses_form_writer : form_base {
 public:
  explicit responses_form_writer(const conversation& said) : form_base(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    write_response_items(said_, form_);
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
    std::erase(form_.dropped, "tools[].format");  // see write_grammar()
    for (const json_member& each : said_.others) write_other(each);
    form_.json += "}";
    return std::move(form_);
  }

 private:
  std::string include_;  // JSON, with commas between them

  bool is_chat() const { return said_.from == wire_format::openai_chat; }

  // A tool that says nothing of `strict` would be a strict one.
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
    if (stops) drop("stop");  // the answer is a longer one
  }

  // The summary is all that a client can be shown of it.
  void write_reasoning() {
    std::string effort;
    if (json_is_string(said_.effort)) effort = said_.effort;  // a dialect fits it to the model
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
    if (json_is_string(said_.service_tier) && is_chat()) member("service_tier", said_.service_tier);
  }

  std::string_view other(std::string_view key) const {
    for (const json_member& each : said_.others)
      if (is_chat() && json_key_is(each.raw_key, key)) return each.value;
    return {};
  }

  void write_other(const json_member& each) {
    for (const std::string_view key : {"verbosity", "logprobs", "top_logprobs"})  // see other()
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

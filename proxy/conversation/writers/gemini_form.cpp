#include "proxy/conversation/writers/gemini_form.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/conversation/writers/form_writer.hpp"
#include "proxy/conversation/writers/gemini_contents.hpp"
#include "proxy/words/contains.hpp"

#include <array>
#include <string>

namespace photofinish::proxy {
namespace {

constexpr std::size_t gemini_most_stops = 5;  // the maximum number of stop sequences in a request to Gemini

struct renamed {
  std::string_view from;
  std::string_view to;
};

// Parameters of OpenAI's chat API that have other names in Gemini's API.
constexpr std::array<renamed, 3> generation_members{
    {{"seed", "seed"}, {"presence_penalty", "presencePenalty"}, {"frequency_penalty", "frequencyPenalty"}}};

// Parameters of OpenAI's chat API that Gemini does not support and that change the answer.
constexpr std::array<std::string_view, 7> needed{"n",     "logprobs",           "top_logprobs", "logit_bias",
                                                 "audio", "web_search_options", "modalities"};

class gemini_form_writer : form_writer {
 public:
  explicit gemini_form_writer(const conversation& said) : form_writer(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    write_gemini_contents(said_, form_);
    write_tools();
    write_choice();
    write_generation();
    write_thinking();
    for (const json_member& each : said_.others) write_other(each);
    // Gemini's dialect later translates the name of the service tier for the provider.
    if (json_is_string(said_.service_tier)) member("serviceTier", said_.service_tier);
    form_.json += "}";
    note_dropped();
    return std::move(form_);
  }

 private:
  // Tools

  void write_tools() {
    if (said_.tools.empty()) return;
    form_.json += R"(,"tools":[{"functionDeclarations":[)";
    for (const char* comma = ""; const tool& each : said_.tools) {
      form_.json.append(comma).append("{");
      comma = ",";
      write_tool(each);
      form_.json += "}";
    }
    form_.json += "]}]";
    if (said_.parallel_calls == false && !said_.has_functions) drop("parallel_tool_calls");
  }

  // Writes a tool with its schema. The member parametersJsonSchema accepts JSON Schema unchanged, but the older member
  // `parameters` accepts only a part of OpenAPI's schema language.
  void write_tool(const tool& each) {
    member("name", json_quote(flat_tool_name(each.name_space, each.name)));
    member("description", each.description);
    const bool is_custom = each.kind == call_kind::custom;
    if (is_custom) member("parametersJsonSchema", custom_schema);
    else if (!each.parameters.empty()) member("parametersJsonSchema", argument_schema(each.parameters));
    if (each.strict == "true") drop("tools[].strict");
    note_schema(each);
  }

  void write_choice() {
    if (said_.tools.empty()) return;
    std::string config;
    switch (said_.choice.kind) {
      case choice_kind::unset: return;
      case choice_kind::automatic: config = R"("mode":"AUTO")"; break;
      case choice_kind::none: config = R"("mode":"NONE")"; break;
      case choice_kind::required: config = R"("mode":"ANY")"; break;
      case choice_kind::named:
        config = R"("mode":"ANY","allowedFunctionNames":[)" +
                 json_quote(flat_tool_name(said_.choice.name_space, said_.choice.name)) + "]";
    }
    member("toolConfig", R"({"functionCallingConfig":{)" + config + "}}");
  }

  // Parameters

  void write_generation() {
    form_.json += R"(,"generationConfig":{)";
    member("maxOutputTokens", said_.sampling.max_tokens);
    member("temperature", said_.sampling.temperature);
    member("topP", said_.sampling.top_p);
    member("topK", said_.sampling.top_k);
    for (const json_member& each : said_.others)
      for (const auto& [from, to] : generation_members)
        if (said_.from == wire_format::openai_chat && json_key_is(each.raw_key, from)) member(to, each.value);
    write_stops();
    write_output();
    form_.json += "}";
  }

  void write_stops() {
    const std::string_view stop = said_.sampling.stop;
    if (json_is_string(stop)) return member("stopSequences", "[" + std::string(stop) + "]");
    std::size_t stops = 0;
    for (json_walk walk(stop); json_is_array(stop) && walk.next_element();) ++stops;
    if (stops > gemini_most_stops) form_.unsupported = "stop";
    else if (stops > 0) member("stopSequences", stop);
  }

  void write_output() {
    if (said_.output.kind == output_kind::text) return;
    member("responseMimeType", R"("application/json")");
    if (said_.output.kind == output_kind::json_schema) member("responseJsonSchema", said_.output.schema);
  }

  void write_thinking() {
    if (const std::string_view config = google_member("thinking_config"); json_is_object(config))
      member("thinking", R"({"config":)" + std::string(config) + "}");
    else if (json_is_string(said_.effort)) member("thinking", R"({"effort":)" + std::string(said_.effort) + "}");
    else if (said_.reasoning_budget)
      member("thinking", R"({"budget":)" + std::to_string(*said_.reasoning_budget) + "}");
  }

  // Returns a member of {"extra_body":{"google":{..}}}. Clients of Google's OpenAI-compatible API send this object.
  std::string_view google_member(std::string_view key) const {
    for (const json_member& each : said_.others)
      if (json_key_is(each.raw_key, "extra_body") && json_is_object(each.value))
        return object_members(object_members(each.value)["google"])[key];
    return {};
  }

  void write_other(const json_member& each) {
    const auto is = [&each](std::string_view key) { return json_key_is(each.raw_key, key); };
    if ((is("safety_settings") || is("safetySettings")) && json_is_array(each.value) && !has_safety_) {
      member("safetySettings", each.value);
      has_safety_ = true;
    } else if (is("extra_body") && json_is_object(each.value) && !has_extra_) {
      member("cachedContent", google_member("cached_content"));
      has_extra_ = true;
    }
  }

  // Omitted parts

  void note_dropped() {
    drop_hints();
    note_details();
    if (json_is_string(said_.user)) drop("user");
    for (const json_member& each : said_.others) note_other(each);
  }

  void note_other(const json_member& each) {
    const auto is = [&each](std::string_view key) { return json_key_is(each.raw_key, key); };
    if (!is_meaningful(each.raw_key, each.value) || is("extra_body") || is("safety_settings") || is("safetySettings"))
      return;
    for (const auto& [from, to] : generation_members)
      if (said_.from == wire_format::openai_chat && is(from)) return;
    // If the client requests only text in `modalities`, omitting this member changes nothing.
    if (is("modalities") && each.value.find(R"("audio")") == std::string_view::npos) return;
    if (contains(needed, each.raw_key)) form_.unsupported = each.raw_key;
    else drop(each.raw_key);
  }

  bool has_safety_ = false;  // true after safety settings were written; a second member with safety settings is ignored
  bool has_extra_ = false;
};

}  // namespace

translated_text write_gemini(const conversation& said) { return gemini_form_writer(said).write(); }

}  // namespace photofinish::proxy

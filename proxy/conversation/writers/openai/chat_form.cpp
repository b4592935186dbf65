#include "proxy/conversation/writers/openai/chat_form.hpp"

#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/writers/openai/chat_messages.hpp"
#include "proxy/conversation/writers/openai/openai_limits.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/providers/parameters.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::size_t chat_most_stops = 4;  // OpenAI's limit

class chat_form_writer : form_base {
 public:
  explicit chat_form_writer(const conversation& said) : form_base(said) {}

  translated_text write() && {
    if (!begin("{\"messages\":[")) return std::move(form_);
    write_chat_messages(said_, form_);
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
    // Clients of Messages often turn thinking off for models that do not think. The dialect says it to models that do.
    const bool is_off = said_.from == wire_format::anthropic_messages && said_.effort == R"("none")";
    if (is_off) return member("thinking", R"({"type":"disabled"})");
    if (json_is_string(said_.effort)) member("reasoning_effort", said_.effort);  // a dialect fits it to the model
    else if (said_.reasoning_budget) member("reasoning_effort", json_quote(effort_of_budget(*said_.reasoning_budget)));
  }

  void write_user() {
    if (json_is_string(said_.user)) member("user", user_within_limit(said_.user));
    if (json_is_string(said_.service_tier) && said_.from != wire_format::anthropic_messages)
      member("service_tier", said_.service_tier);
  }

  // Responses asks for them in `include`, and for alternatives in `top_logprobs`.
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

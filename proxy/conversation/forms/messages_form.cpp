#include "proxy/conversation/forms/messages_form.hpp"

#include "proxy/conversation/forms/messages_turns.hpp"
#include "proxy/conversation/forms/output_schema.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/member_index.hpp"
#include "proxy/providers/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace photofinish::proxy {
namespace {

constexpr std::size_t longest_user = 256;  // Anthropic's limit

constexpr std::string_view object_schema = R"({"type":"object","properties":{}})";
constexpr std::string_view custom_schema =
    R"({"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false})";

// What changes what the answer is, and has no words here.
constexpr std::array<std::string_view, 11> needs{"n",         "logprobs",         "top_logprobs",     "logit_bias",
                                                 "functions", "frequency_penalty", "presence_penalty", "function_call",
                                                 "audio",     "modalities",       "web_search_options"};

std::optional<double> number_in(std::string_view json) {
  double number = 0;
  const auto read = std::from_chars(json.data(), json.data() + json.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

bool is_text_only(std::string_view list) { return list == R"(["text"])"; }

class messages_form_writer : form_base {
 public:
  explicit messages_form_writer(const conversation& said) : form_base(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    write_messages_turns(said_, form_);
    write_tools();
    write_choice();
    write_thinking();
    write_output();
    write_limits();
    write_user();
    form_.json += "}";
    note_others();
    return std::move(form_);
  }

 private:
  // Tools

  void write_tools() {
    if (said_.tools.empty()) return write_tools_of_history();
    form_.json += R"(,"tools":[)";
    for (const char* separator = ""; const tool& each : said_.tools) {
      const bool is_custom = each.kind == call_kind::custom;
      // Chat's writers know no tools: they could not turn the tool's call into a custom one again.
      if (is_custom && said_.from == wire_format::openai_chat) form_.unsupported = "tools.custom";
      form_.json.append(separator).append(R"({"name":)");
      form_.json += json_quote(flat_tool_name(each.name_space, each.name));
      if (json_is_string(each.description)) member("description", each.description);
      member("input_schema", is_custom ? std::string(custom_schema) : input_schema(each));
      form_.json += "}";
      separator = ",";
      if (each.strict == "true") drop("tools[].strict");
    }
    form_.json += "]";
  }

  // A history with calls needs tools, and the client gives none any more.
  void write_tools_of_history() {
    std::set<std::string> names;
    for (const block& each : said_.blocks)
      if (each.kind == block_kind::call) names.insert(flat_tool_name(each.name_space, each.name));
    if (names.empty()) return;
    form_.json += R"(,"tools":[)";
    for (const char* separator = ""; const std::string& each : names) {
      form_.json.append(separator).append(R"({"name":)").append(json_quote(each)).append(R"(,"input_schema":)");
      form_.json.append(object_schema).append("}");
      separator = ",";
    }
    form_.json += R"(],"tool_choice":{"type":"none"})";
  }

  static std::string input_schema(const tool& each) {
    if (!json_is_object(each.parameters)) return std::string(object_schema);
    const auto type = json_find(each.parameters, "type");
    if (type && *type == R"("object")") return std::string(each.parameters);
    if (type) return std::string(object_schema);
    const bool is_empty = !json_walk(each.parameters).next_member();
    return R"({"type":"object")" + std::string(is_empty ? "" : ",") + std::string(each.parameters.substr(1));
  }

  bool forces_a_call() const {
    return !said_.tools.empty() &&
           (said_.choice.kind == choice_kind::required || said_.choice.kind == choice_kind::named);
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

  // Anthropic's words but for those below `low`.
  std::string_view effort() const {
    const std::string_view asked = json_raw_string(said_.effort);
    return asked == "minimal" ? std::string_view("low") : asked;
  }

  bool thinks() const { return !effort().empty() && effort() != "none" && !forces_a_call(); }

  // With a call that must be made it is refused. The text of it is what clients show, and the newest leave it out
  // unless asked.
  void write_thinking() {
    if (effort() == "none") member("thinking", R"({"type":"disabled"})");
    if (thinks()) member("thinking", R"({"type":"adaptive","display":"summarized"})");
  }

  void write_output() {
    std::string config;
    const bool has_effort = !effort().empty() && effort() != "none";
    if (has_effort) config = R"("effort":)" + json_quote(json_unescape(effort()));
    if (said_.output.kind == output_kind::json_object) form_.unsupported = "response_format";
    if (said_.output.kind == output_kind::json_schema) {
      narrowed_schema schema = narrow_schema(said_.output.schema);
      if (schema.has_lost) drop("response_format.json_schema");
      config.append(config.empty() ? "" : ",").append(R"("format":{"type":"json_schema","schema":)");
      config.append(schema.json).append("}");
    }
    if (!config.empty()) member("output_config", "{" + config + "}");
  }

  // Limits

  void write_limits() {
    member("max_tokens", said_.max_tokens);
    write_sampling("temperature", said_.temperature);
    write_sampling("top_p", said_.top_p);
    write_sampling("top_k", said_.top_k);
    write_stops();
  }

  // OpenAI's goes to 2. A model that thinks takes none.
  void write_sampling(std::string_view key, std::string_view value) {
    const auto number = number_in(value);
    if (!number) return;
    const bool is_above = *number > 1 && key != "top_k";
    if (thinks() && is_meaningful(key, value)) return drop(key);
    if (!thinks()) member(key, is_above ? "1" : value);
  }

  void write_stops() {
    const bool is_list = json_is_array(said_.stop);
    if (!is_list && !json_is_string(said_.stop)) return;
    const std::string list = is_list ? std::string(said_.stop) : "[" + std::string(said_.stop) + "]";
    bool has_any = false;
    json_walk walk(list);
    while (const auto each = walk.next_element()) {
      has_any = true;
      const std::string text = json_unescape(json_raw_string(*each));
      if (text.find_first_not_of(" \t\r\n") == std::string::npos) form_.unsupported = "stop";  // refused there
    }
    if (has_any) member("stop_sequences", list);
  }

  void write_user() {
    if (!json_is_string(said_.user)) return;
    if (said_.user.size() <= longest_user + 2) member("metadata", R"({"user_id":)" + std::string(said_.user) + "}");
    else drop("user");
  }

  // What is left

  void note_others() {
    drop_hints();
    if (is_meaningful("service_tier", said_.service_tier)) drop("service_tier");
    for (const json_member& each : said_.others) {
      if (!is_meaningful(each.raw_key, each.value)) continue;
      if (json_key_is(each.raw_key, "modalities") && is_text_only(each.value)) continue;
      const auto named = [&each](std::string_view key) { return json_key_is(each.raw_key, key); };
      const auto need = std::find_if(needs.begin(), needs.end(), named);
      if (need != needs.end()) form_.unsupported = *need;
      else drop(each.raw_key);
    }
  }
};

}  // namespace

translated_text write_messages(const conversation& said) { return messages_form_writer(said).write(); }

}  // namespace photofinish::proxy

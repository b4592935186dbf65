#include "proxy/conversation/writers/messages_form.hpp"

#include "proxy/conversation/output_schema.hpp"
#include "proxy/conversation/writers/form_writer.hpp"
#include "proxy/conversation/writers/messages_turns.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace photofinish::proxy {
namespace {

constexpr std::size_t anthropic_longest_user = 256;  // Anthropic's limit
constexpr std::int64_t anthropic_least_budget = 1024;  // tokens of thinking; Anthropic's limit

class messages_form_writer : form_writer {
 public:
  explicit messages_form_writer(const conversation& said) : form_writer(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    write_messages_turns(said_, form_);
    write_tools();
    write_choice();
    write_thinking();
    write_output();
    write_limits();
    write_user();
    member("cache_control", said_.cache_mark);
    form_.json += "}";
    note_others();
    std::erase(form_.dropped, "cache_control");  // every mark is written
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

  // Anthropic's words but for those below `low`.
  std::string_view effort() const {
    const std::string_view asked = json_raw_string(said_.effort);
    return asked == "minimal" ? std::string_view("low") : asked;
  }

  // The client's number of tokens. A dialect puts a word in its place for models that take no number.
  bool has_budget() const { return effort().empty() && said_.reasoning_budget.has_value(); }

  bool thinks() const {
    return (has_budget() || (!effort().empty() && effort() != "none")) && !forces_a_call();
  }

  // With a call that must be made it is refused. The text of it is what clients show, and the newest leave it out
  // unless asked.
  void write_thinking() {
    if (effort() == "none") return member("thinking", R"({"type":"disabled"})");
    if (!thinks()) return;
    if (!has_budget()) return member("thinking", R"({"type":"adaptive","display":"summarized"})");
    const std::int64_t budget = std::max(*said_.reasoning_budget, anthropic_least_budget);
    if (budget != *said_.reasoning_budget) drop("thinking");
    member("thinking", R"({"type":"enabled","budget_tokens":)" + std::to_string(budget) + "}");
  }

  // A word stands for the budget if the request may not ask for thinking.
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

  // Limits

  void write_limits() {
    member("max_tokens", said_.sampling.max_tokens);
    write_sampling("temperature", said_.sampling.temperature);
    write_sampling("top_p", said_.sampling.top_p);
    write_sampling("top_k", said_.sampling.top_k);
    member("stop_sequences", stop_list());
  }

  // A model that thinks takes none.
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

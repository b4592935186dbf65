#include "proxy/dialects/models/responses_choice.hpp"

#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"

#include <string_view>

namespace photofinish::proxy {
namespace {

std::string_view json_at(std::string_view object, std::string_view key) {
  return json_find(object, key).value_or(std::string_view{});
}

std::string json_word(std::string_view json) {
  return json_is_string(json) ? json_unescape(json_raw_string(json)) : std::string();
}

// Finds out whether the request has functions. In the Messages API, a tool is a function if it has no type or the type
// `custom`. The search stops at the first function, because reading a long list takes time (about a nanosecond per
// byte).
void read_tools(std::string_view list, wire_format format, asked_reasoning& asked) {
  json_walk walk(json_is_array(list) ? list : std::string_view("[]"));
  const bool may_search = list.find("tool_search") != std::string_view::npos;
  while (!asked.has_functions || may_search) {
    const auto each = walk.next_element();
    if (!each) return;
    const std::string type = json_word(json_at(*each, "type"));
    const bool is_of_messages = format == wire_format::anthropic_messages;
    asked.has_functions |= is_of_messages ? type.empty() || type == "custom" : type == "function";
    asked.searches_tools |= type == "tool_search";
  }
}

// True if the request forces the model to call a tool. Recognizes the forms of tool_choice in all APIs.
bool is_forcing(std::string_view choice) {
  if (json_is_string(choice)) return json_raw_string(choice) == "required";
  const std::string type = json_word(json_at(choice, "type"));
  if (type == "allowed_tools")
    return json_word(json_at(choice, "mode")) == "required" ||
           json_word(json_at(json_at(choice, "allowed_tools"), "mode")) == "required";
  return !type.empty() && type != "auto" && type != "none";
}

std::string effort_in_messages(const client_body& body) {
  const std::string type = json_word(json_at(body.value_of("thinking"), "type"));
  if (type == "disabled" || type == "between_tools") return "none";
  const std::string effort = json_word(json_at(body.value_of("output_config"), "effort"));
  // A thinking budget without an effort counts as a high effort.
  return effort.empty() && type == "enabled" ? "high" : effort;
}

bool is_schema(std::string_view format) { return json_word(json_at(format, "type")) == "json_schema"; }

bool is_host_of(std::string_view host, std::string_view domain) {
  return host == domain ||
         (host.size() > domain.size() && host.ends_with(domain) && host[host.size() - domain.size() - 1] == '.');
}

}  // namespace

asked_reasoning read_asked_reasoning(const client_body& body, wire_format format) {
  asked_reasoning asked;
  read_tools(body.value_of("tools"), format, asked);
  asked.forces_a_call = is_forcing(body.value_of("tool_choice"));
  switch (format) {
    case wire_format::anthropic_messages:
      asked.effort = effort_in_messages(body);
      asked.wants_schema = is_schema(json_at(body.value_of("output_config"), "format"));
      break;
    case wire_format::openai_responses:
      asked.effort = json_word(json_at(body.value_of("reasoning"), "effort"));
      asked.wants_schema = is_schema(json_at(body.value_of("text"), "format"));
      break;
    default:
      asked.effort = json_word(body.value_of("reasoning_effort"));
      if (asked.effort.empty() && json_word(json_at(body.value_of("thinking"), "type")) == "disabled")
        asked.effort = "none";
      asked.wants_schema = is_schema(body.value_of("response_format"));
  }
  return asked;
}

serving_place serving_place_of(const provider& target) {
  const std::string_view host = target.url.host;
  if (is_host_of(host, "services.ai.azure.com")) return serving_place::foundry;
  const bool is_openai = is_host_of(host, "api.openai.com") || is_host_of(host, "openai.azure.com") ||
                         host.starts_with("bedrock-mantle.") || target.preset == "azure";
  return is_openai ? serving_place::openai : serving_place::elsewhere;
}

std::string_view refused_on_chat(const openai_facts& model, const asked_reasoning& asked, const provider& target) {
  const serving_place place = serving_place_of(target);
  const chat_tools taken = model.tools.on_chat[static_cast<std::size_t>(place)];
  const bool is_off = asked.effort == "none" && model.params.only_thinking;
  const bool is_unsaid = asked.effort.empty();
  if (asked.has_functions && taken == chat_tools::with_none && !is_off) return "tools";
  if (asked.has_functions && taken == chat_tools::without_effort && !is_off && !is_unsaid) return "tools";
  if (asked.searches_tools && taken == chat_tools::with_none && place == serving_place::openai) return "tools";
  if (asked.wants_schema && !model.schema_on_chat) return "response_format";
  const bool is_max =
      asked.effort == "max" && !model.thinking.max_on_chat && contains(model.thinking.efforts.words, "max");
  return is_max ? "reasoning_effort" : std::string_view{};
}

}  // namespace photofinish::proxy

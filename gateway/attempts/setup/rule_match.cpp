#include "gateway/attempts/setup/rule_match.hpp"

#include "gateway/attempts/setup/forecast_setup.hpp"
#include "gateway/config/rows/choice_words.hpp"
#include "proxy/dialects/apply_message.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {
namespace {

// Returns the text of an object's member, after decoding its escapes. Returns an empty text if there is no text member
// with this name.
std::string text_in(std::string_view object, std::string_view name) {
  const auto value = proxy::json_find(object, name);
  return value && proxy::json_is_string(*value) ? proxy::json_unescape(proxy::json_raw_string(*value)) : std::string();
}

// Returns true if the request has tools. If `tools` is not a list, the request still counts as having tools, because a
// provider may accept the value.
bool names_tools(const parsed_request& asked) {
  const auto has_some = [](std::string_view list) {
    return !proxy::json_is_absent(list) && !(proxy::json_is_array(list) && !proxy::json_walk(list).next_element());
  };
  return has_some(asked.body->value_of("tools")) || has_some(asked.body->value_of("functions"));
}

// Reads the required answer format from response_format (chat API) or text.format (Responses API). Returns nothing for
// an unknown type.
std::optional<answer_format> format_of(const parsed_request& asked) {
  const bool is_response = asked.format == proxy::wire_format::openai_responses;
  std::string_view format = is_response ? std::string_view{} : asked.body->value_of("response_format");
  if (proxy::json_is_absent(format))
    format = proxy::json_find(asked.body->value_of("text"), "format").value_or(std::string_view{});
  if (proxy::json_is_absent(format)) return answer_format::text;
  return proxy::parse_word<answer_format>(text_in(format, "type"));
}

// Returns true if the last message is an edit for models that apply edits, in the format of any client API. Returns
// false if other text precedes the parts of the edit, because the message may then be a question about the edit.
bool asks_to_apply(const parsed_request& asked) {
  const asked_form chat = form_for(asked, proxy::wire_format::openai_chat);
  if (!chat.body || chat.format != proxy::wire_format::openai_chat) return false;
  const auto edit = proxy::read_apply_edit(*chat.body);
  return edit && !edit->begins_with_text;
}

bool holds(const route_rule& rule, const parsed_request& asked, const request_marks& marks) {
  if (!rule.task.empty() && rule.task != marks.task) return false;
  if (!rule.project.empty() && rule.project != marks.project) return false;
  if (rule.work && *rule.work != marks.work) return false;
  const std::uint64_t input = input_tokens_of(asked);
  if (rule.min_input_tokens && input < *rule.min_input_tokens) return false;
  if (rule.max_input_tokens && input > *rule.max_input_tokens) return false;
  if (rule.max_tokens && max_tokens_of(asked).value_or(UINT64_MAX) > *rule.max_tokens) return false;
  if (rule.tools && *rule.tools != names_tools(asked)) return false;
  if (rule.response_format && rule.response_format != format_of(asked)) return false;
  return !rule.is_apply || asks_to_apply(asked);
}

}  // namespace

std::string task_of(const parsed_request& asked, const request_marks& marks, const config& settings) {
  if (!marks.task.empty() || settings.names.tasks.empty()) return marks.task;
  const std::string said = text_in(asked.body->value_of("metadata"), "task");
  const auto known = std::find(settings.names.tasks.begin(), settings.names.tasks.end(), said);
  return known == settings.names.tasks.end() ? std::string() : *known;
}

const route_rule* first_rule(const route& of, const parsed_request& asked, const request_marks& marks) {
  const auto found = std::find_if(of.rules.begin(), of.rules.end(),
                                  [&](const route_rule& each) { return holds(each, asked, marks); });
  return found == of.rules.end() ? nullptr : &*found;
}

}  // namespace photofinish::gateway

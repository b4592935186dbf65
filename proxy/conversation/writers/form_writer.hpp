// Code that all request writers share, except the writers for OpenAI's APIs. [pure] The code writes tools and
// parameters, and records the omitted parts.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/conversation/translated_text.hpp"
#include "proxy/conversation/writers/openai/other_members.hpp"
#include "proxy/json/values/object_schema.hpp"
#include "proxy/providers/parameters.hpp"
#include "proxy/words/parse_number.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class form_writer : protected form_base {
 protected:
  using form_base::form_base;

  // Tools

  // Returns the names of all tools that the conversation calls. The API requires a definition for each of them, even if
  // the client no longer offers any tools.
  std::set<std::string> names_of_calls() const {
    std::set<std::string> names;
    for (const block& each : said_.blocks)
      if (each.kind == block_kind::call) names.insert(flat_tool_name(each.name_space, each.name));
    return names;
  }

  bool forces_a_call() const {
    return !said_.tools.empty() &&
           (said_.choice.kind == choice_kind::required || said_.choice.kind == choice_kind::named);
  }

  // Parameters

  static std::optional<double> number_in(std::string_view json) {
    return parse_leading_number<double>(json);
  }

  // Limits a temperature to 1, the maximum of these APIs. OpenAI's maximum is 2. Returns an empty view if the value is
  // not a number.
  static std::string_view up_to_one(std::string_view json) {
    const auto number = number_in(json);
    return !number ? std::string_view{} : *number > 1 ? std::string_view("1") : json;
  }

  // Returns the stop sequences as a JSON list, or an empty string if there are none. Blank stop sequences are omitted,
  // because APIs refuse them.
  std::string stop_list() {
    const std::string_view stop = said_.sampling.stop;
    const bool is_list = json_is_array(stop);
    if (!is_list && !json_is_string(stop)) return {};
    const std::string list = is_list ? std::string(stop) : "[" + std::string(stop) + "]";
    bool has_any = false;
    for (const std::string_view each : json_elements(list)) {
      has_any = true;
      const std::string text = json_unescape(json_raw_string(each));
      if (text.find_first_not_of(" \t\r\n") == std::string::npos) form_.unsupported = "stop";
    }
    return has_any ? list : std::string();
  }

  // Omitted parts

  void note_others() {
    drop_hints();
    note_details();
    for (const json_member& each : said_.others) {
      if (!says_something(each)) continue;
      if (const std::string_view need = need_in(each); !need.empty()) form_.unsupported = need;
      else drop(each.raw_key);
    }
  }
};

}  // namespace photofinish::proxy

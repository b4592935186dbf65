// The words in configurations that stand for the values of the gateway's own enums. [pure]
#pragma once

#include "gateway/config/config.hpp"
#include "proxy/words/enum_words.hpp"

#include <array>
#include <string_view>

namespace photofinish::gateway {

constexpr auto words_of(client_auth) {
  using enum client_auth;
  return proxy::enum_words<client_auth, 3>{{{none, "none"}, {optional, "optional"}, {require, "require"}}};
}

constexpr auto words_of(page_setting) {
  using enum page_setting;
  return proxy::enum_words<page_setting, 3>{{{automatic, "auto"}, {on, "on"}, {off, "off"}}};
}

constexpr auto words_of(half_close) {
  return proxy::enum_words<half_close, 2>{{{half_close::abort, "abort"}, {half_close::tolerate, "tolerate"}}};
}

constexpr auto words_of(log_form) {
  using enum log_form;
  return proxy::enum_words<log_form, 3>{{{text, "text"}, {logfmt, "logfmt"}, {json, "json"}}};
}

constexpr auto words_of(store_failure_rule) {
  using enum store_failure_rule;
  return proxy::enum_words<store_failure_rule, 2>{{{local, "local"}, {deny, "deny"}}};
}

constexpr auto words_of(request_class) {
  using enum request_class;
  return proxy::enum_words<request_class, 2>{{{interactive, "interactive"}, {batch, "batch"}}};
}

constexpr auto words_of(answer_format) {
  using enum answer_format;
  return proxy::enum_words<answer_format, 3>{
      {{text, "text"}, {json_object, "json_object"}, {json_schema, "json_schema"}}};
}

constexpr auto words_of(cache_scope) {
  using enum cache_scope;
  return proxy::enum_words<cache_scope, 3>{{{key, "key"}, {team, "team"}, {route, "route"}}};
}

constexpr auto words_of(unpriced_use) {
  using enum unpriced_use;
  return proxy::enum_words<unpriced_use, 2>{{{allow, "allow"}, {refuse, "refuse"}}};
}

constexpr auto words_of(guardrail_mode) {
  using enum guardrail_mode;
  return proxy::enum_words<guardrail_mode, 2>{{{parallel, "parallel"}, {before, "before"}}};
}

constexpr auto words_of(without_verdict) {
  using enum without_verdict;
  return proxy::enum_words<without_verdict, 2>{{{deny, "deny"}, {allow, "allow"}}};
}

// The names of number formats for a model's weights that a configuration may contain. A configuration stores these
// names as text.
inline constexpr std::array<std::string_view, 10> quantization_words{"int4", "fp4",  "mxfp4", "nvfp4", "fp6",
                                                                     "int8", "fp8",  "fp16",  "bf16",  "fp32"};

}  // namespace photofinish::gateway

// The words for a provider's behaviour in presets and configurations, such as its authentication and streaming. [pure]
#pragma once

#include "proxy/providers/provider.hpp"
#include "proxy/words/enum_words.hpp"

namespace photofinish::proxy {

constexpr auto words_of(auth_style) {
  using enum auth_style;
  return enum_words<auth_style, 6>{{{bearer, "bearer"},
                                    {header, "header"},
                                    {none, "none"},
                                    {aws, "aws"},
                                    {google, "google"},
                                    {entra, "entra"}}};
}

constexpr auto words_of(usage_in_stream) {
  using enum usage_in_stream;
  return enum_words<usage_in_stream, 3>{{{request, "request"}, {always, "always"}, {never, "never"}}};
}

constexpr auto words_of(upstream_stream) {
  using enum upstream_stream;
  return enum_words<upstream_stream, 3>{{{automatic, "auto"}, {always, "always"}, {never, "never"}}};
}

constexpr auto words_of(cancel_billing) {
  using enum cancel_billing;
  return enum_words<cancel_billing, 3>{{{stops, "stops"}, {full, "full"}, {unknown, "unknown"}}};
}

constexpr auto words_of(prefill_form) {
  using enum prefill_form;
  return enum_words<prefill_form, 4>{{{none, "none"},
                                      {last_message, "last_message"},
                                      {prefix, "prefix"},
                                      {continue_final_message, "continue_final_message"}}};
}

constexpr auto words_of(tier_form) {
  using enum tier_form;
  return enum_words<tier_form, 10>{{{as_sent, "as_sent"},
                                    {none, "none"},
                                    {openai, "openai"},
                                    {anthropic, "anthropic"},
                                    {gemini, "gemini"},
                                    {vertex, "vertex"},
                                    {bedrock, "bedrock"},
                                    {groq, "groq"},
                                    {cerebras, "cerebras"},
                                    {fireworks, "fireworks"}}};
}

constexpr auto words_of(prompt_marks) {
  using enum prompt_marks;
  return enum_words<prompt_marks, 2>{{{none, "none"}, {needed, "needed"}}};
}

constexpr auto words_of(cached_report) {
  using enum cached_report;
  return enum_words<cached_report, 3>{{{early, "early"}, {late, "late"}, {never, "never"}}};
}

constexpr auto words_of(http2_use) {
  using enum http2_use;
  return enum_words<http2_use, 3>{{{automatic, "auto"}, {on, "on"}, {off, "off"}}};
}

}  // namespace photofinish::proxy

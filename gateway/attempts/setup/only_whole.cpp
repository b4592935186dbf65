#include "gateway/attempts/setup/only_whole.hpp"

#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {
namespace {

bool is_sound_whole(std::string_view audio) {
  if (!proxy::json_is_object(audio)) return false;
  const auto format = proxy::json_find(audio, "format");
  return format && proxy::json_is_string(*format) && proxy::json_unescape(proxy::json_raw_string(*format)) != "pcm16";
}

}  // namespace

bool is_only_whole(const parsed_request& asked) {
  using enum proxy::wire_format;
  if (asked.form != answer_form::whole || !asked.body) return false;
  if (asked.format != openai_chat && asked.format != openai_completions) return false;
  const auto value = [&asked](std::string_view name) { return asked.body->value_of(name); };
  if (value("use_beam_search") == "true") return true;
  return asked.format == openai_chat && is_sound_whole(value("audio"));
}

}  // namespace photofinish::gateway

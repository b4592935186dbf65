#include "proxy/providers/behaviour_words.hpp"

#include <initializer_list>

namespace photofinish::proxy {
namespace {

template <class T>
std::optional<T> parse(std::string_view word, std::initializer_list<T> all) {
  for (const T each : all)
    if (word == to_string(each)) return each;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(auth_style style) {
  switch (style) {
    case auth_style::bearer:
      return "bearer";
    case auth_style::header:
      return "header";
    case auth_style::none:
      return "none";
    case auth_style::aws:
      return "aws";
    case auth_style::google:
      return "google";
    case auth_style::entra:
      return "entra";
  }
  return "none";
}

std::string_view to_string(usage_in_stream usage) {
  switch (usage) {
    case usage_in_stream::request:
      return "request";
    case usage_in_stream::always:
      return "always";
    case usage_in_stream::never:
      return "never";
  }
  return "never";
}

std::string_view to_string(cancel_billing billing) {
  switch (billing) {
    case cancel_billing::stops:
      return "stops";
    case cancel_billing::full:
      return "full";
    case cancel_billing::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(prefill_form prefill) {
  switch (prefill) {
    case prefill_form::none:
      return "none";
    case prefill_form::last_message:
      return "last_message";
    case prefill_form::prefix:
      return "prefix";
    case prefill_form::continue_final_message:
      return "continue_final_message";
  }
  return "none";
}

std::optional<auth_style> parse_auth_style(std::string_view word) {
  using enum auth_style;
  return parse(word, {bearer, header, none, aws, google, entra});
}

std::optional<usage_in_stream> parse_usage_in_stream(std::string_view word) {
  return parse(word, {usage_in_stream::request, usage_in_stream::always, usage_in_stream::never});
}

std::optional<cancel_billing> parse_cancel_billing(std::string_view word) {
  return parse(word, {cancel_billing::stops, cancel_billing::full, cancel_billing::unknown});
}

std::optional<prefill_form> parse_prefill_form(std::string_view word) {
  using enum prefill_form;
  return parse(word, {none, last_message, prefix, continue_final_message});
}

}  // namespace photofinish::proxy

// Words for sections, types and choices, as documents and the schema have them.
#include "gateway/config/settings.hpp"

#include <algorithm>

namespace photofinish::gateway {

std::string_view to_string(section where) {
  switch (where) {
    case section::top:
      return "configuration";
    case section::tls:
      return "tls";
    case section::access_key:
      return "access_key";
    case section::sealed_keys:
      return "sealed_keys";
    case section::jwt:
      return "jwt";
    case section::key_limits:
      return "key_limits";
    case section::team:
      return "team";
    case section::limits:
      return "limits";
    case section::metrics:
      return "metrics";
    case section::alerts:
      return "alerts";
    case section::audit_log:
      return "audit_log";
    case section::content_log:
      return "content_log";
    case section::redis:
      return "redis";
    case section::sentinel:
      return "sentinel";
    case section::tracing:
      return "tracing";
    case section::probes:
      return "probes";
    case section::provider:
      return "provider";
    case section::race:
      return "race";
    case section::route:
      return "route";
    case section::rule:
      return "rule";
    case section::cache:
      return "cache";
    case section::guardrail:
      return "guardrail";
    case section::facts:
      return "facts";
    case section::require:
      return "require";
  }
  return "configuration";
}

std::string_view to_string(setting_type type) {
  using enum setting_type;
  switch (type) {
    case text:
      return "text";
    case secret:
      return "secret";
    case secrets:
      return "list of secrets";
    case number:
      return "number";
    case numbers:
      return "list of numbers";
    case share:
      return "share";
    case boolean:
      return "true or false";
    case duration:
      return "duration";
    case duration_or_auto:
      return "duration or auto";
    case size:
      return "size";
    case choice:
      return "choice";
    case choices:
      return "list of choices";
    case address:
      return "address";
    case addresses:
      return "address or list";
    case texts:
      return "list of text";
    case text_or_texts:
      return "text or list";
    case money:
      return "US dollars";
    case text_map:
      return "map of text";
    case secret_map:
      return "map of secrets";
    case one:
      return "section";
    case list_of:
      return "list of sections";
    case list_or_file:
      return "list of sections or file";
    case map_of:
      return "map of sections";
  }
  return "text";
}

std::vector<std::string> setting_names(section where) {
  std::vector<std::string> names;
  for (const setting& each : settings())
    if (each.where == where) names.emplace_back(each.name);
  return names;
}

std::vector<std::string_view> words_of(const setting& choice) {
  std::vector<std::string_view> words;
  std::string_view rest = choice.words;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    words.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return words;
}

const setting* find_setting(section where, std::string_view name) {
  const auto is_it = [&](const setting& each) { return each.where == where && each.name == name; };
  const auto found = std::find_if(settings().begin(), settings().end(), is_it);
  return found == settings().end() ? nullptr : &*found;
}

}  // namespace photofinish::gateway

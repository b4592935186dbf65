// Every setting a user can write, once: the parser's known keys, the JSON Schema and the reference in
// docs/configuration.md are all checked against this table, so that they cannot drift apart. [pure]
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The maps a configuration is made of.
enum class section {
  top, tls, access_key, sealed_keys, jwt, key_limits, team, limits, metrics, alerts, audit_log, content_log, redis,
  sentinel, tracing, probes, provider, race, route, rule, cache, guardrail, facts, require
};

enum class setting_type {
  text,
  secret,  // text that may be file:/path
  secrets,  // a list of such
  number,  // whole, at least `least`
  numbers,  // a list of such
  share,   // 0 to 1
  boolean,
  duration,
  duration_or_auto,
  size,
  choice,      // one of `words`
  choices,     // a list of them
  address,     // host:port
  addresses,   // one address or a list
  texts,       // a list of text
  text_or_texts,  // one text or a list
  money,       // US dollars, more than 0
  text_map,    // name: text
  secret_map,  // name: secret
  one,         // a nested section
  list_of,     // a list of sections
  list_or_file,  // a list of sections, or file:PATH of one
  map_of,      // name: section
};

struct setting {
  section where;
  std::string_view name;
  setting_type type;
  std::string_view fallback;     // the default as one would write it in YAML; empty: none
  std::string_view description;  // one sentence, no full stop
  std::string_view words = {};   // of a choice and of choices: "all|hedge|fallback"
  section inner = section::top;  // of one, list_of, map_of
  unsigned least = 0;            // of a number
};

std::span<const setting> settings();
std::vector<std::string> setting_names(section where);
const setting* find_setting(section where, std::string_view name);

std::vector<std::string_view> words_of(const setting& choice);

std::string_view to_string(section where);      // the heading in the documentation, the name in the schema
std::string_view to_string(setting_type type);  // for people: "duration", "list of text"

}  // namespace photofinish::gateway

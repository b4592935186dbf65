// The only list of all settings. Readers of plain values, defaults, the JSON Schema and the list of changed settings
// use this table, and a test compares docs/configuration with it. The rows are in rows/. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class section_reader;

// The sections (maps) that a configuration has.
enum class section {
  top, tls, access_key, sealed_keys, jwt, key_limits, team, limits, metrics, alerts, audit_log, content_log, redis,
  sentinel, tracing, probes, catalogue, provider, race, route, rule, cache, guardrail, facts, prompt_cache, require
};

enum class setting_type {
  text,
  secret,  // a text, or file:/path
  secrets,  // a list of secrets
  number,  // a whole number, at least `least`
  numbers,  // a list of numbers
  share,   // a number from 0 to 1
  boolean,
  duration,
  duration_or_auto,
  size,
  choice,      // one of `words`
  choices,     // a list of choices
  address,     // text of the form host:port
  addresses,   // one address or a list
  texts,       // a list of text
  text_or_texts,  // one text or a list
  money,       // US dollars, more than 0
  text_map,    // a map from names to texts
  secret_map,  // a map from names to secrets
  one,         // a nested section
  list_of,     // a list of sections
  list_or_file,  // a list of sections, or file:PATH of one
  map_of,      // a map from names to sections
};

// The names of the sections: headings in the documentation, and names in the schema.
constexpr auto words_of(section) {
  using enum section;
  return proxy::enum_words<section, 26>{{{top, "configuration"}, {tls, "tls"}, {access_key, "access_key"},
                                         {sealed_keys, "sealed_keys"}, {jwt, "jwt"}, {key_limits, "key_limits"},
                                         {team, "team"}, {limits, "limits"}, {metrics, "metrics"}, {alerts, "alerts"},
                                         {audit_log, "audit_log"}, {content_log, "content_log"}, {redis, "redis"},
                                         {sentinel, "sentinel"}, {tracing, "tracing"}, {probes, "probes"},
                                         {catalogue, "catalogue"}, {provider, "provider"}, {race, "race"},
                                         {route, "route"}, {rule, "rule"},
                                         {cache, "cache"}, {guardrail, "guardrail"}, {facts, "facts"},
                                         {prompt_cache, "prompt_cache"}, {require, "require"}}};
}

// The names of the types, for people.
constexpr auto words_of(setting_type) {
  using enum setting_type;
  return proxy::enum_words<setting_type, 23>{{{text, "text"}, {secret, "secret"}, {secrets, "list of secrets"},
                                              {number, "number"}, {numbers, "list of numbers"}, {share, "share"},
                                              {boolean, "true or false"}, {duration, "duration"},
                                              {duration_or_auto, "duration or auto"}, {size, "size"},
                                              {choice, "choice"}, {choices, "list of choices"}, {address, "address"},
                                              {addresses, "address or list"}, {texts, "list of text"},
                                              {text_or_texts, "text or list"}, {money, "US dollars"},
                                              {text_map, "map of text"}, {secret_map, "map of secrets"},
                                              {one, "section"}, {list_of, "list of sections"},
                                              {list_or_file, "list of sections or file"},
                                              {map_of, "map of sections"}}};
}

constexpr std::string_view to_string(section where) { return proxy::word_of(where); }
constexpr std::string_view to_string(setting_type type) { return proxy::word_of(type); }

struct setting;

// The member that a setting fills. Its owner is the struct that has the member.
struct setting_member {
  const void* owner = nullptr;  // owner_tag of the struct; null: the row binds no member
  // Returns true if the setting is present and has no problem. Null: a function of the section reads it.
  bool (*read)(const section_reader& reader, std::string_view name, void* owner) = nullptr;
  // Appends the name, or a name for each entry of a map, if the member differs between two owners.
  void (*note_change)(std::string_view name, const void* before, const void* after, std::vector<std::string>& changed) =
      nullptr;
  std::string (*fallback)(const setting& row) = nullptr;  // returns the default from the struct itself
};

template <class Owner>
inline constexpr char owner_tag{};

struct setting {
  std::string_view name = {};
  setting_type type = setting_type::text;
  std::string_view fallback = {};     // the default in YAML; empty: none, or the member's default
  std::string_view description = {};  // one sentence, no full stop
  section inner = section::top;                  // set for one, list_of, map_of
  std::span<const std::string_view> words = {};  // set for a choice and choices
  std::uint64_t least = 0, most = 0;             // set for a number; most 0: no upper limit
  bool may_be_zero = false;                      // set for a duration
  bool is_required = false;                      // true if the section must contain it
  bool is_of_one_machine = false;                // true if gateways ignore it when they compare settings
  setting_member member = {};
  section where = section::top;
};

// A part of the table.
struct section_rows {
  section where;
  std::span<const setting> rows;
};
std::span<const section_rows> server_rows();
std::span<const section_rows> access_rows();
std::span<const section_rows> provider_rows();
std::span<const section_rows> route_rows();

std::span<const setting> settings();               // the sections in the order of their enum
std::span<const setting> settings(section where);  // the settings of one section
std::vector<std::string> setting_names(section where);
const setting* find_setting(section where, std::string_view name);

// The default in YAML; empty: none.
std::string default_text(const setting& row);

}  // namespace photofinish::gateway

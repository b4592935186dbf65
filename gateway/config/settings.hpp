// The only list of all settings. The JSON Schema, the list of changed settings, and the code that reads plain values
// and defaults use this table. A test compares docs/configuration with it. The rows are in the folder rows/. [pure]
#pragma once

#include "proxy/words/enum_words.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class section_reader;

// The kinds of sections (maps) in a configuration.
enum class section {
  top, tls, access_key, sealed_keys, jwt, key_limits, team, limits, metrics, alerts, audit_log, content_log, redis,
  sentinel, tracing, probes, catalogue, provider, race, route, rule, cache, guardrail, facts, prompt_cache, require
};

enum class setting_type {
  text,
  secret,  // the value is a text, or file:/path
  secrets,  // the value is a list of secrets
  number,  // the value is a whole number that is at least `least`
  numbers,  // the value is a list of numbers
  share,   // the value is a number from 0 to 1
  boolean,
  duration,
  duration_or_auto,
  size,
  choice,      // the value is one of the words in `words`
  choices,     // the value is a list of words from `words`
  address,     // the value is a text in the form host:port
  addresses,   // the value is one address, or a list of addresses
  texts,       // the value is a list of texts
  text_or_texts,  // the value is one text, or a list of texts
  money,       // the value is an amount in US dollars, more than 0
  text_map,    // the value is a map from names to texts
  secret_map,  // the value is a map from names to secrets
  one,         // a nested section
  list_of,     // the value is a list of sections
  list_or_file,  // the value is a list of sections, or file:PATH of a file with such a list
  map_of,      // the value is a map from names to sections
};

// The names of the sections, which the documentation uses as headings and the schema uses as names.
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

// The names of the setting types for messages and documentation.
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

// The struct member that a setting fills. The struct is called the owner of the member.
struct setting_member {
  const void* owner = nullptr;  // the tag that identifies the owner's type; null if the setting fills no member
  // Reads the setting. Returns true if the setting is present and has no problem. Null if a special function reads the
  // setting.
  bool (*read)(const section_reader& reader, std::string_view name, void* owner) = nullptr;
  // Adds the setting's name to `changed` if the member differs between two structs. For a map, adds a name for each
  // entry that differs.
  void (*note_change)(std::string_view name, const void* before, const void* after, std::vector<std::string>& changed) =
      nullptr;
  std::string (*fallback)(const setting& row) = nullptr;  // returns the default value of the struct member
};

template <class Owner>
inline constexpr char owner_tag{};

struct setting {
  std::string_view name = {};
  setting_type type = setting_type::text;
  // The default value as YAML text. If it is empty and the setting fills a struct member, the default is the initial
  // value of this member.
  std::string_view fallback = {};
  std::string_view description = {};  // the description of the setting: one sentence without a full stop
  // The kind of the sections inside a setting whose type is `one`, `list_of` or `map_of`.
  section inner = section::top;
  std::span<const std::string_view> words = {};  // the words that a choice or a list of choices may have
  std::uint64_t least = 0, most = 0;             // the limits of a number; 0 in `most` means no upper limit
  bool may_be_zero = false;                      // true if a duration may be zero
  bool is_required = false;                      // true if the section must contain the setting
  // True if gateways ignore the setting when they compare their configurations.
  bool is_of_one_machine = false;
  setting_member member = {};
  section where = section::top;
};

// The rows of one section in the table of settings.
struct section_rows {
  section where;
  std::span<const setting> rows;
};
std::span<const section_rows> server_rows();
std::span<const section_rows> access_rows();
std::span<const section_rows> provider_rows();
std::span<const section_rows> route_rows();

std::span<const setting> settings();               // returns all settings, grouped by section in the order of the enum
std::span<const setting> settings(section where);  // returns the settings of one section
std::vector<std::string> setting_names(section where);
const setting* find_setting(section where, std::string_view name);

// Returns the default in YAML, or an empty text if there is no default.
std::string default_text(const setting& row);

}  // namespace photofinish::gateway

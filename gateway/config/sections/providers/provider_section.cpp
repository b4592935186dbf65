#include "gateway/config/forward_proxy_choice.hpp"
#include "gateway/config/sections/ca_file.hpp"
#include "gateway/config/sections/providers/provider_key.hpp"
#include "gateway/config/sections/sections.hpp"
#include "gateway/config/target_text.hpp"
#include "gateway/config/yaml/near_name.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/providers/catalogue.hpp"
#include "proxy/providers/presets.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::auth_style;
using proxy::preset;
using proxy::provider;

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, known] : proxy::presets()) names.push_back(name);
  return names;
}

// Returns the preset in the provider's setting `preset`. If the setting is absent, returns the preset with the
// provider's own name.
const preset* find_preset(const section_reader& reader, const std::string& provider_name) {
  std::string name = provider_name;
  const bool is_asked_for = reader.read("preset", name);
  const auto found = proxy::presets().find(name);
  if (found != proxy::presets().end()) return &found->second;
  if (is_asked_for) reader.error("preset", "unknown preset '" + name + "'" + did_you_mean(name, preset_names()));
  return nullptr;
}

// Returns the variant of a preset with the API that the provider uses. If a preset supports OpenAI's API and an API of
// its own, its own API is the default. However, if the file sets a URL or a path without `dialect`, OpenAI's API is
// used. Such a file was written when the preset only supported OpenAI's API.
const preset* in_its_dialect(const section_reader& reader, const preset* known) {
  if (known == nullptr || known->compatible.empty()) return known;
  const preset* const compatible = &known->compatible.front();
  std::string dialect;
  if (reader.read("dialect", dialect)) return dialect == compatible->defaults.dialect ? compatible : known;
  for (const char* field : {"base_url", "chat_path"}) {
    if (!reader.find(field)) continue;
    reader.shared().warn(reader.at(field), std::string(field) + ": this setting makes '" + known->defaults.preset +
                                               "' use `dialect: openai`. Write this dialect explicitly, or write "
                                               "dialect: " +
                                               known->defaults.dialect + " if the URL serves that API");
    return compatible;
  }
  return known;
}

// Reads the API dialect of a provider. Each dialect has a usual way to send the key, which applies even without a
// preset.
void read_dialect(const section_reader& reader, const preset* known, provider& into) {
  if (!reader.read("dialect", into.dialect)) return;
  if (into.dialect != "openai" && reader.find("chat_path"))
    reader.error("chat_path", "has no effect with dialect: " + into.dialect);
  if (known && known->defaults.dialect == into.dialect) return;
  for (const proxy::named_dialect& each : proxy::all_dialects()) {
    if (each.name != into.dialect || each.auth == auth_style::bearer) continue;
    into.key.auth = each.auth;
    into.key.header = each.auth_header;
  }
}

void read_own_url(const section_reader& reader, provider& into) {
  std::string text;
  if (!reader.read("base_url", text)) return;
  const proxy::base_url_result parsed = proxy::parse_base_url(text);
  if (!parsed.url) return reader.error("base_url", parsed.problem);
  if (parsed.url->path.ends_with("/chat/completions"))
    return reader.error("base_url", "must not include /chat/completions, because the gateway appends this path");
  into.url = *parsed.url;
}

// Reads the provider's whole URL from an environment variable that the provider's other clients also use. Returns false
// if the variable is not set.
bool read_endpoint(const section_reader& reader, const preset& known, provider& into) {
  if (known.endpoint_variable.empty()) return false;
  const auto value = reader.shared().machine.variable(known.endpoint_variable);
  if (!value) return false;
  const proxy::base_url_result read = proxy::endpoint_url(known, *value);
  if (read.url) into.url = *read.url;
  else reader.shared().error(reader.at(), read.problem);
  return true;
}

// Replaces the placeholders in a preset's URL. Their values come from `params`, or from the usual environment variables
// if `params` lacks them.
void fill_preset_url(const section_reader& reader, const preset& known, provider& into) {
  std::map<std::string, std::string> params;
  // The problem with `params` was already reported.
  if (!reader.read("params", params) && reader.find("params")) return;
  if (params.empty() && read_endpoint(reader, known, into)) return;
  std::vector<std::string> needed;
  for (const auto& [placeholder, variable] : known.needs) {
    needed.push_back(placeholder);
    const auto value = reader.shared().machine.variable(variable);
    if (!params.contains(placeholder) && value) params.emplace(placeholder, *value);
    if (!params.contains(placeholder) && reader.shared().may_miss("${" + variable + "}")) return;
    if (!params.contains(placeholder))
      return reader.error("params", "the preset's URL contains {" + placeholder + "}: give params: {" +
                                        placeholder + ": ...}, set " + variable + ", or set `base_url`");
  }
  for (const auto& [name, value] : params)
    if (!known.needs.contains(name))
      return reader.error("params", "the preset's URL has no placeholder {" + name + "}" + did_you_mean(name, needed));
  const proxy::base_url_result filled = proxy::fill_base_url(known, params);
  if (!filled.url) return reader.error("params", filled.problem);
  into.url = *filled.url;
}

void read_url(const section_reader& reader, const preset* known, provider& into) {
  if (reader.find("base_url")) {
    if (reader.find("params"))
      reader.error("params", "has no effect together with `base_url`, because `params` are only for the preset's URL");
    read_own_url(reader, into);
  } else if (known) {
    fill_preset_url(reader, *known, into);
  } else if (!reader.find("preset") && !reader.has_unknown()) {
    if (const auto meant = nearest(into.name, preset_names())) reader.shared().suggested_providers.insert(*meant);
    reader.shared().error(reader.at(), "provider '" + into.name +
                                           "' has no `base_url`, and there is no preset of this name" +
                                           did_you_mean(into.name, preset_names()));
  }
}

void check_auth(const section_reader& reader, const provider& into) {
  if (reader.has_read("auth_header")) {
    const std::string name = lower_case(into.key.header);
    if (into.key.auth != auth_style::header) reader.error("auth_header", "has no effect without `auth: header`");
    if (!is_header_name(name) || is_reserved_header(name))
      reader.error("auth_header", "names a header that cannot contain a key");
  }
  if (into.key.auth == auth_style::header && into.key.header.empty())
    reader.error("auth", "`auth: header` needs `auth_header`, the name of the header");
}

void read_headers(const section_reader& reader, provider& into) {
  std::map<std::string, std::string> headers;
  if (!reader.read("headers", headers)) return;
  for (const auto& [name, value] : headers) {
    const std::string lower = lower_case(name);
    if (!is_header_name(lower) || !is_header_value(value)) {
      reader.error("headers",
                   "'" + name + "' is not a valid header: its name or value contains a character that is not allowed");
    } else if (is_reserved_header(lower)) {
      reader.error("headers", name + " cannot be configured, because the gateway sets this header");
    } else if (is_credential_header(lower)) {
      reader.error("headers", name + " contains a key: use `api_key`, with `auth` and `auth_header`, instead");
    }
    std::erase_if(into.headers, [&](const auto& header) { return lower_case(header.first) == lower; });
    into.headers.emplace_back(name, value);
  }
}

void check_forward_headers(const section_reader& reader, provider& into) {
  if (!reader.has_read("forward_headers")) return;
  for (std::string& name : into.forwarding.headers) {
    name = lower_case(name);
    if (!is_header_name(name)) {
      reader.error("forward_headers", "'" + name + "' is not a valid header name");
    } else if (is_reserved_header(name)) {
      reader.error("forward_headers", name + " belongs to the client's connection and is not forwarded");
    } else if (is_credential_header(name)) {
      reader.error("forward_headers", name + " contains a key, and keys are never forwarded");
    }
  }
}

void read_apis(const section_reader& reader, provider& into) {
  std::vector<std::string> words;
  if (!reader.read("apis", words)) return;
  into.apis = {};
  for (const std::string& word : words) into.apis.add(*proxy::parse_served_api(word));
}

// The default memory limit for buffered events. The size of an event is all the memory that it occupies, which is at
// least 512 bytes. A model that streams its reasoning sends up to 30,000 events before its first token.
constexpr std::size_t usual_max_buffered = 16u << 20;

// Reads the prices of a provider. A preset's known prices apply only to the preset's own URL, because another host may
// have other prices.
void read_prices(const section_reader& reader, const preset* known, provider& into) {
  const bool is_elsewhere = reader.find("base_url") && !(known && proxy::is_own_url(*known, into.url));
  if (!is_elsewhere) into.listed.provider = proxy::list_of(into);
  else if (!reader.find("prices") && !into.preset.empty() && into.listed.list().models().contains(into.preset))
    reader.shared().warn(reader.at("base_url"), "base_url: the known prices of '" + into.preset +
                                                    "' apply only to the preset's own URL. Without `prices`, the costs "
                                                    "of '" +
                                                    into.name + "' are not counted");
  std::map<std::string, std::string> prices;
  reader.read("prices", prices);
  for (const auto& [model, text] : prices) {
    const auto parsed = proxy::parse_prices(text);
    if (!parsed)
      reader.error("prices", "'" + model + ": " + text + "' is not a price: give USD per million tokens as " +
                                 "input/output (0.15/0.6), input/cached input/output, or with input written to the "
                                 "cache before the output (3/0.3/3.75/15)");
    else into.prices.emplace(model, *parsed);
  }
}

bool is_member_hint(std::string_view name) {
  constexpr std::array<std::string_view, 8> taken{"model",        "messages", "input",  "instructions",
                                                  "system",       "tools",    "stream", "stream_options"};
  return proxy::consists_of_letters(name, "_") && std::find(taken.begin(), taken.end(), name) == taken.end();
}

// Reads the name of the field for prompt-cache hints. A name that the operator sets applies to all APIs and models.
void read_hint(const section_reader& reader, proxy::prompt_cache_traits& into) {
  std::string name;
  if (!reader.read("hint", name)) return;
  const std::string lower = lower_case(name);
  const bool is_header = proxy::is_header_hint(lower) && is_header_name(lower) && !is_reserved_header(lower) &&
                         !is_credential_header(lower);
  if (name == "none") name.clear();
  else if (is_header) name = lower;
  else if (!is_member_hint(name))
    return reader.error("hint", "'" + name + "' cannot carry a prompt cache hint. Give the name of a header, such as " +
                                    "x-session-affinity, the name of a body member, such as prompt_cache_key, or none");
  into.hint = {name, name};
  into.hint_models.clear();
}

// Keeps only those prompt-cache hints of the preset that are safe for this URL. A server that is not the preset's own
// may refuse a request with an unknown body member, but ignores an unknown header.
void keep_known_hints(const section_reader& provider, const preset* known, const proxy::base_url& url,
                      proxy::prompt_hint_fields& hint) {
  if (!known || !provider.find("base_url") || proxy::is_own_url(*known, url)) return;
  const std::string& host = known->defaults.url.host;
  // Changes nothing if the URL belongs to the same provider in another region.
  if (!host.empty() && url.host.ends_with("." + host)) return;
  for (std::string* each : {&hint.chat, &hint.responses})
    if (!proxy::is_header_hint(*each)) each->clear();
}

void read_prompt_cache(const section_reader& provider, const preset* known, const proxy::base_url& url,
                       proxy::prompt_cache_traits& into) {
  keep_known_hints(provider, known, url, into.hint);
  const yaml_node* node = provider.find("prompt_cache");
  if (!node) return;
  const section_reader reader(provider.shared(), *node, section::prompt_cache);
  reader.read_members(into);
  read_hint(reader, into);
  if (into.step > into.minimum && (reader.has_read("step") || reader.has_read("minimum")))
    reader.error(reader.has_read("step") ? "step" : "minimum",
                 "`step` (" + std::to_string(into.step) + " tokens) must not be more than `minimum` (" +
                     std::to_string(into.minimum) + " tokens)");
}

// Reads the HTTP proxy of a provider. A `proxy` setting of the provider itself applies to any host, but the top-level
// setting does not apply to loopback and to hosts in NO_PROXY.
void read_forward_proxy(const section_reader& reader, const std::string& for_all, provider& into) {
  proxy::secret own;
  if (!reader.read("proxy", own)) {
    forward_proxy_result found = forward_proxy_for(into.url, for_all, reader.shared().machine);
    if (!found.problem.empty()) reader.shared().error(reader.at(), found.problem);
    if (!found.warning.empty()) reader.shared().warn(reader.at(), "provider '" + into.name + "' " + found.warning);
    into.via = std::move(found.via);
  } else if (own.reveal() != "none") {
    forward_proxy_result found = parse_forward_proxy(own.reveal());
    if (!found.problem.empty()) reader.error("proxy", found.problem);
    into.via = std::move(found.via);
  }
}

provider read_provider(const section_reader& reader, const std::string& name, const std::string& for_all) {
  const preset* known = in_its_dialect(reader, find_preset(reader, name));
  provider into = known ? known->defaults : provider{};
  into.name = name;
  read_url(reader, known, into);
  read_dialect(reader, known, into);
  into.limits.max_buffered_bytes = usual_max_buffered;
  reader.read_members(into);
  reader.read_members(into.behaves);
  reader.read_members(into.limits);
  check_auth(reader, into);
  read_provider_key(reader, known, into);
  if (reader.has_read("chat_path") &&
      (!into.chat_path.starts_with('/') || !is_printable(into.chat_path)))
    reader.error("chat_path", "must begin with '/' and must not contain spaces");
  read_apis(reader, into);
  into.may_serve_others = known == nullptr && into.dialect == "openai" && !reader.find("apis");
  read_headers(reader, into);
  check_forward_headers(reader, into);
  check_ca_file(reader, into.ca_file);
  into.listed = proxy::listed_models(reader.shared().models);
  read_prices(reader, known, into);
  read_facts(reader, into.facts);
  read_prompt_cache(reader, known, into.url, into.behaves.prompt_cache);
  read_forward_proxy(reader, for_all, into);
  if (into.key.credentials) into.key.credentials->via = into.via;
  return into;
}

}  // namespace

void read_providers(const section_reader& top, config& into) {
  const yaml_node* map = top.find_sections("providers", yaml_kind::map, "a map, as in {groq: {}}");
  if (!map) return;
  for (const yaml_member& entry : map->members) {
    if (!is_provider_name(entry.key))
      top.shared().error(entry.key_at, "provider '" + entry.key + "': a name may contain a-z, 0-9 and '-' only");
    const section_reader reader(top.shared(), entry.value, section::provider);
    if (entry.value.kind == yaml_kind::map || entry.value.kind == yaml_kind::null)
      into.providers.emplace(entry.key, read_provider(reader, entry.key, into.forward_proxy.reveal()));
  }
}

}  // namespace photofinish::gateway

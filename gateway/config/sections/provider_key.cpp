#include "gateway/config/sections/provider_key.hpp"

#include "gateway/http/header_names.hpp"
#include "proxy/providers/url.hpp"

namespace photofinish::gateway {
namespace {

using proxy::auth_style;
using proxy::preset;
using proxy::provider;

constexpr const char* only_callers = " has no key: only callers with a key of their own can use it";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

void read_configured_key(const section_reader& reader, provider& into) {
  proxy::secret key;
  if (!reader.read("api_key", key)) return;
  if (key.reveal() == "none") {
    into.key_optional = true;
  } else if (into.auth == auth_style::none) {
    reader.error("api_key", "is never sent with auth: none");
  } else if (!is_sendable_key(key.reveal())) {
    reader.error("api_key", "contains a space, a line break or a control character");
  } else {
    into.api_key = std::move(key);
  }
}

void take_preset_key(const section_reader& reader, const preset& known, provider& into) {
  for (const std::string& variable : known.key_variables) {
    const auto value = reader.shared().machine.variable(variable);
    if (!value) continue;
    into.key_variable = variable;
    if (is_sendable_key(*value)) {
      into.api_key = proxy::secret(*value);
    } else {
      reader.shared().error(reader.at(),
                            "the key in " + variable + " contains a space, a line break or a control character");
    }
    return;
  }
  if (into.key_optional) return;
  if (known.key_variables.empty())
    return reader.shared().warn(reader.at(),
                                "provider '" + into.name + "'" + only_callers + "; give an api_key");
  reader.shared().warn(
      reader.at(), joined(known.key_variables) + " is not set: provider '" + into.name + "'" + only_callers);
}

void warn_of_missing_key(const section_reader& reader, const preset* known, provider& into) {
  into.key_variable.clear();
  if (into.key_optional || into.url.host.empty()) return;  // without a URL that is not what matters
  std::string message = "provider '" + into.name + "'" + only_callers + "; give an api_key, or api_key: none";
  if (known && !known->key_variables.empty())
    message += " (" + joined(known->key_variables) + " is used for the preset's own URL only)";
  reader.shared().warn(reader.at(), message);
}

void warn_of_plain_http(const section_reader& reader, const provider& into) {
  const bool sends_keys = !into.api_key.empty() || into.accept_bearer;
  if (sends_keys && !into.url.is_tls && !into.url.host.empty() && !proxy::is_loopback(into.url.host))
    reader.shared().warn(reader.at("base_url"), "base_url: the key of '" + into.name + "' is sent to " +
                                                    into.url.host + " over plain http, where others can read it");
}

}  // namespace

void read_provider_key(const section_reader& reader, const preset* known, provider& into) {
  reader.read("accept_bearer", into.accept_bearer);
  if (into.auth == auth_style::none) into.key_optional = true;
  const bool is_presets_host = known && !reader.find("base_url");
  if (reader.find("api_key")) {
    read_configured_key(reader, into);
  } else if (is_presets_host && into.auth != auth_style::none) {
    take_preset_key(reader, *known, into);
  } else {
    warn_of_missing_key(reader, known, into);
  }
  warn_of_plain_http(reader, into);
}

}  // namespace photofinish::gateway

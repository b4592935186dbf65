#include "gateway/config/sections/providers/provider_key.hpp"

#include "gateway/config/sections/providers/provider_credentials.hpp"
#include "gateway/http/header_names.hpp"
#include "proxy/aws/aws_credentials.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using proxy::auth_style;
using proxy::preset;
using proxy::provider;

// The names of the settings with AWS's credentials, and the names of the variables that all AWS SDKs read.
constexpr std::array aws_settings{"aws_access_key_id", "aws_secret_access_key", "aws_session_token"};
constexpr std::array aws_variables{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"};

constexpr const char* only_callers = " has no key, so only callers who send their own key can use this provider";

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

// Returns a text for people that names the source of the key, such as "GROQ_API_KEY" or "file:/run/secrets/groq", but
// never contains the key. Returns an empty text if the configuration file itself contains the key.
std::string origin_of(const section_reader& reader, std::string_view name) {
  const yaml_node* node = reader.find(name);
  if (file_reference(node->text)) return node->text;
  std::vector<std::string> variables;
  for (const used_variable& each : expand(node->text, reader.shared().machine).variables)
    variables.push_back(each.name);
  return joined(variables);
}

void read_configured_key(const section_reader& reader, provider& into) {
  proxy::secret key;
  if (!reader.read("api_key", key)) return;
  if (key.reveal() == "none") {
    into.key.is_optional = into.key.is_unneeded = true;
  } else if (into.key.auth == auth_style::none) {
    reader.error("api_key", "has no effect with `auth: none`, because no key is sent");
  } else if (!is_sendable_key(key.reveal())) {
    reader.error("api_key", "contains a space, a line break or a control character");
  } else if (into.key.auth == auth_style::aws && key.reveal().find(':') != std::string::npos &&
             !proxy::read_aws_credentials(key)) {
    reader.error("api_key", "must be an API key, ACCESS_KEY_ID:SECRET or ACCESS_KEY_ID:SECRET:SESSION_TOKEN");
  } else {
    into.key.value = std::move(key);
    into.key.origin = origin_of(reader, "api_key");
  }
}

// Joins the three parts of AWS credentials into one secret. The last part may be missing. Returns nothing if the parts
// are not valid AWS credentials.
std::optional<proxy::secret> joined_credentials(const std::array<std::string, 3>& parts) {
  proxy::secret key = proxy::one_key_of({parts[0], proxy::secret(parts[1]), proxy::secret(parts[2])});
  if (!is_sendable_key(key.reveal()) || !proxy::read_aws_credentials(key)) return std::nullopt;
  return key;
}

bool names_aws_credentials(const section_reader& reader) {
  return std::any_of(aws_settings.begin(), aws_settings.end(), [&](const char* each) { return reader.find(each); });
}

void read_aws_settings(const section_reader& reader, provider& into) {
  std::array<std::string, 3> parts;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    if (!reader.find(aws_settings[at])) continue;
    proxy::secret part;
    if (!reader.read(aws_settings[at], part)) return;
    if (into.key.auth != auth_style::aws) return reader.error(aws_settings[at], "has no effect without `auth: aws`");
    if (reader.find("aws_profile"))
      return reader.error(aws_settings[at], "cannot be combined with `aws_profile`: give only one of them");
    if (reader.find("api_key"))
      return reader.error(aws_settings[at], "cannot be combined with `api_key`: give only one of them");
    parts[at] = part.reveal();
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}})
    if (parts[at].empty())
      return reader.shared().error(reader.at(), std::string(aws_settings[at]) +
                                                    " is missing: AWS credentials need both " +
                                                    "aws_access_key_id and aws_secret_access_key");
  if (auto key = joined_credentials(parts))
    into.key.value = *std::move(key), into.key.origin = origin_of(reader, "aws_access_key_id");
  else reader.error("aws_access_key_id",
                    "the AWS credentials contain a character that is not allowed");
}

// Reads AWS's variables, which AWS's SDKs also read if no API key is set. Returns false if these variables are not set.
bool take_aws_variables(const section_reader& reader, provider& into) {
  std::array<std::string, 3> parts;
  for (std::size_t at = 0; at < parts.size(); ++at)
    parts[at] = reader.shared().machine.variable(aws_variables[at]).value_or("");
  if (parts[0].empty() || parts[1].empty()) return false;
  into.key.variable = aws_variables[0];
  if (auto key = joined_credentials(parts)) into.key.value = *std::move(key);
  else reader.shared().error(reader.at(), "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_SESSION_TOKEN contains a "
                                          "character that is not allowed");
  return true;
}

void read_aws_region(const section_reader& reader, provider& into) {
  const bool is_given = reader.has_read("aws_region");
  if (is_given && into.key.auth != auth_style::aws)
    return reader.error("aws_region", "has no effect without `auth: aws`");
  if (into.key.auth != auth_style::aws || into.url.host.empty()) return;
  if (!is_given) into.key.aws_region = proxy::aws_region_of(into.url.host);
  const bool may_sign = into.key.value.empty() || proxy::read_aws_credentials(into.key.value);
  if (into.key.aws_region.empty() && may_sign)
    reader.error("base_url", "does not contain the AWS region, which signatures need: set `aws_region`");
}

void read_aws_guardrail(const section_reader& reader, provider& into) {
  std::string text;
  if (!reader.read("aws_guardrail", text)) return;
  if (into.dialect != "bedrock") return reader.error("aws_guardrail", "has no effect without `dialect: bedrock`");
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  const std::string_view version = std::string_view(text).substr(std::min(colon + 1, text.size()));
  const bool is_number = !version.empty() && version.find_first_not_of("0123456789") == std::string_view::npos;
  // The characters that a guardrail's id may contain. They are limited, because the id is also sent in a header.
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/._-";
  const bool is_id = colon > 0 && text.find_first_not_of(allowed) == std::string::npos;
  if (!is_id || (!is_number && version != "DRAFT"))
    return reader.error("aws_guardrail", "must be an id and a version, for example gr12ab34cd56:1 or "
                                         "gr12ab34cd56:DRAFT");
  into.guardrail = proxy::bedrock_guardrail{text.substr(0, colon), std::string(version)};
}

// Reads the key from a variable of the preset. Returns false if no such variable is set.
bool take_key_variable(const section_reader& reader, const preset& known, provider& into) {
  for (const std::string& variable : known.key_variables) {
    const auto value = reader.shared().machine.variable(variable);
    if (!value) continue;
    into.key.variable = variable;
    if (is_sendable_key(*value)) {
      into.key.value = proxy::secret(*value);
    } else {
      reader.shared().error(reader.at(),
                            "the key in " + variable + " contains a space, a line break or a control character");
    }
    return true;
  }
  return into.key.auth == auth_style::aws && take_aws_variables(reader, into);
}

void warn_of_unset_variables(const section_reader& reader, const preset& known, const provider& into) {
  if (into.key.is_optional) return;
  if (known.key_variables.empty())
    return reader.shared().warn(reader.at(),
                                "provider '" + into.name + "'" + only_callers + "; set `api_key`");
  if (reader.shared().may_miss("${" + known.key_variables.front() + "}")) return;
  std::string variables = joined(known.key_variables);
  if (into.key.auth == auth_style::aws) variables += " (or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY)";
  reader.shared().warn(reader.at(), variables + " is not set: provider '" + into.name + "'" + only_callers);
}

void warn_of_missing_key(const section_reader& reader, const preset* known, provider& into) {
  into.key.variable.clear();
  // Does not warn about a missing key if the URL is also missing, because the missing URL is the main problem.
  if (into.key.is_optional || into.url.host.empty()) return;
  std::string message = "provider '" + into.name + "'" + only_callers +
                        "; set `api_key`, or `api_key: none` if no key is needed";
  if (known && !known->key_variables.empty())
    message += " (" + joined(known->key_variables) + " is used only for the preset's own URL)";
  reader.shared().warn(reader.at(), message);
}

void warn_of_plain_http(const section_reader& reader, const provider& into) {
  const bool sends_keys = into.has_own_key() || into.forwarding.accept_bearer;
  if (sends_keys && !into.url.is_tls && !into.url.host.empty() && !proxy::is_loopback(into.url.host))
    reader.shared().warn(reader.at("base_url"), "base_url: the key of the provider '" + into.name + "' is sent to " +
                                                    into.url.host +
                                                    " over http without TLS, so others can read the key");
}

// Finds the provider's key. Settings in the file have priority over variables, and variables have priority over
// credentials of the machine.
void find_key(const section_reader& reader, const preset* known, provider& into) {
  if (names_aws_credentials(reader)) return read_aws_settings(reader, into);
  if (reader.find("api_key")) return read_configured_key(reader, into);
  const bool wants_renewed = wants_credentials(reader, into);
  const bool is_presets_host = known && !reader.find("base_url") && into.key.auth != auth_style::none;
  const bool comes_first = into.key.auth != auth_style::aws || reader.find("aws_profile");
  if (wants_renewed && comes_first) return read_credentials(reader, into);
  if (is_presets_host && take_key_variable(reader, *known, into)) return;
  if (wants_renewed) return read_credentials(reader, into);
  if (is_presets_host) return warn_of_unset_variables(reader, *known, into);
  warn_of_missing_key(reader, known, into);
}

}  // namespace

void read_provider_key(const section_reader& reader, const preset* known, provider& into) {
  if (into.key.auth == auth_style::none) into.key.is_optional = true;
  check_credential_settings(reader, into);
  find_key(reader, known, into);
  read_aws_region(reader, into);
  read_aws_guardrail(reader, into);
  warn_of_plain_http(reader, into);
}

}  // namespace photofinish::gateway

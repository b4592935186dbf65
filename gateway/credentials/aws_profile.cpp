#include "gateway/credentials/aws_profile.hpp"

#include "proxy/aws/aws_credentials.hpp"
#include "proxy/http/http_head.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace photofinish::gateway {
namespace {

using profile = std::map<std::string, std::string, std::less<>>;

// Reads the section `[wanted]`. If several sections have this name, reads all of them. Indented lines are ignored,
// because they belong to a nested setting.
profile section_of(std::string_view text, std::string_view wanted) {
  profile found;
  bool is_inside = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool is_indented = line.starts_with(' ') || line.starts_with('\t');
    line = proxy::trim_space(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    if (line.empty() || line.starts_with('#') || line.starts_with(';') || is_indented) continue;
    if (line.starts_with('[')) {
      is_inside = proxy::trim_space(line.substr(1, line.find(']') - 1)) == wanted;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!is_inside || equals == std::string_view::npos) continue;
    found.insert_or_assign(std::string(proxy::trim_space(line.substr(0, equals))),
                           std::string(proxy::trim_space(line.substr(equals + 1))));
  }
  return found;
}

std::string value_of(const profile& from, std::string_view name) {
  const auto found = from.find(name);
  return found == from.end() ? std::string() : found->second;
}

std::optional<obtaining> keys_of(const profile& from) {
  const std::string id = value_of(from, "aws_access_key_id"), key = value_of(from, "aws_secret_access_key");
  if (id.empty() || key.empty()) return std::nullopt;
  const proxy::secret made =
      proxy::one_key_of({id, proxy::secret(key), proxy::secret(value_of(from, "aws_session_token"))});
  if (!proxy::read_aws_credentials(made))
    return refused("the profile's keys contain a character that AWS keys cannot have");
  return obtained_key{made, std::nullopt};
}

}  // namespace

obtaining read_aws_profile(std::string_view credentials_text, std::string_view config_text, std::string_view name) {
  const profile keys = section_of(credentials_text, name);
  const std::string in_config = name == "default" ? std::string(name) : "profile " + std::string(name);
  const profile settings = section_of(config_text, in_config);
  if (auto found = keys_of(keys)) return *found;
  if (auto found = keys_of(settings)) return *found;
  constexpr std::array elsewhere{"role_arn", "credential_process", "sso_session", "sso_start_url",
                                 "web_identity_token_file"};
  for (const char* each : elsewhere)
    if (keys.contains(each) || settings.contains(each))
      return refused(std::string("the profile's keys come from ") + each +
                     ", which is not supported: put the keys into the profile, or let the AWS CLI write them into the "
                     "credentials file");
  return absent("there is no such profile with aws_access_key_id and aws_secret_access_key");
}

}  // namespace photofinish::gateway

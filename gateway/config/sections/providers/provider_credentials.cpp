#include "gateway/config/sections/providers/provider_credentials.hpp"

#include "gateway/config/sections/near_hosts.hpp"
#include "gateway/config/webhook_url.hpp"
#include "proxy/providers/url.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

using proxy::auth_style;
using proxy::credential_place;
using proxy::credential_source;
using proxy::credential_step;

struct owned_setting {
  const char* name;
  auth_style its;
  std::string_view auth;
};
constexpr std::array owned_settings{
    owned_setting{"google_credentials", auth_style::google, "google"},
    owned_setting{"entra_tenant_id", auth_style::entra, "entra"},
    owned_setting{"entra_client_id", auth_style::entra, "entra"},
    owned_setting{"entra_client_secret", auth_style::entra, "entra"},
    owned_setting{"entra_token_file", auth_style::entra, "entra"},
    owned_setting{"entra_scope", auth_style::entra, "entra"},
    owned_setting{"aws_profile", auth_style::aws, "aws"},
};

constexpr const char* google_scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr const char* usual_entra_scope = "https://cognitiveservices.azure.com/.default";
constexpr const char* link_local = "http://169.254.169.254";  // the metadata servers of all clouds have this address
constexpr const char* ecs_host = "http://169.254.170.2";

std::optional<std::string> variable(const section_reader& reader, const char* name) {
  return reader.shared().machine.variable(name);
}

// Returns the value of a setting, or of the environment variable with the same meaning if the setting is absent. Writes
// the name of the used setting or variable to `named_by`.
std::string setting_or_variable(const section_reader& reader, const char* setting, const char* name,
                                std::string* named_by = nullptr) {
  std::string value;
  const bool is_set = reader.read(setting, value);
  if (!is_set) value = variable(reader, name).value_or("");
  if (named_by && !value.empty()) *named_by = is_set ? setting : name;
  return value;
}

std::string in_home(const section_reader& reader, std::string_view path) {
  return variable(reader, "HOME").value_or("/") + std::string(path);
}

// Returns the server that an environment variable names. If the variable is not set, returns the default server
// `usual`.
proxy::base_url server(const section_reader& reader, const char* name, const char* usual) {
  const auto given = variable(reader, name);
  std::string text = given.value_or(usual);
  const std::string_view scheme(usual, std::string_view(usual).find("://") + 3);
  if (text.find("://") == std::string::npos) text.insert(0, scheme);
  const proxy::base_url_result read = proxy::parse_base_url(text);
  if (read.url) return *read.url;
  reader.shared().error(reader.at(), std::string(name) + " " + read.problem);
  return proxy::parse_base_url(usual).url.value_or(proxy::base_url{});
}

credential_source read_google(const section_reader& reader) {
  credential_source source{google_scope, {}, {}};
  credential_step named;
  named.file = setting_or_variable(reader, "google_credentials", "GOOGLE_APPLICATION_CREDENTIALS", &named.named_by);
  if (!named.file.empty()) {
    if (named.named_by == "google_credentials") {
      const file_content content = reader.shared().machine.read_file(named.file);
      if (!content.problem.empty() && !reader.shared().may_miss("file:" + named.file))
        reader.error("google_credentials", named.file + ": " + content.problem);
      if (content.is_open_to_all)
        reader.shared().warn_of_open_file(reader.at("google_credentials"), "google_credentials", named.file);
    }
    source.steps.push_back(std::move(named));
    return source;
  }
  const std::string folder = variable(reader, "CLOUDSDK_CONFIG").value_or(in_home(reader, "/.config/gcloud"));
  source.steps.push_back(
      {.place = credential_place::google_file, .file = folder + "/application_default_credentials.json"});
  source.steps.push_back(
      {.place = credential_place::google_metadata, .url = server(reader, "GCE_METADATA_HOST", link_local)});
  return source;
}

credential_source read_entra(const section_reader& reader) {
  credential_source source{usual_entra_scope, {}, {}};
  reader.read("entra_scope", source.scope);
  credential_step client;
  client.tenant = setting_or_variable(reader, "entra_tenant_id", "AZURE_TENANT_ID");
  client.name = setting_or_variable(reader, "entra_client_id", "AZURE_CLIENT_ID");
  if (reader.find("entra_client_secret") && reader.find("entra_token_file"))
    reader.error("entra_token_file", "cannot be combined with `entra_client_secret`: give only one of them");
  if (!reader.read("entra_client_secret", client.own) && !reader.find("entra_token_file"))
    client.own = proxy::secret(variable(reader, "AZURE_CLIENT_SECRET").value_or(""));
  if (client.own.empty())
    client.file = setting_or_variable(reader, "entra_token_file", "AZURE_FEDERATED_TOKEN_FILE", &client.named_by);
  if (client.own.empty() && client.file.empty()) {
    source.steps.push_back({.place = credential_place::entra_imds,
                            .url = server(reader, "AZURE_POD_IDENTITY_AUTHORITY_HOST", link_local),
                            .name = client.name});
    return source;
  }
  if (client.tenant.empty())
    reader.error("auth", "entra with a client secret or a token file also needs `entra_tenant_id`");
  if (client.name.empty())
    reader.error("auth", "entra with a client secret or a token file also needs `entra_client_id`");
  client.url = server(reader, "AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com");
  if (!client.url.is_tls && !proxy::is_loopback(client.url.host))
    reader.shared().error(reader.at(), "AZURE_AUTHORITY_HOST must be an https:// URL, because a secret is sent to this "
                                       "host");
  client.place = client.own.empty() ? credential_place::entra_token_file : credential_place::entra_secret;
  source.steps.push_back(std::move(client));
  return source;
}

// Adds the credentials of a container. A variable with a relative URI names a path on AWS's container host. If it is
// not set, the variable with a full URI is used. Only URLs that AWS's SDKs would also accept are allowed.
void add_container(const section_reader& reader, credential_source& into) {
  credential_step step{.place = credential_place::aws_container};
  const auto path = variable(reader, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const auto full = variable(reader, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!path && !full) return;
  step.named_by = path ? "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI" : "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  const webhook_url_result read = parse_webhook_url(path ? ecs_host + *path : *full);
  const bool is_right = read.url && (!path || path->starts_with('/'));
  if (!is_right) return reader.shared().error(reader.at(), step.named_by + " is not a " + (path ? "path" : "URL"));
  step.url = read.url->origin;
  step.url.path = read.url->path;
  if (!may_have_container_credentials(step.url))
    return reader.shared().error(reader.at(), step.named_by + " must be an https:// URL, or a URL on loopback or at " +
                                                  "169.254.170.2, 169.254.170.23 or [fd00:ec2::23]");
  step.file = variable(reader, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").value_or("");
  step.own = proxy::secret(variable(reader, "AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or(""));
  into.steps.push_back(std::move(step));
}

credential_source read_aws(const section_reader& reader) {
  credential_source source;
  credential_step profile{.place = credential_place::aws_profile};
  profile.file = variable(reader, "AWS_SHARED_CREDENTIALS_FILE").value_or(in_home(reader, "/.aws/credentials"));
  profile.second_file = variable(reader, "AWS_CONFIG_FILE").value_or(in_home(reader, "/.aws/config"));
  profile.name = setting_or_variable(reader, "aws_profile", "AWS_PROFILE", &profile.named_by);
  const bool is_named = !profile.name.empty();
  if (!is_named) profile.name = "default";
  source.steps.push_back(std::move(profile));
  if (is_named) return source;
  add_container(reader, source);
  if (variable(reader, "AWS_EC2_METADATA_DISABLED").value_or("") != "true")
    source.steps.push_back({.place = credential_place::aws_instance,
                            .url = server(reader, "AWS_EC2_METADATA_SERVICE_ENDPOINT", link_local)});
  return source;
}

bool is_of_its_type(const section_reader& reader, std::string_view name) {
  std::string text;
  proxy::secret hidden;
  return name == "entra_client_secret" ? reader.read(name, hidden) : reader.read(name, text);
}

bool names_any(const section_reader& reader, auth_style style) {
  return std::any_of(owned_settings.begin(), owned_settings.end(),
                     [&](const owned_setting& each) { return each.its == style && reader.find(each.name); });
}

}  // namespace

bool wants_credentials(const section_reader& reader, const proxy::provider& into) {
  if (into.key.auth == auth_style::google || into.key.auth == auth_style::entra) return true;
  return into.key.auth == auth_style::aws && (reader.find("auth") || names_any(reader, auth_style::aws));
}

void read_credentials(const section_reader& reader, proxy::provider& into) {
  if (into.key.auth == auth_style::google) into.key.credentials = read_google(reader);
  if (into.key.auth == auth_style::entra) into.key.credentials = read_entra(reader);
  if (into.key.auth == auth_style::aws) into.key.credentials = read_aws(reader);
}

void check_credential_settings(const section_reader& reader, const proxy::provider& into) {
  for (const owned_setting& each : owned_settings) {
    const bool is_others = into.key.auth != each.its;
    if (!reader.find(each.name) || (!is_others && !reader.find("api_key"))) continue;
    if (!is_of_its_type(reader, each.name)) continue;  // the wrong type of the setting was already reported
    if (is_others) reader.error(each.name, "has no effect without auth: " + std::string(each.auth));
    else reader.error(each.name, "cannot be combined with `api_key`: give only one of them");
  }
}

}  // namespace photofinish::gateway

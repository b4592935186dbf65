#include "gateway/access/keys.hpp"

#include "proxy/words/ascii.hpp"


#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using verdict = std::optional<refusal>;  // the refusal of a key; empty if no reason to refuse the key was found yet

constexpr std::string_view provider_key_prefix = "x-provider-key-";
constexpr std::size_t longest_name = 64;

refusal unauthorized(std::string message) { return {401, std::move(message), "invalid_api_key"}; }

bool is_known(std::string_view name, const config& configured) {
  return name == own_name || configured.providers.contains(std::string(name));
}

bool is_provider_name(std::string_view text) {
  constexpr std::string_view characters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.size() <= longest_name && text[0] != '-' &&
         text.find_first_not_of(characters) == std::string_view::npos;
}

// One comma-separated part of a text that may be a keyring. The part is split at its first `=`.
struct entry {
  std::string_view name;
  std::string_view value;
  bool has_equals = false;
};

std::vector<entry> split_entries(std::string_view token) {
  std::vector<entry> entries;
  for (std::string_view part; proxy::next_list_member(token, part);) {
    if (part.empty()) continue;  // the text ends with a comma or contains two commas in a row
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      entries.push_back({part, {}, false});
    else
      entries.push_back(
          {proxy::trim_space(part.substr(0, equals)), proxy::trim_space(part.substr(equals + 1)), true});
  }
  return entries;
}

// True if the value contains characters other than `=`. Without this check, a token such as `abc==` would count as the
// name `abc` with the value `=`, although its `=` are only base64 padding.
bool has_value(const entry& part) { return part.value.find_first_not_of('=') != std::string_view::npos; }

bool is_keyring(const std::vector<entry>& entries, const config& configured) {
  const auto names_a_known_one = [&](const entry& part) {
    return part.has_equals && is_known(proxy::ascii_lower(part.name), configured);
  };
  const auto looks_like_an_entry = [](const entry& part) {
    return part.has_equals && is_provider_name(part.name) && has_value(part);
  };
  if (entries.empty()) return false;
  return std::any_of(entries.begin(), entries.end(), names_a_known_one) ||
         std::all_of(entries.begin(), entries.end(), looks_like_an_entry);
}

verdict keep(std::optional<proxy::secret>& held, std::string_view value, std::string_view name) {
  proxy::secret brought{std::string(value)};
  if (held && *held != brought)
    return unauthorized("the request has two different keys for `" + std::string(name) + "`: send only one");
  held = std::move(brought);
  return {};
}

// Stores a key under its name, which is in lower case. An error contains the name only if it looks like a provider's
// name. Any other name might be part of a key.
verdict keep_named(std::string_view name, std::string_view value, const config& configured,
                   presented_keys& keys) {
  if (!is_provider_name(name)) return unauthorized("a key is given for a name that is not a valid provider name");
  const std::string quoted = "`" + std::string(name) + "`";
  if (!is_known(name, configured))
    return unauthorized("a key is given for " + quoted + ", which is not a provider of this gateway");
  if (value.find_first_not_of('=') == std::string_view::npos)
    return unauthorized("the key for " + quoted + " is empty");
  if (name == own_name) return keep(keys.access_key, value, name);
  std::optional<proxy::secret> held;
  if (const auto known = keys.by_provider.find(name); known != keys.by_provider.end()) held = known->second;
  if (verdict refused = keep(held, value, name)) return refused;
  keys.by_provider.insert_or_assign(std::string(name), *std::move(held));
  return {};
}

verdict read_keyring(const std::vector<entry>& entries, const config& configured, presented_keys& keys) {
  for (std::size_t position = 0; position < entries.size(); ++position) {
    const entry& part = entries[position];
    if (!part.has_equals)
      return unauthorized("entry " + std::to_string(position + 1) +
                          " of the bearer token does not have the form `provider=KEY`");
    if (verdict refused = keep_named(proxy::ascii_lower(part.name), part.value, configured, keys)) return refused;
  }
  return {};
}

// Returns the token of a `Bearer TOKEN` header value. Returns an empty text for another scheme.
std::string_view bearer_token(std::string_view authorization) {
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos ||
      !proxy::equals_ignoring_case(authorization.substr(0, space), "bearer"))
    return {};
  return proxy::trim_space(authorization.substr(space));
}

verdict read_token(std::string_view token, const config& configured, presented_keys& keys) {
  if (token.empty()) return {};
  // A plain key may look like a keyring. If the whole text is a configured access key, it counts as that key.
  const std::optional<key_digest> digest =
      configured.access.keys.empty() ? std::nullopt : std::optional(digest_of_key(token));
  const bool is_access_key = digest && configured.access.keys.find(*digest) != nullptr;
  if (!is_access_key) {
    const std::vector<entry> entries = split_entries(token);
    if (is_keyring(entries, configured)) return read_keyring(entries, configured, keys);
  }
  keys.bearer_digest = digest;
  return keep(keys.bearer, token, "Authorization");
}

// Reads the header x-api-key, in which Anthropic's clients send their key. Some clients send a placeholder there, and
// the real key in another header.
verdict read_api_key(std::span<const proxy::header_field> fields, const config& configured, presented_keys& keys) {
  const bool has_key = keys.bearer || keys.access_key || !keys.by_provider.empty();
  for (const auto& [name, value] : fields)
    if (!has_key && proxy::equals_ignoring_case(name, "x-api-key"))
      return read_token(proxy::trim_space(value), configured, keys);
  return {};
}

verdict read_field(std::string_view field, std::string_view value, const config& configured,
                   presented_keys& keys) {
  using proxy::equals_ignoring_case;
  if (equals_ignoring_case(field, "authorization")) return read_token(bearer_token(value), configured, keys);
  if (equals_ignoring_case(field, "x-photofinish-key")) return keep_named(own_name, value, configured, keys);
  const std::size_t prefix_size = std::min(field.size(), provider_key_prefix.size());
  if (!equals_ignoring_case(field.substr(0, prefix_size), provider_key_prefix)) return {};
  const std::string provider = proxy::ascii_lower(field.substr(prefix_size));
  if (provider == own_name) return unauthorized("send this gateway's own key in x-photofinish-key");
  return keep_named(provider, value, configured, keys);
}

bool is_alone(const proxy::provider& provider, std::span<const target_name> targets) {
  return !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const target_name& target) {
    return target.provider == provider.name;
  });
}

bool may_take_bearer(const proxy::provider& provider, const presented_keys& presented,
                     const config& configured, std::span<const target_name> targets) {
  return provider.forwarding.accept_bearer && presented.bearer && is_alone(provider, targets) &&
         opened_by_bearer(presented, configured) == nullptr;
}

chosen_key without_key(const proxy::provider& provider) {
  return {provider.key.is_optional ? key_source::not_needed : key_source::none, {}};
}

}  // namespace

const access_key* opened_by_bearer(const presented_keys& presented, const config& configured) {
  if (!presented.bearer) return nullptr;
  if (presented.bearer_digest) return configured.access.keys.find(*presented.bearer_digest);
  return configured.access.keys.find(*presented.bearer);
}

std::variant<presented_keys, refusal> read_keys(std::span<const proxy::header_field> fields,
                                                const config& configured) {
  presented_keys keys;
  std::string_view azure_key;  // the header in which Azure's clients send their token
  bool has_authorization = false;
  for (const auto& [name, value] : fields) {
    if (proxy::equals_ignoring_case(name, "api-key")) azure_key = proxy::trim_space(value);
    has_authorization |= proxy::equals_ignoring_case(name, "authorization");
    if (verdict refused = read_field(name, value, configured, keys)) return *std::move(refused);
  }
  if (!has_authorization)
    if (verdict refused = read_token(azure_key, configured, keys)) return *std::move(refused);
  if (verdict refused = read_api_key(fields, configured, keys)) return *std::move(refused);
  return keys;
}

chosen_key key_for(const proxy::provider& provider, const presented_keys& presented, const config& configured,
                   std::span<const target_name> targets) {
  if (provider.key.auth == proxy::auth_style::none) return {key_source::not_needed, {}};
  if (const auto own = presented.by_provider.find(provider.name); own != presented.by_provider.end())
    return {key_source::own, own->second};
  if (may_take_bearer(provider, presented, configured, targets)) return {key_source::own, *presented.bearer};
  if (!presented.by_provider.empty() && !configured.access.share_keys) return without_key(provider);
  if (provider.has_own_key()) return {key_source::configured, provider.key.value};
  return without_key(provider);
}

refusal no_key_for(std::span<const target_name> targets, const config& configured) {
  std::set<std::string> names;
  for (const target_name& target : targets) names.insert(target.provider);
  std::string wanted, example, variables;
  for (const std::string& name : names) {
    wanted += (wanted.empty() ? "" : ", ") + name;
    example += (example.empty() ? "" : ",") + name + "=KEY";
    const auto provider = configured.providers.find(name);
    if (provider == configured.providers.end() || provider->second.key.variable.empty()) continue;
    variables += (variables.empty() ? "" : ", ") + provider->second.key.variable;
  }
  std::string message = "no key for any target of this request (" + wanted +
                        "): send `Authorization: Bearer " + example + "` or the header `" +
                        std::string(provider_key_prefix) + (names.empty() ? "PROVIDER" : *names.begin()) +
                        ": KEY`";
  if (!variables.empty()) message += ", or ask the operator to set " + variables;
  return unauthorized(std::move(message));
}

}  // namespace photofinish::gateway

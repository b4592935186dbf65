#include "gateway/credentials/credential_keeper.hpp"

#include "gateway/credentials/credential_rules.hpp"
#include "proxy/aws/aws_credentials.hpp"
#include "proxy/failures/redactor.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// Returns a list such as "'azure', 'claude'".
std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text.append(text.empty() ? "'" : ", '").append(each).append("'");
  return text;
}

}  // namespace

void credential_keeper::adopt(const config& settings) {
  std::vector<user> users;
  for (const auto& [name, provider] : settings.providers)
    if (provider.key.credentials) users.push_back({*provider.key.credentials, name});
  keep(users);
}

void credential_keeper::renew(const proxy::credential_source& source, std::uint64_t serial) {
  const auto item = find(source);
  if (!item || item->held->serial != serial || item->failures > 0) return;
  item->is_refused = true;
  fetch(item);
}

asio::awaitable<obtained_credential> credential_keeper::load(const proxy::credential_source& from, credential_io& io) {
  return obtain(from, io);
}

std::optional<refresh_times> credential_keeper::accept(entry& item, held_credential& next, obtained_credential given) {
  if (!given.got) {
    // The current key is removed from the error text, because this text might quote a server's answer that contains the
    // key.
    const std::vector<proxy::secret> own = proxy::secrets_in(next.key);
    next.trouble = "tried " + proxy::redact(given.tried, own) + "; ";
    next.trouble += credential_advice(next.source);
    if (next.trouble != item.held->trouble)  // avoids logging the same problem every minute
      spdlog::warn("no {}credentials for {}: {}", next.key.empty() ? "" : "newer ", quoted_list(item.users),
                   next.trouble);
    return std::nullopt;
  }
  const auto lives = given.got->lives;
  if (next.key.empty() || !next.trouble.empty())
    spdlog::info("credentials of {} obtained from {}{}", quoted_list(item.users), given.from,
                 lives ? ", for " + std::to_string(lives->count()) + " s" : std::string());
  next.key = std::move(given.got->key);
  next.serial = ++serial_;
  if (item.is_refused) next.renewed_at = now();
  next.trouble.clear();
  item.is_refused = false;
  return refresh_times{until_renewal(lives, chance()), lives};
}

void credential_keeper::end_value(entry&, held_credential& next) {
  next.key = {};
  next.serial = ++serial_;
  if (next.trouble.empty()) next.trouble = "the credentials have expired, and newer credentials have not arrived yet";
}

std::string_view credential_advice(const proxy::credential_source& source) {
  using enum proxy::credential_place;
  if (source.steps.empty()) return {};
  switch (source.steps.back().place) {
    case google_file:
    case google_metadata:
      return "set google_credentials or GOOGLE_APPLICATION_CREDENTIALS, or run the gateway on Google Cloud, which has "
             "a metadata server";
    case entra_secret:
    case entra_token_file:
    case entra_imds:
      return "set entra_tenant_id, entra_client_id and entra_client_secret or entra_token_file, or the corresponding "
             "AZURE_ variables, or run the gateway on Azure with a managed identity";
    case aws_profile:
    case aws_container:
    case aws_instance: break;
  }
  return "set aws_access_key_id and aws_secret_access_key, or aws_profile, or the corresponding AWS_ variables, or run "
         "the gateway in a container or an instance that has a role";
}

}  // namespace photofinish::gateway

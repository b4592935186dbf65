// Fetches expiring credentials and the keys of identity providers over the network and from files, on the
// housekeeper's thread.
#pragma once

#include "gateway/credentials/credential_keeper.hpp"
#include "gateway/credentials/jwks_keeper.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class credential_network {
 public:
  credential_network(boost::asio::io_context& loop, credential_keeper::publish on_board,
                     jwks_keeper::publish on_key_sets)
      : loop_(loop), on_board_(std::move(on_board)), on_key_sets_(std::move(on_key_sets)) {}
  // The object cannot be copied, because its members and its pending tasks refer to it.
  credential_network(const credential_network&) = delete;
  credential_network& operator=(const credential_network&) = delete;

  // Applies a configuration. Opens connections only if the configuration contains expiring credentials or an identity
  // provider.
  void adopt(const config& settings);
  std::vector<jwks_keeper::age> key_ages() const;

  // Any thread may call renew() and ask_for_keys().

  // Fetches a newer key. Call this after a provider has refused an expiring key.
  void renew(const proxy::credential_source& source, std::uint64_t serial);
  // Fetches the identity provider's list of keys again. Call this if a token names a key that is not in the list.
  void ask_for_keys(const jwks_source& source);

  boost::asio::awaitable<void> stop();  // call stop() before destroying the object

 private:
  proxy::outbound& network();

  boost::asio::io_context& loop_;
  credential_keeper::publish on_board_;
  jwks_keeper::publish on_key_sets_;
  std::unique_ptr<proxy::outbound> outbound_;
  std::unique_ptr<credential_keeper> keeper_;
  std::unique_ptr<jwks_keeper> issuers_;
};

}  // namespace photofinish::gateway

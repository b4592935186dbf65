// The gateway as a whole: workers, their listening sockets, and the housekeeper. It handles no signals and reads no
// configuration files.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/probes/prober.hpp"
#include "gateway/server/socket_activation.hpp"
#include "gateway/server/worker.hpp"
#include "metrics/series_budget.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// Returns the default number of workers: the number of CPUs that the CPU affinity and the cgroup's quota allow, but at
// least one.
std::size_t default_worker_count();

class server {
 public:
  // Binds the addresses and starts the gateway. On failure returns the reason. If a socket in `inherited` is already
  // bound to an address, that socket is used for the address.
  static std::variant<std::unique_ptr<server>, std::string> start(std::shared_ptr<const config> settings,
                                                                  metrics::build_facts build,
                                                                  housekeeping how = {}, protocols speaks = {},
                                                                  std::vector<inherited_socket> inherited = {});
  ~server();  // closes all connections and waits until they have ended

  // Returns the listening addresses, except the admin address. If the configured port is 0, the returned address has
  // the port that the system chose.
  const std::vector<listen_address>& addresses() const { return addresses_; }
  const std::optional<listen_address>& admin_address() const { return admin_address_; }
  housekeeper& keeper() { return *keeper_; }

  // Replaces the configuration. Any thread may call this. Running requests keep their old configuration. Workers and
  // their listeners are not restarted. New connections get the new certificate.
  void reload(std::shared_ptr<const config> settings);
  void leave();  // makes the readiness check fail, but still serves requests
  void drain();  // stops accepting connections, and completes the running requests
  void cut();

  void wait();  // waits until all requests and connections have ended

 private:
  server(std::shared_ptr<const config> settings, std::size_t workers, std::uint64_t salt);
  std::optional<std::string> listen(const config& settings, const std::vector<inherited_socket>& inherited);
  std::string own_url(const config& settings) const;
  std::optional<bind_failure> listen_on(const listen_address& address, listener_role role,
                                        const std::vector<inherited_socket>& inherited);
  void make_contexts(const config& settings);
  void watch();
  void worker_drained();

  metrics::series_budget series_;
  server_load load_;
  std::vector<std::unique_ptr<worker>> workers_;
  // The destructor stops the prober before it destroys the housekeeper, because the prober may call the housekeeper.
  std::unique_ptr<prober> prober_;
  std::unique_ptr<housekeeper> keeper_;
  std::optional<tls_settings> tls_;                    // the settings from which the TLS contexts in `contexts_` were
                                                       // made
  std::vector<std::shared_ptr<SSL_CTX>> contexts_;     // one TLS context for each worker; null without TLS
  std::atomic<std::int64_t> certificate_expires_ = 0;  // the expiry time in seconds since 1970; 0 without TLS
  std::vector<listen_address> addresses_;
  std::optional<listen_address> admin_address_;

  std::mutex mutex_;
  std::condition_variable all_drained_;
  std::size_t running_ = 0;
};

}  // namespace photofinish::gateway

// The whole gateway as one object: workers, their listening sockets, the housekeeper. No signals, no files.
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

// How many workers to run when the configuration says nothing: the CPUs that affinity and the cgroup's quota
// allow, at least one.
std::size_t default_worker_count();

class server {
 public:
  // Binds and starts, or says why not. Where one of `inherited` is bound to an address, that is listened on.
  static std::variant<std::unique_ptr<server>, std::string> start(std::shared_ptr<const config> settings,
                                                                  metrics::build_facts build,
                                                                  housekeeping how = {}, protocols speaks = {},
                                                                  std::vector<inherited_socket> inherited = {});
  ~server();  // cuts and waits

  // Where it listens, with the ports that were chosen for port 0; the admin listener is not among them.
  const std::vector<listen_address>& addresses() const { return addresses_; }
  const std::optional<listen_address>& admin_address() const { return admin_address_; }
  housekeeper& keeper() { return *keeper_; }

  // Any thread. Requests that run keep the configuration they began with; listeners and workers stay as they are. Who
  // connects from now on gets the new certificate.
  void reload(std::shared_ptr<const config> settings);
  void leave();  // not ready, still serving
  void drain();  // no new connection; what runs goes on to its end
  void cut();

  void wait();  // until drained

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
  std::unique_ptr<prober> prober_;  // stopped before the housekeeper goes, which may call it until then
  std::unique_ptr<housekeeper> keeper_;
  std::optional<tls_settings> tls_;  // what contexts_ are made of
  std::vector<std::shared_ptr<SSL_CTX>> contexts_;  // one for each worker; without TLS null
  std::atomic<std::int64_t> certificate_expires_ = 0;  // seconds since 1970; 0: no TLS
  std::vector<listen_address> addresses_;
  std::optional<listen_address> admin_address_;

  std::mutex mutex_;
  std::condition_variable all_drained_;
  std::size_t running_ = 0;
};

}  // namespace photofinish::gateway

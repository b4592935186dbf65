#include "gateway/server/server.hpp"

#include "gateway/http/listen_address.hpp"
#include "gateway/ingress/server_tls.hpp"
#include "gateway/process/machine_memory.hpp"
#include "gateway/server/id_secret.hpp"
#include "proxy/providers/model_facts.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <utility>

namespace photofinish::gateway {
namespace {

// Returns the number of CPUs that cgroup v2's file cpu.max allows. "200000 100000" means two CPUs, and "max 100000"
// means no limit.
std::size_t cgroup_cpus() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return SIZE_MAX;
  return static_cast<std::size_t>(std::max(1.0, std::stod(quota) / period + 0.5));
}

std::size_t max_memory(const config& settings) {
  return settings.limits.max_memory > 0 ? settings.limits.max_memory : machine_memory() / 2;
}

std::uint64_t random_salt() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

metrics::series_limits limits_for(const config& settings) {
  metrics::series_limits limits;
  if (settings.source.is_zero_config) limits.targets = 100;
  return limits;
}

}  // namespace

std::size_t default_worker_count() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool is_known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const std::size_t cpus = is_known ? static_cast<std::size_t>(CPU_COUNT(&allowed)) : 1;
  return std::max<std::size_t>(1, std::min(cpus, cgroup_cpus()));
}

std::variant<std::unique_ptr<server>, std::string> server::start(std::shared_ptr<const config> settings,
                                                                 metrics::build_facts build,
                                                                 housekeeping how, protocols speaks,
                                                                 std::vector<inherited_socket> inherited) {
  const std::size_t count = settings->server.workers > 0 ? settings->server.workers : default_worker_count();
  std::unique_ptr<server> made(new server(settings, count, random_salt()));
  made->load_.id_secret = id_secret_in(how.state_dir);
  if (auto why_not = made->listen(*settings, inherited)) return *why_not;
  inherited.clear();  // each worker now owns its sockets
  made->make_contexts(*settings);
  proxy::read_model_facts();

  std::vector<const metrics::shard*> shards;
  for (const auto& each : made->workers_) shards.push_back(&each->shard());
  // Publishes three kinds of data to the workers: the targets' scores, the measured speeds, and the key sets.
  const auto publish = [raw = made.get()](const auto& board) {
    for (const auto& each : raw->workers_) each->adopt(board);
  };
  auto publish_credentials = [raw = made.get()](const std::shared_ptr<const credential_board>& board) {
    for (const auto& each : raw->workers_) each->adopt(board);
    raw->prober_->adopt(board);
  };
  const std::string state_dir = how.state_dir;
  how.prefixes = &made->load_.prefixes;
  made->keeper_ = std::make_unique<housekeeper>(std::move(build), std::move(shards), count, publish, std::move(how),
                                                publish, std::move(publish_credentials), publish);
  made->watch();
  server_load& load = made->load_;
  made->prober_ = std::make_unique<prober>(
      probe_means{*made->keeper_, load.requests, load.flights, load.rooms, count, state_dir});
  made->keeper_->watch([raw = made.get()](metrics::merged_families& page) { raw->prober_->show(page); });
  made->prober_->adopt(settings);
  const std::shared_ptr<const limit_table> limits = made->load_.limits.table_for(settings);
  made->keeper_->adopt(settings, limits, made->own_url(*settings));
  made->running_ = count;
  for (std::size_t index = 0; index < count; ++index) made->workers_[index]->use(made->contexts_[index]);
  for (const auto& each : made->workers_)
    each->start(*made->keeper_, speaks, limits, [raw = made.get()] { raw->worker_drained(); });
  return made;
}

server::server(std::shared_ptr<const config> settings, std::size_t workers, std::uint64_t salt)
    : series_(limits_for(*settings)),
      load_(max_memory(*settings), settings->limits.max_prefixes, salt, {random_salt(), random_salt()}) {
  load_.workers = workers;
  for (std::size_t index = 0; index < workers; ++index)
    workers_.push_back(std::make_unique<worker>(index, settings, series_, load_, salt));
}

// Sets the functions that provide the data for the live page and for metrics scrapes. Called before the workers start.
void server::watch() {
  keeper_->watch([this](metrics::merged_families& page) {
    load_.answers.drop_expired(std::chrono::steady_clock::now());
    page.add(metrics::names::cache_answers, {}, load_.answers.size());
    page.add(metrics::names::cache_bytes, {}, load_.answers.bytes());
    page.add(metrics::names::prefixes, {}, load_.prefixes.table().size());
    page.add(metrics::names::prefixes_dropped_total, {}, load_.prefixes.table().dropped());
    page.add(metrics::names::memory_used, {}, load_.memory.used());
    page.add(metrics::names::memory_limit, {}, load_.memory.limit());
    page.add(metrics::names::memory_refusals_total, {}, load_.memory.refusals());
    load_.refused_connections.for_each([&](metrics::refused_connection why, const auto& count) {
      page.add(metrics::names::refused_connections_total, {to_string(why)}, count.load(std::memory_order_relaxed));
    });
    if (const std::int64_t expires = certificate_expires_.load(std::memory_order_relaxed); expires != 0)
      page.add(metrics::names::tls_certificate_expiry, {}, expires);
  });
  keeper_->live().pages().watch(
      [this](double per_second) {
        for (const auto& each : workers_) each->show_races(per_second);
      },
      [&flights = load_.flights] { return flights.now(); });
}

// Makes the TLS contexts. If the certificate files are unchanged, the existing contexts are kept, so that clients'
// session tickets stay valid. Throws as make_server_contexts() does.
void server::make_contexts(const config& settings) {
  const std::optional<tls_settings>& wanted = settings.server.ingress.tls;
  if (contexts_.empty() || wanted != tls_) {
    contexts_ = wanted ? make_server_contexts(*wanted, workers_.size())
                       : std::vector<std::shared_ptr<SSL_CTX>>(workers_.size());
    tls_ = wanted;
    certificate_expires_ = wanted ? wanted->expires.time_since_epoch().count() : 0;
  }
}

server::~server() {
  if (!keeper_) return;  // the housekeeper is null if the gateway was never started
  cut();
  wait();
  prober_->stop();
  keeper_.reset();  // the housekeeper must be destroyed before the workers, because it sends data to them
}

std::optional<std::string> server::listen(const config& settings, const std::vector<inherited_socket>& inherited) {
  const listener_role role = settings.server.admin ? listener_role::api : listener_role::everything;
  for (const listen_address& address : settings.server.listen) {
    // Does not open the admin address here. The admin listener, which is opened below, needs the inherited socket for
    // this address.
    if (settings.server.admin == address && address.port != 0) continue;
    listen_address wanted = address;
    // Binds both default addresses to the same port.
    if (settings.server.is_listen_default && wanted.port == 0 && !addresses_.empty()) wanted.port = addresses_[0].port;
    auto failed = listen_on(wanted, role, inherited);
    const bool is_optional =
        settings.server.is_listen_default && failed && failed->is_missing_family && !addresses_.empty();
    if (failed && !is_optional) return failed->message;
  }
  if (settings.server.admin)
    if (auto failed = listen_on(*settings.server.admin, listener_role::admin, inherited)) return failed->message;
  return std::nullopt;
}

std::optional<bind_failure> server::listen_on(const listen_address& address, listener_role role,
                                              const std::vector<inherited_socket>& inherited) {
  bound_address bound{address, false, {}};
  auto shares = share_of_workers(inherited, address, workers_.size());
  if (shares.empty()) {
    auto made = bind_for_workers(address, workers_.size());
    if (auto* failed = std::get_if<bind_failure>(&made)) return *failed;
    bound = std::get<bound_address>(std::move(made));
    shares.resize(workers_.size());
    for (std::size_t index = 0; index < shares.size(); ++index)
      shares[index].push_back(std::move(bound.sockets[index]));
  }
  for (std::size_t index = 0; index < workers_.size(); ++index)
    for (listening_socket& each : shares[index]) workers_[index]->listen(std::move(each), {bound.address, role});
  if (role == listener_role::admin) admin_address_ = bound.address;
  else addresses_.push_back(bound.address);
  return std::nullopt;
}

std::string server::own_url(const config& settings) const {
  return (settings.server.ingress.tls ? "https://" : "http://") + to_string(addresses_.at(0));
}

void server::reload(std::shared_ptr<const config> settings) {
  make_contexts(*settings);  // this call must come first, because it may throw
  const std::shared_ptr<const limit_table> limits = load_.limits.table_for(settings);
  keeper_->adopt(settings, limits, own_url(*settings));
  load_.memory.set_limit(max_memory(*settings));
  for (std::size_t index = 0; index < workers_.size(); ++index)
    workers_[index]->adopt(settings, limits, contexts_[index]);
  prober_->adopt(settings);
}

void server::leave() {
  for (const auto& each : workers_) each->leave();
}

void server::drain() {
  prober_->leave();
  for (const auto& each : workers_) each->drain();
}

void server::cut() {
  prober_->leave();
  for (const auto& each : workers_) each->cut();
}

void server::worker_drained() {
  const std::lock_guard lock(mutex_);
  if (--running_ == 0) all_drained_.notify_all();
}

void server::wait() {
  std::unique_lock lock(mutex_);
  all_drained_.wait(lock, [this] { return running_ == 0; });
  lock.unlock();
  for (const auto& each : workers_) each->join();
}

}  // namespace photofinish::gateway

#include "gateway/server/worker.hpp"

#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/requests/views/view_table.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <cstdint>
#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The maximum number of refused requests per second that a worker writes to the audit log.
constexpr std::size_t most_audited_refusals = 5;

}  // namespace

worker::worker(std::size_t index, std::shared_ptr<const config> settings, metrics::series_budget& series,
               server_load& load, std::uint64_t fingerprint_salt)
    : index_(index),
      fingerprint_salt_(fingerprint_salt),
      settings_(std::move(settings)),
      shard_(series),
      load_(load),
      random_(std::random_device{}()) {
  declare(*settings_);
}

worker::~worker() = default;

void worker::listen(listening_socket socket, const listener_traits& listener) {
  connections_.listen(std::move(socket), listener, outbound_.alarms());
}

void worker::start(housekeeper& keeper, const protocols& speaks, std::shared_ptr<const limit_table> limits,
                   std::function<void()> on_drained) {
  audited_ = std::make_unique<line_budget>(outbound_.alarms(),
                                           [&keeper](std::size_t count) { keeper.refusals_left_out(count); },
                                           most_audited_refusals);
  keeper.reports().share_receipts(fingerprint_salt_);
  const auto mail_to = [this](auto& box) { return [this, &box](auto noted) { box.note(index_, std::move(noted)); }; };
  account_books books{shard_, prices_, lines_, load_.background, mail_to(keeper.scores()),
                      mail_to(keeper.usage()), mail_to(keeper.speeds()), mail_to(keeper.advice().races())};
  settlements_ = std::make_unique<settlement_queue>(std::move(books), mail_to(keeper.traces()));
  attempt_context attempts{outbound_, shard_, redactors_, speaks.dialects, worker_flights(load_.flights), credentials_,
                           worker_rooms(load_.rooms)};
  credentials_.on_renew([&keeper](const proxy::credential_source& source, std::uint64_t serial) {
    keeper.credentials().renew(source, serial);
  });
  run_beside beside = [&keeper, executor = loop_.get_executor()](std::function<void()> work) {
    return keeper.parsing().run(std::move(work), executor);
  };
  context_ = std::make_unique<worker_context>(worker_context{
      loop_.get_executor(), outbound_, outbound_.alarms(), shard_, keeper, load_, {*settlements_, lines_, *audited_},
      batch_, {random_, fingerprint_salt_}, speaks, std::move(attempts), std::move(beside), prices_,
      step_sender(keeper.speeds(), index_), index_, tokens_,
      {settings_, std::move(limits), std::make_shared<const racing::scoreboard>()}});
  context_->speaks.views = all_views();
  tokens_.on_unknown_key([&keeper](const jwks_source& source) { keeper.credentials().ask_for_keys(source); });
  connections_.open(*context_);
  thread_ = std::thread([this, on_drained = std::move(on_drained)]() mutable { run(std::move(on_drained)); });
}

void worker::run(std::function<void()> on_drained) {
  auto work = asio::make_work_guard(loop_);
  proxy::spawn_vital(loop_, "a worker's end", drained(), [&] { work.reset(); });
  loop_.run();
  // The line budget of the audit log is destroyed now, because it may not outlive the housekeeper. The housekeeper is
  // destroyed before this worker.
  audited_.reset();
  on_drained();
}

asio::awaitable<void> worker::drained() {
  co_await connections_.drained();
  co_await settlements_->drained();
  co_await outbound_.stop();
}

void worker::adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
                   std::shared_ptr<SSL_CTX> tls) {
  asio::post(loop_, [this, settings = std::move(settings), limits = std::move(limits), tls = std::move(tls)]() mutable {
    declare(*settings);
    settings_ = settings;
    connections_.use(std::move(tls));
    context_->snapshots.limits = std::move(limits);
    context_->snapshots.settings = std::move(settings);
  });
}

void worker::adopt(std::shared_ptr<const racing::scoreboard> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { context_->snapshots.board = std::move(board); });
}

void worker::adopt(std::shared_ptr<const racing::forecast_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { context_->snapshots.speed = std::move(board); });
}

void worker::adopt(std::shared_ptr<const credential_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { credentials_.adopt(std::move(board)); });
}

void worker::adopt(std::shared_ptr<const jwks_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { tokens_.adopt(std::move(board)); });
}

void worker::show_races(double per_second) {
  asio::post(loop_, [this, per_second] { context_->sampler.open(per_second); });
}

void worker::leave() { asio::post(loop_, [this] { context_->state = service_state::leaving; }); }

void worker::drain() {
  asio::post(loop_, [this] {
    context_->state = service_state::leaving;
    connections_.drain();
  });
}

void worker::cut() {
  drain();
  asio::post(loop_, [this] { connections_.cut(); });
}

void worker::declare(const config& settings) {
  for (const auto& [name, provider] : settings.providers) {
    shard_.declare_provider(name);
    for (const std::string& model : provider.models)
      if (model != "*") shard_.declare_target(name, model);
  }
  for (const auto& [name, route] : settings.routes) {
    shard_.declare_route(name);
    // Without a configuration file, targets appear in the metrics only after their first answer.
    if (settings.source.is_zero_config) continue;
    (void)names_target(route, [this](const target_name& target) {
      shard_.declare_target(target.provider, target.model);
      return false;
    });
  }
  if (!settings.access.sealed_keys.secrets.empty()) {
    shard_.declare_usage(sealed_label, metrics::none_label);
    for (const auto& [team, limits] : settings.access.teams) shard_.declare_usage(sealed_label, team);
  }
  if (!settings.access.jwt.empty()) {
    shard_.declare_usage(jwt_label, metrics::none_label);
    for (const auto& [team, limits] : settings.access.teams) shard_.declare_usage(jwt_label, team);
  }
  for (const std::string& project : settings.names.projects) shard_.declare_project(project);
  for (const guardrail_settings& each : settings.guardrails) shard_.declare_guardrail(each.name);
  for (const access_key& key : settings.access.keys) {
    shard_.declare_client(key.name);
    shard_.declare_usage(key.name, caller{&key}.team());
  }
}

}  // namespace photofinish::gateway

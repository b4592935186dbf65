#include "gateway/housekeeping/exports/alert_sender.hpp"

#include "proxy/fetch.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/url.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds post_timeout{10};
constexpr std::chrono::milliseconds first_pause{500};
// The maximum number of tries to post an alert. All tries together take about a quarter of an hour, because the pause
// between two tries doubles until it is two minutes long.
constexpr std::size_t most_tries = 12;
constexpr std::size_t most_doublings = 8;
// The maximum number of resolved alerts that the gateway keeps while it cannot reach the receiver of alerts.
constexpr std::size_t most_resolved = 1'000;
// The maximum number of budgets in one post. A limit is needed because thousands of budgets may be spent at the same
// time.
constexpr std::size_t most_budgets = 1'000;
// The maximum number of budgets in one log line. This limit does not apply to posted alerts.
constexpr std::size_t most_logged = 20;

// True if the gateway may send the same post again after this status. A busy or broken receiver may accept the post
// later, but a receiver that refused it would only refuse it again. Redirects count as refusals, because the post is
// meant only for the configured host.
bool may_try_again(int status) { return status >= 500 || status == 429 || status == 408; }

}  // namespace

void alert_sender::configure(const alert_settings& settings, const std::string& own_url) {
  receiver_.reset();
  if (settings.webhook.empty()) return;
  auto parsed = parse_webhook_url(settings.webhook.reveal());
  if (!parsed.url) return spdlog::error("alerts.webhook {}", parsed.problem);
  receiver made;
  made.host.name = "webhook";
  made.host.url = parsed.url->origin;
  made.host.limits.max_spares = 0;  // no idle connection is kept, because there is only about one post per hour
  made.path = std::move(parsed.url->path);
  made.shown = proxy::to_string(made.host.url);
  made.context = {settings.external_url.empty() ? own_url : settings.external_url, settings.labels};
  while (made.context.external_url.ends_with('/')) made.context.external_url.pop_back();
  receiver_ = std::make_shared<const receiver>(std::move(made));
  if (!outbound_) outbound_ = std::make_unique<proxy::outbound>(loop_);
}

void alert_sender::send(const std::vector<racing::regression_alert>& changes,
                        const std::vector<racing::regression_alert>& firing) {
  if (changes.empty()) return;
  for (const racing::regression_alert& change : changes) {
    spdlog::warn("{} of {} {}: median {:.3g}, over the whole window {:.3g}", to_string(change.kind), change.target,
                 change.ends_at ? "has recovered" : "has regressed", change.recent, change.baseline);
    if (change.ends_at) note_resolved(change);
  }
  regressions_.assign(firing.begin(), firing.end());
  has_news_ = true;
  begin_delivery();
}

void alert_sender::send(const std::vector<soft_budget_alert>& changes, const std::vector<soft_budget_alert>& firing) {
  if (changes.empty()) return;
  std::size_t begun = 0;
  for (const soft_budget_alert& change : changes) {
    const posted_alert sent = change;
    if (change.ends_at) note_resolved(sent);
    else if (++begun <= most_logged) spdlog::warn("{}", sent.description);
  }
  if (begun > most_logged) spdlog::warn("{} more soft budgets are spent", begun - most_logged);
  const std::size_t shown = std::min(firing.size(), most_budgets);
  budgets_.assign(firing.begin(), firing.begin() + static_cast<std::ptrdiff_t>(shown));
  has_news_ = true;
  begin_delivery();
}

void alert_sender::note_resolved(posted_alert alert) {
  if (resolved_.size() < most_resolved) resolved_.push_back(std::move(alert));
}

void alert_sender::begin_delivery() {
  if (is_delivering_ || is_stopping_) return;
  is_delivering_ = true;
  const auto ended = [this] {
    is_delivering_ = false;
    delivery_ended_.wake();
  };
  try {
    proxy::spawn(loop_, "the alert sender", deliver(), ended);
  } catch (...) {  // the delivery could not be started
    is_delivering_ = false;
    throw;
  }
}

asio::awaitable<void> alert_sender::deliver() {
  for (std::size_t failures = 0; has_news_ && receiver_ && !is_stopping_;) {
    has_news_ = false;
    const std::size_t reported = resolved_.size();
    std::vector<posted_alert> alerts = regressions_;
    alerts.insert(alerts.end(), budgets_.begin(), budgets_.end());
    alerts.insert(alerts.end(), resolved_.begin(), resolved_.end());
    const verdict said = co_await post(receiver_, alert_message(alerts, receiver_->context));
    if (said != verdict::failed || ++failures == most_tries) {
      resolved_.erase(resolved_.begin(), resolved_.begin() + static_cast<std::ptrdiff_t>(reported));
      failures = 0;
      continue;
    }
    has_news_ = true;
    co_await pause(failures);
  }
  if (!receiver_) resolved_.clear();
}

asio::awaitable<void> alert_sender::pause(std::size_t failures) {
  bool is_over = false;
  proxy::signal over;
  const auto end = [&is_over, &over] { is_over = true, over.wake(); };
  proxy::alarm time(outbound_->alarms(), end);
  time.arm(outbound_->alarms().now() + first_pause * (1 << std::min(failures, most_doublings)));
  interrupt_ = end;
  while (!is_over && !is_stopping_) co_await over.wait();
  interrupt_ = nullptr;
}

asio::awaitable<alert_sender::verdict> alert_sender::post(std::shared_ptr<const receiver> to, std::string body) {
  proxy::fetch_request request;
  request.head.path = to->path;
  request.head.fields = {{"content-type", "application/json"}, {"user-agent", "photofinish"}};
  request.body = std::move(body);
  request.patience = post_timeout;
  proxy::fetch call(*outbound_, to->host);
  interrupt_ = [&call] { call.cancel(); };
  const auto answer = co_await call.run(std::move(request));
  interrupt_ = nullptr;
  if (!answer) {
    const bool is_late = answer.error().kind == proxy::failure_kind::timeout;
    const std::string_view why = is_late ? "no answer in time" : to_string(answer.error().kind);
    spdlog::warn("alert not delivered to {}: {}", to->shown, why);
    co_return verdict::failed;
  }
  if (answer->head.status >= 200 && answer->head.status < 300) {
    spdlog::info("alert delivered to {}", to->shown);
    co_return verdict::delivered;
  }
  spdlog::warn("alert not delivered to {}: the receiver answered with status {}", to->shown, answer->head.status);
  co_return may_try_again(answer->head.status) ? verdict::failed : verdict::refused;
}

asio::awaitable<void> alert_sender::stop() {
  is_stopping_ = true;
  if (interrupt_) interrupt_();
  while (is_delivering_) co_await delivery_ended_.wait();
  if (outbound_) co_await outbound_->stop();
}

}  // namespace photofinish::gateway

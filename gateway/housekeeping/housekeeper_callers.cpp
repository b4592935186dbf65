// The housekeeper, continued: keys of identity providers, the audit log and the content log, traces, soft budgets,
// budget windows, whether providers can be reached, and what is left for advice.
#include "gateway/housekeeping/exports/alert_sender.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/housekeeping/egress/egress_keeping.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/housekeeping/kept/statistics.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "metrics/merged_families.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

namespace names = metrics::names;

audit_time audit_now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

}  // namespace

// What the page says of others than the workers, and what the store says of other gateways.
void housekeeper::watch_outside() {
  store_->share_speeds_by({[this] { return house_.now(); },
                           [this](const speed_sharing::learned& others) { statistics_->note_others(others.figures); },
                           [this](const auto& given) { speed_.take(given.target, given.step); }});
  store_->share_egress_by(egress_->watch());
  watch_fleet();
  exposition_.watch_store(store_->facts());
  exposition_.watch([this](metrics::merged_families& page) { show_keepers(page); });
}

// The zeros too: a rate of what is dropped then begins at 0.
void housekeeper::show_keepers(metrics::merged_families& page) {
  const metrics::span_facts spans = traces_.counts();
  page.add(names::spans_total, {"exported"}, spans.exported);
  page.add(names::spans_total, {"dropped"}, spans.dropped);
  page.add(names::spans_total, {"failed"}, spans.failed);
  page.add(names::audit_lines_total, {"written"}, audit_.written());
  page.add(names::audit_lines_total, {"dropped"}, audit_.dropped());
  page.add(names::content_log_lines_total, {"written"}, content_.written());
  page.add(names::content_log_lines_total, {"dropped"}, content_.dropped());
  page.add(names::egress_works, {}, egress() == egress_state::works);
  const bool are_kept[] = {statistics_->is_kept(), advice_.is_kept(), usage_.is_kept()};  // each reports its file
  const bool is_kept = are_kept[0] && are_kept[1] && are_kept[2];
  if (!how_.state_dir.empty()) page.add(names::state_folder_writable, {}, is_kept);
  for (const jwks_keeper::age& each : credentials_->key_ages())
    if (each.since && metrics::is_label_value(each.issuer))
      page.add(names::identity_keys_age, {each.issuer}, std::chrono::duration<double>(*each.since).count());
}

void housekeeper::config_accepted(std::string hash) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  exposition_.config_in_use(std::move(hash), std::chrono::duration<double>(now).count());
  exposition_.config_loaded(metrics::reload_result::accepted);
}

void housekeeper::config_refused(std::vector<std::string> reasons) {
  exposition_.config_loaded(metrics::reload_result::refused);
  asio::post(loop_, [this, why = std::move(reasons)] { audit_.reload_refused(why, audit_now()); });
}

void housekeeper::note(refused_caller who) {
  asio::post(loop_, [this, who = std::move(who)] { audit_.refused(who, audit_now()); });
}

void housekeeper::refusals_left_out(std::size_t count) {
  asio::post(loop_, [this, count] { audit_.left_out(count, audit_now()); });
}

void housekeeper::ask_for_keys(const jwks_source& source) {
  asio::post(loop_, [this, source] { credentials_->ask_for_keys(source); });
}

void housekeeper::watch_stored_keys(std::function<void(std::shared_ptr<const stored_keys>)> on_change) {
  asio::dispatch(loop_, [this, watch = std::move(on_change)]() mutable { store_->watch_keys(std::move(watch)); });
}

void housekeeper::ask_for_limits(accounts_asked accounts, std::function<void()> answered) {
  asio::post(loop_, [this, accounts = std::move(accounts), answered = std::move(answered)]() mutable {
    store_->ask_for_limits(accounts, std::move(answered));
  });
}

void housekeeper::look_at_soft_budgets() {
  if (!limits_) return;
  const auto changes = soft_budgets_.on(limits_->spent_soft_budgets(), house_.seconds());
  alerts_->send(changes, soft_budgets_.firing());
}

void housekeeper::note_probe(racing::target_sample sample) {
  asio::post(loop_, [this, sample = std::move(sample)] {
    if (!sample.says_something()) return;
    statistics_->note(sample, house_.now());
    store_->note(sample);
  });
}

void housekeeper::renew_credential(const proxy::credential_source& source, std::uint64_t serial) {
  asio::post(loop_, [this, source, serial] { credentials_->renew(source, serial); });
}

egress_state housekeeper::egress() const { return egress_->state(); }

void housekeeper::turn_windows() {
  if (limits_ && limits_->has_windows()) limits_->turn_windows(house_.seconds());
}

racing::scoreboard housekeeper::cooling(racing::instant now) const {
  racing::scoreboard board = cooldowns_.snapshot(now);
  store_->add_cooling(board, now);
  return board;
}

}  // namespace photofinish::gateway

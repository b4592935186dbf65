#include "gateway/housekeeping/housekeeper.hpp"

#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/housekeeping/egress/egress_keeping.hpp"
#include "gateway/housekeeping/shared/store_keeping.hpp"
#include "gateway/records/price_book.hpp"
#include "metrics/merged_families.hpp"

#include <boost/asio/post.hpp>

#include <set>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

housekeeper::housekeeper(metrics::build_facts build, std::vector<const metrics::shard*> shards,
                         std::size_t workers, publish on_scoreboard, housekeeping how, publish_speed on_speed,
                         publish_credentials on_credentials, publish_key_sets on_key_sets)
    : how_(std::move(how)),
      process_{build.version, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())},
      counting_(how_.before_counting),
      parsing_(how_.before_parsing),
      exposition_(std::move(build), shards),
      alerts_(loop()),
      credentials_(std::make_unique<credential_network>(loop(), std::move(on_credentials), std::move(on_key_sets))),
      audit_(process_.version),
      store_(std::make_unique<store_keeping>(
          loop(), store_surroundings{how_.state_dir, how_.tick, [this] { return house_.seconds(); },
                                     [this] { scores_.publish_board(); }, how_.prefixes})),
      egress_(std::make_unique<egress_keeping>(loop(), store_->gateway(), how_.tick)),
      traces_(loop(), workers, process_.version),
      content_(loop(), workers),
      budgets_(house_, alerts_),
      scores_(house_, how_, workers, std::move(on_scoreboard), *store_, *egress_, alerts_),
      speeds_(loop(), workers, std::move(on_speed), [this](const auto& seen) { live_.pages().put(seen); }),
      live_({house_, store_->fleet(), scores_, speeds_, process_}, std::move(shards), workers),
      advice_(house_, how_, workers, counting_.work(), store_->fleet()),
      usage_(house_, how_.state_dir, workers),
      reports_({house_, store_->fleet(), scores_, speeds_, usage_, advice_}) {
  connect();
  racing::instant save_at = std::chrono::steady_clock::now() + how_.save_every;
  house_.start(how_.tick, [this, save_at]() mutable { tick(save_at); }, [this] { return end(); });
}

housekeeper::~housekeeper() { house_.stop(); }

// Connects the parts of the housekeeper with each other and with the metrics page.
void housekeeper::connect() {
  house_.watch_shifts([this](std::chrono::milliseconds shift) {
    scores_.shift(shift);
    advice_.races().shift(shift);
  });
  store_->share_speeds_by(
      {[this] { return house_.now(); },
       [this](const speed_sharing::learned& others) { scores_.figures().note_others(others.figures); },
       [this](const auto& given) { speeds_.take(given.target, given.step); }});
  store_->share_egress_by(egress_->watch());
  exposition_.watch_store(store_->facts());
  exposition_.watch([this](metrics::merged_families& page) { show_keepers(page); });
}

// The metrics page also shows counts of zero. Otherwise the rate of dropped log lines would not begin at 0.
void housekeeper::show_keepers(metrics::merged_families& page) {
  namespace names = metrics::names;
  for (const metrics::speculation_facts& each : speeds_.budgets()) {
    page.add(names::max_extra_cost, {each.route}, each.max_extra_cost);
    page.add(names::budget_fill, {each.route}, each.fill);
  }
  budgets_.show(page);
  const metrics::span_facts spans = traces_.counts();
  page.add(names::spans_total, {"exported"}, spans.exported);
  page.add(names::spans_total, {"dropped"}, spans.dropped);
  page.add(names::spans_total, {"failed"}, spans.failed);
  page.add(names::audit_lines_total, {"written"}, audit_.written());
  page.add(names::audit_lines_total, {"dropped"}, audit_.dropped());
  page.add(names::content_log_lines_total, {"written"}, content_.written());
  page.add(names::content_log_lines_total, {"dropped"}, content_.dropped());
  page.add(names::egress_works, {}, egress() == egress_state::works);
  // The state folder counts as writable only if the files of statistics, advice and usage could all be written.
  const bool are_kept[] = {scores_.figures().is_kept(), advice_.races().is_kept(), usage_.is_kept()};
  const bool is_kept = are_kept[0] && are_kept[1] && are_kept[2];
  if (!how_.state_dir.empty()) page.add(names::state_folder_writable, {}, is_kept);
  for (const jwks_keeper::age& each : credentials_->key_ages())
    if (each.since && metrics::is_label_value(each.issuer))
      page.add(names::identity_keys_age, {each.issuer}, std::chrono::duration<double>(*each.since).count());
}

asio::awaitable<metrics::rendered_page> housekeeper::render(bool takes_open_metrics) {
  traces_.drain();
  co_return exposition_.page(takes_open_metrics, traces_.exemplars());
}

void housekeeper::config_accepted(std::string hash) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  exposition_.config_in_use(std::move(hash), std::chrono::duration<double>(now).count());
  exposition_.config_loaded(metrics::reload_result::accepted);
}

void housekeeper::config_refused(std::vector<std::string> reasons) {
  exposition_.config_loaded(metrics::reload_result::refused);
  asio::post(loop(), [this, why = std::move(reasons)] { audit_.reload_refused(why, machine_time()); });
}

void housekeeper::note(refused_caller who) {
  asio::post(loop(), [this, who = std::move(who)] { audit_.refused(who, machine_time()); });
}

void housekeeper::refusals_left_out(std::size_t count) {
  asio::post(loop(), [this, count] { audit_.left_out(count, machine_time()); });
}

egress_state housekeeper::egress() const { return egress_->state(); }

// One task applies the new settings everywhere. If there were two tasks, a tick between them could use the new budgets
// with the old time windows.
void housekeeper::adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
                        std::string own_url) {
  asio::post(loop(), [this, settings = std::move(settings), limits = std::move(limits), own_url = std::move(own_url)] {
    budgets_.adopt(limits);
    audit_.adopt(settings, machine_time());
    content_.adopt(settings->log.content, machine_time());
    store_->adopt(*settings, limits);
    egress_->adopt(*settings);
    alerts_.configure(settings->alerts, own_url);
    const std::set<std::string> unpriced = unpriced_targets(*settings);
    exposition_.unpriced_targets(unpriced.size());
    budgets_.name_unpriced(*settings, unpriced);
    exposition_.catalogue_date(settings->catalogue.as_of());
    exposition_.adopt(settings->region, metrics::label_use_of(settings->views.has_client_label));
    speeds_.adopt(*settings);
    credentials_->adopt(*settings);
    traces_.adopt(settings->tracing);
    live_.pages().adopt(settings);
  });
}

void housekeeper::tick(racing::instant& save_at) {
  scores_.judge();
  egress_->tick();
  speeds_.tick();
  advice_.races().tick();
  live_.tick();
  budgets_.tick();
  audit_.look_after_file();
  content_.tick(machine_time());
  usage_.drain();
  traces_.tick();
  if (scores_.review()) advice_.races().expire(house_.now());
  const racing::instant now = std::chrono::steady_clock::now();
  if (now < save_at) return;
  scores_.figures().save();
  advice_.races().save();
  usage_.save();
  save_at = now + how_.save_every;
}

// Closes the files first. The network tasks are stopped afterwards, because they may have to wait for other machines.
asio::awaitable<void> housekeeper::end() {
  scores_.figures().close();
  advice_.races().close();
  usage_.close();
  audit_.stopped(machine_time());
  content_.stop(machine_time());
  co_await egress_->stop();
  co_await store_->stop();
  co_await alerts_.stop();
  co_await credentials_->stop();
  co_await traces_.stop();
}

}  // namespace photofinish::gateway

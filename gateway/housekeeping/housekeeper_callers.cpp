// What the housekeeper does about callers: keys of identity providers, and the audit log. The housekeeper, continued.
#include "gateway/housekeeping/alert_sender.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/housekeeping/housekeeper.hpp"
#include "gateway/housekeeping/kept/statistics.hpp"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

audit_time audit_now() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

}  // namespace

// What the page says of others than the workers.
void housekeeper::watch_outside() {
  exposition_.watch_audit([this] { return metrics::audit_facts{audit_.written(), audit_.dropped()}; });
  exposition_.watch_issuers([this] {
    std::vector<metrics::issuer_facts> shown;
    for (const jwks_keeper::age& each : credentials_->key_ages())
      if (each.since && metrics::is_label_value(each.issuer))
        shown.push_back({each.issuer, std::chrono::duration<double>(*each.since).count()});
    return shown;
  });
}

void housekeeper::config_loaded(metrics::reload_result how) {
  exposition_.config_loaded(how);
  if (how == metrics::reload_result::refused) asio::post(loop_, [this] { audit_.reload_refused(audit_now()); });
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

}  // namespace photofinish::gateway

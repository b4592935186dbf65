// Starts and ends the time windows of budgets, and sends an alert when a soft budget has been spent. Runs on the
// housekeeper's thread.
#pragma once

#include "gateway/housekeeping/exports/alert_sender.hpp"
#include "gateway/housekeeping/stores/house_loop.hpp"
#include "gateway/limits/limit_table.hpp"
#include "gateway/limits/soft_budgets.hpp"
#include "gateway/records/price_book.hpp"
#include "metrics/merged_families.hpp"
#include "metrics/series_budget.hpp"

#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class budget_keeping {
 public:
  budget_keeping(house_loop& house, alert_sender& alerts) : house_(house), alerts_(alerts) {}

  void adopt(std::shared_ptr<const limit_table> limits) {
    limits_ = std::move(limits);
    turn_windows();
  }

  // Logs the targets without a price, because their costs do not count towards budgets. Logs the list again only if it
  // has changed.
  void name_unpriced(const config& settings, const std::set<std::string>& targets) {
    const bool is_known = !has_money_budget(settings) || targets == unpriced_;
    if (is_known) return;
    unpriced_ = targets;
    if (!targets.empty())
      spdlog::warn("no budget counts the costs of these targets, because their prices are not known: {}; set `prices` "
                   "for their providers, or set unpriced: refuse", named_targets(targets));
  }

  void tick() {
    if (!limits_) return;
    turn_windows();
    const auto changes = soft_budgets_.on(limits_->spent_soft_budgets(), house_.seconds());
    alerts_.send(changes, soft_budgets_.firing());
  }

  // Adds the budgets to the metrics page, first the budgets of teams and routes. The number of budgets on the page is
  // limited, because thousands of access keys may have budgets.
  void show(metrics::merged_families& page) const {
    std::size_t room = 1000;
    if (!limits_) return;
    for (const limit_table::budget& each : limits_->budgets()) {
      if (!metrics::is_label_value(each.name)) continue;
      if (room-- == 0) return;
      const std::string_view scope = to_string(each.scope);
      page.add(metrics::names::budget_usd, {scope, each.name}, static_cast<double>(each.nano_usd) / 1e9);
      page.add(metrics::names::budget_spend_usd, {scope, each.name}, static_cast<double>(each.spent_nano_usd) / 1e9);
    }
  }

 private:
  void turn_windows() {
    if (limits_ && limits_->has_windows()) limits_->turn_windows(house_.seconds());
  }

  house_loop& house_;
  alert_sender& alerts_;
  std::shared_ptr<const limit_table> limits_;  // the table of all limits; null before the first configuration
  soft_budget_watch soft_budgets_;
  std::set<std::string> unpriced_;  // the targets without a price in the most recent log line
};

}  // namespace photofinish::gateway

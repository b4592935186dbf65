#include "gateway/probes/probe_accounts.hpp"

#include <spdlog/spdlog.h>

namespace photofinish::gateway {

namespace {

constexpr double nano = 1e9;

std::chrono::sys_days today() { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); }

}  // namespace

void probe_accounts::open(const std::string& state_dir) {
  if (state_dir.empty()) return;
  file_.emplace(state_dir, "probes", "costs of probes");
  if (!file_->is_usable()) return file_.reset();
  const auto kept = file_->read();
  if (!kept) return;
  const auto read = kept->problem.empty() ? probe_ledger::read(kept->text) : std::nullopt;
  if (read) {
    ledger_ = *read;
    return;
  }
  file_->set_aside(kept->problem.empty() ? "is not a file with the costs of probes" : kept->problem);
  ledger_.close_day(today());  // today's cost is unknown, so today's whole budget counts as spent
}

void probe_accounts::adopt(std::int64_t most_a_day) {
  const std::lock_guard lock(guard_);
  note_spent();
  budget_usd_ = static_cast<double>(most_a_day) / nano;
}

bool probe_accounts::reserve(std::int64_t amount, std::int64_t most_a_day) {
  const std::chrono::sys_days day = today();
  if (!ledger_.reserve(amount, most_a_day, day)) {
    if (std::exchange(used_up_on_, day) != day)
      spdlog::warn("probes: another probe would exceed max_cost_per_day; expensive probes wait until midnight (UTC)");
    return false;
  }
  save();
  return true;
}

void probe_accounts::settle(const target_name& target, std::int64_t reserved, std::int64_t paid, probe_end how) {
  ledger_.settle(reserved, paid);
  save();
  const std::lock_guard lock(guard_);
  tally& its = tallies_[{target.provider, target.model}];
  ++(how == probe_end::failed ? its.failed : its.answered);
  its.usd += static_cast<double>(paid) / nano;
  note_spent();
}

void probe_accounts::show(metrics::merged_families& page) const {
  namespace names = metrics::names;
  const std::lock_guard lock(guard_);
  for (const auto& [target, its] : tallies_) {
    page.add(names::probes_total, {target.first, target.second, "answered"}, its.answered);
    page.add(names::probes_total, {target.first, target.second, "failed"}, its.failed);
    page.add(names::probe_cost_usd_total, {target.first, target.second}, its.usd);
  }
  page.add(names::probe_budget_usd, {}, budget_usd_);
  page.add(names::probe_spend_usd, {}, today() > day_ ? 0 : spent_usd_);
}

void probe_accounts::save() {
  if (!file_) return;
  file_->finish();
  if (file_->is_busy()) return;  // the disk did not respond in time, so the text is not saved
  file_->write(ledger_.text());
  file_->finish();
}

void probe_accounts::note_spent() {
  day_ = today();
  spent_usd_ = static_cast<double>(ledger_.spent(day_)) / nano;
}

}  // namespace photofinish::gateway

#include "gateway/housekeeping/stores/advice_keeping.hpp"

#include "racing/advice/records_codec.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace photofinish::gateway {
advice_keeping::advice_keeping(house_loop& house, const housekeeping& how, std::size_t workers)
    : house_(house), letters_(house.context(), workers, [this] { drain(std::chrono::steady_clock::now()); }) {
  if (how.state_dir.empty()) return;
  file_.emplace(how.state_dir, "advice", "the records for advice");
  if (file_->is_usable()) load(house_.now());
  else file_.reset();
}

void advice_keeping::load(racing::wall_time now) {
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  if (!kept->problem.empty()) return file_->set_aside(kept->problem);
  auto decoded = racing::decode_advice(kept->text);
  if (const auto* problem = std::get_if<std::string>(&decoded)) return file_->set_aside(*problem);
  auto records = std::get<racing::speed_records>(std::move(decoded));
  fit_to(now, records);
  history_.restore(std::move(records));
  history_.expire(now);
}

// If the newest record has a later time than this machine's clock, moves all times into the past. If the records are
// very old, keeps a copy of the file, because old records will be dropped.
void advice_keeping::fit_to(racing::wall_time now, racing::speed_records& records) const {
  const auto newest = records.newest();
  if (!newest) return;
  const std::int32_t away = racing::minute_of(now) - *newest;
  if (away < 0) records.shift(away);
  else if (std::chrono::minutes(away) > long_pause) file_->keep_old();
}

void advice_keeping::tick() {
  const racing::instant now = std::chrono::steady_clock::now();
  drain(now);
  history_.tick(now);
}

void advice_keeping::drain(racing::instant now) {
  letters_.take([this, now, wall = house_.now()](std::unique_ptr<racing::raced_request> race) {
    history_.take(*race, now, wall);
    has_news_ = true;
  });
}

void advice_keeping::shift(std::chrono::milliseconds by) {
  history_.shift(by);
  has_news_ = true;
}

void advice_keeping::save() {
  if (!file_ || file_->is_busy()) return;
  const bool is_written = file_->is_written();
  if (!has_news_ && is_written) return;  // a failed write is repeated, for example if the disk was full
  file_->write(racing::encode(history_.records()));
  has_news_ = false;
}

void advice_keeping::close() {
  if (!file_) return;
  file_->finish();
  history_.tick({}, racing::speed_history::learning::all);
  save();  // starts writing in the background, because the disk may hang
  file_->finish();
}

}  // namespace photofinish::gateway

#include "gateway/housekeeping/stores/statistics.hpp"

#include "racing/statistics/stats_codec.hpp"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::seconds fresh_enough{1};

}  // namespace

statistics::statistics(const housekeeping& how, racing::wall_time now) : window_(how.window) {
  if (how.state_dir.empty()) return;
  file_.emplace(how.state_dir);
  if (file_->is_usable()) load(now);
  else file_.reset();
}

void statistics::load(racing::wall_time now) {
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  if (!kept->problem.empty()) return file_->set_aside(kept->problem);
  auto decoded = racing::decode_stats(kept->text, window_.shape());
  if (const auto* problem = std::get_if<std::string>(&decoded)) return file_->set_aside(*problem);
  window_ = std::get<racing::stats_window>(std::move(decoded));
  fit_to(now);
  window_.expire(now);
  spdlog::info("statistics of the last {} hours read from {}",
               std::chrono::floor<std::chrono::hours>(window_.shape().length()).count(), file_->path());
}

// If the newest stored data has a later time than this machine's clock, moves all times into the past. If the data is
// very old, keeps a copy of the file: the clock may be wrong, and old data will be dropped.
void statistics::fit_to(racing::wall_time now) {
  const auto newest = window_.newest();
  if (!newest) return;
  if (*newest > now) {
    spdlog::warn("{} has a date in the future according to this machine's clock: its figures are treated as "
                 "new", file_->path());
    window_.shift(now - *newest);
  } else if (now - *newest > long_pause) {
    file_->keep_old();
  }
}

void statistics::shift(std::chrono::milliseconds by) {
  window_.shift(by);
  if (all_) all_->shift(by);
  has_news_ = true;
  parts_.clear();
  own_parts_.clear();
  report_.reset();
}

void statistics::note(const racing::target_sample& sample, racing::wall_time now) {
  window_.add(sample, now);
  if (all_) all_->add(sample, now);
  has_news_ = true;
}

void statistics::note_others(const racing::stats_window& figures) {
  if (!all_) all_ = window_;
  for (const auto& [key, series] : figures.series()) {
    for (const racing::stats_slot& each : series.fine) all_->restore(key, racing::resolution::fine, each);
    for (const racing::stats_slot& each : series.coarse) all_->restore(key, racing::resolution::coarse, each);
  }
}

void statistics::expire(racing::wall_time now) {
  window_.expire(now);
  if (all_) all_->expire(now);
}

statistics::report_pointer statistics::fresh(report_pointer& made, const racing::stats_window& from,
                                             racing::wall_time now, window_length since) {
  const bool is_fresh = made && now - made->as_of < fresh_enough && now >= made->as_of;
  if (!is_fresh)
    made = std::make_shared<const racing::stats_report>(since ? racing::make_stats_report(from, now, *since)
                                                              : racing::make_stats_report(from, now));
  return made;
}

statistics::report_pointer statistics::report(racing::wall_time now, window_length since) {
  return fresh(since ? parts_[*since] : report_, shown(), now, since);
}

statistics::report_pointer statistics::own_report(racing::wall_time now, window_length since) {
  return fresh(own_parts_[since.value_or(std::chrono::milliseconds(0))], window_, now, since);
}

void statistics::save() {
  if (!file_ || file_->is_busy()) return;
  const bool is_written = file_->is_written();
  if (!has_news_ && is_written) return;  // a failed write is repeated, for example if the disk was full
  file_->write(racing::encode(window_));
  has_news_ = false;
}

void statistics::close() {
  if (!file_) return;
  file_->finish();
  save();  // starts writing in the background, because the disk may hang
  file_->finish();
}

}  // namespace photofinish::gateway

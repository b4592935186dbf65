#include "gateway/housekeeping/kept/usage_keeping.hpp"

#include "gateway/usage/usage_codec.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace photofinish::gateway {

using std::chrono::sys_seconds;

usage_keeping::usage_keeping(const std::string& state_dir, std::size_t workers, sys_seconds now) : book_(now) {
  for (std::size_t each = 0; each < workers; ++each) rings_.push_back(std::make_unique<usage_ring>());
  if (state_dir.empty()) return;
  file_.emplace(state_dir, "usage", "reports of use");
  if (file_->is_usable()) load(now);
  else file_.reset();
}

void usage_keeping::load(sys_seconds now) {
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  if (!kept->problem.empty()) return file_->set_aside(kept->problem);
  usage_book read(now);
  if (const std::string problem = decode_usage(kept->text, read); !problem.empty()) return file_->set_aside(problem);
  book_ = std::move(read);
}

bool usage_keeping::note(std::size_t worker, used_share& share) {
  usage_ring& own = *rings_[worker];
  return own.size() < capacity && own.push(std::move(share));
}

void usage_keeping::add(const used_share& share, sys_seconds now) {
  book_.add(share, now);
  has_news_ = true;
}

void usage_keeping::drain(sys_seconds now) {
  for (auto& each : rings_)
    while (const auto share = each->pop()) add(*share, now);
}

void usage_keeping::save(sys_seconds now) {
  book_.expire(now);
  if (!file_ || file_->is_busy()) return;
  const bool is_written = file_->is_written();
  if (!has_news_ && is_written) return;  // what a full disk did not take is tried again
  file_->write(encode(book_));
  has_news_ = false;
}

void usage_keeping::close(sys_seconds now) {
  drain(now);
  if (!file_) return;
  file_->finish();
  save(now);  // not when the disk hangs
  file_->finish();
}

}  // namespace photofinish::gateway

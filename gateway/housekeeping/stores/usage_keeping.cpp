#include "gateway/housekeeping/stores/usage_keeping.hpp"

#include "gateway/process/random_bits.hpp"
#include "gateway/usage/usage_codec.hpp"

#include <spdlog/spdlog.h>

namespace photofinish::gateway {

using std::chrono::sys_seconds;

namespace {

bool is_book_id(const std::string& text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

usage_keeping::usage_keeping(house_loop& house, const std::string& state_dir, std::size_t workers)
    : house_(house), letters_(house.context(), workers, [this] { drain(); }), book_(house.seconds()) {
  const sys_seconds now = house_.seconds();
  if (!state_dir.empty()) {
    file_.emplace(state_dir, "usage", "usage reports");
    if (file_->is_usable()) load(now);
    else file_.reset();
  }
  name_book(state_dir);
  if (is_old_book_) added_.emplace(now);
}

void usage_keeping::name_book(const std::string& state_dir) {
  std::string id = random_name();
  std::optional<stats_file> file;
  if (file_) file.emplace(state_dir, "usage.id", "the names of usage reports");
  if (file && file->is_usable()) {
    const std::optional<file_content> kept = file->read();
    const bool is_id = kept && kept->problem.empty() && is_book_id(kept->text);
    if (is_id) id = kept->text;
    is_old_book_ = is_id;
    if (!is_id) file->write(id);
    file->finish();
  }
  sharing_.emplace(id);
}

void usage_keeping::raise(const std::vector<std::pair<shared_bucket, used_share>>& written) {
  if (!added_) return;
  for (const auto& [bucket, share] : written) {
    usage_tier& own = bucket.width == 'h' ? book_.hours : book_.days;
    const used_amounts* since = tier_of(*added_, bucket.width).find(bucket.start, share.by);
    has_news_ |= own.raise(bucket.start, share, since != nullptr ? *since : used_amounts{});
  }
  added_.reset();
}

void usage_keeping::load(sys_seconds now) {
  const std::optional<file_content> kept = file_->read();
  if (!kept) return;
  if (!kept->problem.empty()) return file_->set_aside(kept->problem);
  usage_book read(now);
  if (const std::string problem = decode_usage(kept->text, read); !problem.empty()) return file_->set_aside(problem);
  book_ = std::move(read);
  has_kept_ = true;
}

void usage_keeping::note(std::size_t worker, used_share share) {
  if (!letters_.put(worker, std::move(share)))
    boost::asio::post(house_.context(), [this, share = std::move(share)] { add(share, house_.seconds()); });
}

void usage_keeping::add(const used_share& share, sys_seconds now) {
  sharing_->note('h', book_.hours.bucket_of(now), book_.hours.add(share, now));
  sharing_->note('d', book_.days.bucket_of(now), book_.days.add(share, now));
  if (added_) added_->add(share, now);
  has_news_ = true;
}

void usage_keeping::drain() {
  letters_.take([this, now = house_.seconds()](const used_share& share) { add(share, now); });
}

void usage_keeping::save() {
  book_.expire(house_.seconds());
  if (!file_ || file_->is_busy()) return;
  const bool is_written = file_->is_written();
  if (!has_news_ && is_written) return;  // a failed write is repeated, for example if the disk was full
  file_->write(encode(book_));
  has_news_ = false;
}

void usage_keeping::close() {
  drain();
  if (!file_) return;
  file_->finish();
  save();  // starts writing in the background, because the disk may hang
  file_->finish();
}

}  // namespace photofinish::gateway

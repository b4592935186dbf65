#include "gateway/cache/recorded_answer.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

api_error too_long_to_share() {
  return overloaded(metrics::overload_reason::shared_answer,
                    "the answer is shared with another request, and has become too long to be buffered for both "
                    "requests");
}

}  // namespace

void recorded_answer::begin(answer_origin origin) {
  const std::scoped_lock lock(guard_);
  if (is_over()) return;
  origin_ = std::move(origin);
  stage_ = stage::begun;
  tell_readers();
}

// Copies the event's JSON instead of moving it, because the JSON is also sent to the client that started the race.
void recorded_answer::add(const proxy::stream_event& event) {
  {
    const std::scoped_lock lock(guard_);
    if (is_over()) return;
  }
  proxy::stream_event seen = event;
  seen.keeper = nullptr;
  proxy::kept_event kept(seen);
  const std::scoped_lock lock(guard_);
  if (is_over()) return;
  if (!has_room_for(kept.bytes())) {
    stage_ = readers_.empty() ? stage::abandoned : stage::failed;
    error_ = too_long_to_share();
    if (readers_.empty()) events_.clear(), memory_.shrink_to(0);
    return tell_readers();
  }
  events_.push_back(std::move(kept));
  tell_readers();
}

bool recorded_answer::has_room_for(std::size_t more) {
  const auto use = readers_.empty() ? proxy::memory_use::arriving : proxy::memory_use::running;
  if (bytes_ + more > longest_ || !memory_.grow_to(bytes_ + more, use)) return false;
  bytes_ += more;
  return true;
}

bool recorded_answer::restart() {
  const std::scoped_lock lock(guard_);
  if (was_read_ || stage_ == stage::failed) return false;
  if (is_over()) return true;  // the answer was already complete
  events_.clear();
  bytes_ = 0;
  stage_ = stage::waiting;
  return true;
}

void recorded_answer::complete() {
  const std::scoped_lock lock(guard_);
  if (stage_ == stage::begun) stage_ = stage::complete;
  tell_readers();
}

void recorded_answer::fail(api_error error) {
  const std::scoped_lock lock(guard_);
  if (is_over()) return;
  stage_ = stage::failed;
  error_ = std::move(error);
  tell_readers();
}

bool recorded_answer::outlive_client(const asio::any_io_executor& of_race, callback when_unread) {
  const std::scoped_lock lock(guard_);
  if (readers_.empty()) {
    if (!is_over()) stage_ = stage::abandoned;
    return false;
  }
  of_race_ = of_race;
  when_unread_ = std::move(when_unread);
  return true;
}

bool recorded_answer::abandon_unless_read() {
  const std::scoped_lock lock(guard_);
  if (!readers_.empty()) return false;
  if (!is_over()) stage_ = stage::abandoned;
  return true;
}

std::unique_ptr<answer_reader> recorded_answer::read(const std::shared_ptr<recorded_answer>& answer,
                                                     const asio::any_io_executor& of_reader) {
  auto place = std::make_shared<reader_place>(of_reader);
  auto reader = std::make_unique<answer_reader>(answer, place);
  const std::scoped_lock lock(answer->guard_);
  if (answer->stage_ == stage::failed || answer->stage_ == stage::abandoned) return nullptr;
  answer->readers_.push_back(std::move(place));
  return reader;
}

bool recorded_answer::is_complete() const {
  const std::scoped_lock lock(guard_);
  return stage_ == stage::complete;
}

std::size_t recorded_answer::bytes() const {
  const std::scoped_lock lock(guard_);
  return bytes_;
}

void recorded_answer::charge(proxy::memory_budget::account who) {
  const std::scoped_lock lock(guard_);
  memory_.charge(who);
}

// Notifies the readers. The caller must hold the lock. After a notification, a reader is not notified again until it
// has read. Therefore many events cost a slow reader only one notification.
void recorded_answer::tell_readers() {
  for (const std::shared_ptr<reader_place>& each : readers_) {
    if (std::exchange(each->is_told, true)) continue;
    asio::post(each->executor, [each] {
      each->has_changed = true;
      each->changed.wake();
    });
  }
}

void recorded_answer::leave(const std::shared_ptr<reader_place>& place) {
  const std::scoped_lock lock(guard_);
  if (std::erase(readers_, place) == 0 || !readers_.empty() || !when_unread_ || is_over()) return;
  asio::post(of_race_, [call = when_unread_] { (*call)(); });
}

recorded_answer::stage answer_reader::look() {
  const std::scoped_lock lock(answer_->guard_);
  place_->is_told = false;
  if (answer_->stage_ != recorded_answer::stage::waiting) answer_->was_read_ = true;
  if (!has_next()) here_.clear(), next_ = 0;
  const std::size_t most = std::min(answer_->events_.size(), taken_ + at_once);
  for (; here_.size() < at_once && taken_ < most; ++taken_) here_.push_back(&answer_->events_[taken_]);
  has_more_ = taken_ < answer_->events_.size();
  return answer_->stage_;
}

// Returns an event that does not own its JSON. Therefore the caller cannot move the JSON out of it.
std::optional<proxy::stream_event> answer_reader::next() {
  if (!has_next()) return std::nullopt;
  proxy::stream_event event = here_[next_++]->view();
  event.keeper = nullptr;
  return event;
}

asio::awaitable<void> answer_reader::changed() {
  while (!std::exchange(place_->has_changed, false)) co_await place_->changed.wait();
}

void answer_reader::wake() {
  place_->has_changed = true;
  place_->changed.wake();
}

}  // namespace photofinish::gateway

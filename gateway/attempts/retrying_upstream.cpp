#include "gateway/attempts/retrying_upstream.hpp"

#include <algorithm>

namespace photofinish::gateway {

namespace asio = boost::asio;

asio::awaitable<proxy::result<void>> retrying_upstream::open() {
  auto opened = co_await open_inner();
  // Moves the function that makes a new attempt to a local variable, so that its captured data is freed when this
  // coroutine ends.
  const made_again again = std::exchange(again_, {});
  while (!opened && counts_ && again) {
    std::unique_ptr<proxy::upstream> next = again(opened.error());
    if (!next) break;
    inner_->close();
    inner_ = std::move(next);
    auto reopened = co_await open_inner();
    opened = std::move(reopened);
  }
  co_return opened;
}

// A failure before the first token counts as a failure of open(), because the client has received nothing yet.
asio::awaitable<proxy::result<void>> retrying_upstream::open_inner() {
  drop_seen();
  auto opened = co_await inner_->open();
  note_room();
  if (opened && most_seen_ > 0 && !inner_->summary().is_unstreamed) co_await see_first_events();
  const bool has_said = std::any_of(seen_.begin(), seen_.end(), [](const proxy::kept_event& each) {
    return each.kind() != proxy::event_kind::progress;
  });
  if (broken_ && !has_said) opened = *std::exchange(broken_, std::nullopt);
  co_return opened;
}

asio::awaitable<void> retrying_upstream::see_first_events() {
  bool goes_on = true;
  while (goes_on) {
    auto next = inner_->poll();
    if (!next) {
      co_await inner_->readable();
      auto read = inner_->read();
      next = std::move(read);
    }
    goes_on = keep_all(std::move(next));
  }
}

// Keeps all events of one read, because they share one buffer. Returns false if one of them is a part of the answer,
// because a rejection can then no longer follow. Also returns false if the memory limit is exceeded.
bool retrying_upstream::keep_all(std::optional<read_result> next) {
  bool is_known = false;
  for (; next; next = inner_->poll()) {
    if (!*next) {
      broken_ = std::move(*next).error();
      return false;
    }
    seen_bytes_ += seen_.emplace_back(**next).bytes();
    is_known |= (*next)->kind != proxy::event_kind::progress;
    if ((*next)->kind == proxy::event_kind::end || (is_known && inner_->keep_unread())) break;
  }
  if (!memory_.grow_to(seen_bytes_, proxy::memory_use::running)) {
    broken_ = proxy::no_memory_for("the events before the first token");
    return false;
  }
  return !is_known && seen_bytes_ <= most_seen_;
}

// Call drop_seen() only when the last event from next_seen() is no longer used.
void retrying_upstream::drop_seen() {
  std::vector<proxy::kept_event>().swap(seen_);
  next_seen_ = seen_bytes_ = 0;
  memory_.shrink_to(0);
}

asio::awaitable<void> retrying_upstream::readable() {
  if (has_seen()) co_return;
  if (!seen_.empty()) drop_seen();
  co_await inner_->readable();
}

std::optional<retrying_upstream::read_result> retrying_upstream::next_seen() {
  if (next_seen_ < seen_.size()) return seen_[next_seen_++].view();
  return *std::exchange(broken_, std::nullopt);
}

}  // namespace photofinish::gateway

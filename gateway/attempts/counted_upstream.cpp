#include "gateway/attempts/counted_upstream.hpp"

#include <algorithm>

namespace photofinish::gateway {

namespace asio = boost::asio;

asio::awaitable<proxy::result<void>> counted_upstream::open() {
  auto opened = co_await open_inner();
  const made_again again = std::exchange(again_, {});  // what it keeps is needed no longer than here
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

// A failure before the first token is the opening's: nothing has been said.
asio::awaitable<proxy::result<void>> counted_upstream::open_inner() {
  seen_.clear();
  auto opened = co_await inner_->open();
  note_room();
  if (opened && most_seen_ > 0 && !inner_->summary().is_unstreamed) co_await see_first_events();
  const bool has_said = std::any_of(seen_.begin(), seen_.end(), [](const proxy::kept_event& each) {
    return each.kind() != proxy::event_kind::progress;
  });
  if (broken_ && !has_said) opened = *std::exchange(broken_, std::nullopt);
  co_return opened;
}

asio::awaitable<void> counted_upstream::see_first_events() {
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

// All that one read brought, for its bytes lie in a buffer of all. False: what came says whether this is an answer, or
// is more than is looked at.
bool counted_upstream::keep_all(std::optional<read_result> next) {
  bool is_known = false;
  std::size_t bytes = 0;
  for (const proxy::kept_event& each : seen_) bytes += each.bytes();
  for (; next; next = inner_->poll()) {
    if (!*next) {
      broken_ = std::move(*next).error();
      return false;
    }
    bytes += seen_.emplace_back(**next).bytes();
    is_known |= (*next)->kind != proxy::event_kind::progress;
    if ((*next)->kind == proxy::event_kind::end || (is_known && inner_->keep_unread())) break;
  }
  return !is_known && bytes <= most_seen_;
}

asio::awaitable<void> counted_upstream::readable() {
  if (!has_seen()) co_await inner_->readable();
}

std::optional<counted_upstream::read_result> counted_upstream::next_seen() {
  if (next_seen_ < seen_.size()) return seen_[next_seen_++].view();
  return *std::exchange(broken_, std::nullopt);
}

}  // namespace photofinish::gateway

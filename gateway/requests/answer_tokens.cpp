#include "gateway/requests/answer_tokens.hpp"

#include "proxy/tokens/byte_pairs.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

// Texts at a time: more choices or calls than that, and the one that has been silent longest is taken for ended.
constexpr std::size_t max_channels = 16;

constexpr std::size_t kept_bytes = 4096;  // of what a burst has taken

// A longer text is counted elsewhere: it is copied for that, and not a second time to be held until then.
constexpr std::size_t most_held = 64u << 10;

}  // namespace

void answer_tokens::add(std::span<const proxy::text_delta> text, proxy::instant read_at) {
  if (text.empty()) return;
  if (!first_read_at_) first_read_at_ = read_at;
  if (!is_first_over_ && read_at != *first_read_at_) close_first_part();
  for (const proxy::text_delta& delta : text) add(delta);
}

void answer_tokens::add(const std::vector<racing::held_event>& events) {
  for (const racing::held_event& event : events) add(event.text.deltas(), event.read_at);
}

void answer_tokens::hold(std::span<const proxy::text_delta> text, proxy::instant read_at) {
  for (const proxy::text_delta& delta : text) {
    if (delta.text.size() > most_held) {
      add_held();
      add(std::span(&delta, 1), read_at);
      continue;
    }
    held_text_ += delta.text;
    held_.push_back({delta, delta.text.size(), read_at});
  }
}

void answer_tokens::add_held() {
  std::string_view rest = held_text_;
  for (held_delta& each : held_) {
    each.delta.text = rest.substr(0, each.bytes);
    rest.remove_prefix(each.bytes);
    add(std::span(&each.delta, 1), each.read_at);
  }
  held_.clear();
  held_text_.clear();
  if (held_text_.capacity() > kept_bytes) held_text_.shrink_to_fit(), held_.shrink_to_fit();
}

void answer_tokens::add(const proxy::text_delta& delta) {
  if (delta.kind == proxy::text_kind::call_name) end_call(delta);
  count_elsewhere(channel_of(delta).counter.add(delta.text), current());
}

// The channel in use stands last.
answer_tokens::channel& answer_tokens::channel_of(const proxy::text_delta& delta) {
  const auto is_its = [&delta](const channel& each) {
    return each.kind == delta.kind && each.choice == delta.choice && each.call == delta.call;
  };
  if (!channels_.empty() && is_its(channels_.back())) return channels_.back();
  const auto known = std::find_if(channels_.begin(), channels_.end(), is_its);
  if (known != channels_.end()) {
    std::rotate(known, known + 1, channels_.end());
  } else if (channels_.size() < max_channels) {
    channels_.push_back({delta.kind, delta.choice, delta.call, {}});
  } else {
    std::rotate(channels_.begin(), channels_.begin() + 1, channels_.end());
    channel& reused = channels_.back();
    count_elsewhere(reused.counter.end(), current());
    reused.kind = delta.kind, reused.choice = delta.choice, reused.call = delta.call;
  }
  return channels_.back();
}

// Some providers give several calls one index: where a name comes, the arguments before it are whole.
void answer_tokens::end_call(const proxy::text_delta& name) {
  for (channel& each : channels_)
    if (each.kind == proxy::text_kind::call_arguments && each.choice == name.choice && each.call == name.call)
      count_elsewhere(each.counter.end(), current());
}

// As if the answer ended here; its last pieces are counted once more when they are whole.
void answer_tokens::close_first_part() {
  is_first_over_ = true;
  for (const channel& each : channels_) {
    counted_.first += each.counter.tokens();
    const std::string_view tail = each.counter.tail();
    if (tail.size() <= proxy::token_counter::max_piece_at_once) counted_.first += proxy::count_tokens(tail);
    else count_elsewhere(std::string(tail), tally::first);
  }
}

void answer_tokens::count_elsewhere(std::string much, tally into) {
  if (much.empty()) return;
  ++waiting_;
  const bool is_taken = elsewhere_(std::move(much), [this, into](std::uint64_t tokens) {
    if (into != tally::first) counted_.all += tokens;
    if (into != tally::all) counted_.first += tokens;
    if (--waiting_ == 0) settled_.wake();
  });
  if (is_taken) return;
  --waiting_;
  is_complete_ = false;
}

void answer_tokens::finish() {
  for (channel& each : channels_) {
    count_elsewhere(each.counter.end(), current());
    counted_.all += each.counter.tokens();
  }
  channels_.clear();
  if (!is_first_over_) counted_.first = counted_.all;  // what is still counted elsewhere adds to both
}

boost::asio::awaitable<void> answer_tokens::all_counted() {
  while (waiting_ > 0) co_await settled_.wait();
}

std::optional<counted_tokens> answer_tokens::result() const {
  if (!is_complete_) return std::nullopt;
  return counted_;
}

}  // namespace photofinish::gateway

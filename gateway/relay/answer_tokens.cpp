#include "gateway/relay/answer_tokens.hpp"

#include "proxy/tokens/byte_pairs.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// The maximum number of texts that are counted at the same time. If an answer has more choices or calls, the text that
// has not grown for the longest time counts as complete.
constexpr std::size_t max_channels = 16;

constexpr std::size_t kept_bytes = 4096;  // the maximum capacity that the buffer keeps after its text was counted

// The maximum size of a text that hold() copies, to be counted later. A longer text is passed to another thread
// immediately, so that it is copied only once.
constexpr std::size_t most_held = 64u << 10;

// True for text that the model wrote. Signatures and opaque texts come from the provider, and citations contain text of
// other authors.
bool is_counted(const proxy::delta& each) {
  switch (each.kind) {
    case proxy::delta_kind::text:
    case proxy::delta_kind::refusal:
    case proxy::delta_kind::reasoning:
    case proxy::delta_kind::call:
    case proxy::delta_kind::call_arguments:
    case proxy::delta_kind::transcript: return !each.text.empty();
    case proxy::delta_kind::signature:
    case proxy::delta_kind::opaque:
    case proxy::delta_kind::citation:
    case proxy::delta_kind::media_type:
    case proxy::delta_kind::image:
    case proxy::delta_kind::logprobs:
    case proxy::delta_kind::lost_part:
    case proxy::delta_kind::finish: return false;
  }
  return false;
}

}  // namespace

void answer_tokens::add(std::span<const proxy::delta> deltas, proxy::instant read_at) {
  if (!is_counting_) return;
  for (const proxy::delta& each : deltas) {
    if (!is_counted(each)) continue;
    if (!first_read_at_) first_read_at_ = read_at;
    if (!is_first_over_ && read_at != *first_read_at_) close_first_part();
    add(each);
  }
}

void answer_tokens::add(std::vector<proxy::kept_event>& events) {
  for (proxy::kept_event& event : events) add(event.view().deltas, event.read_at());
}

void answer_tokens::hold(std::span<const proxy::delta> deltas, proxy::instant read_at) {
  if (!is_counting_) return;
  for (const proxy::delta& each : deltas) {
    if (!is_counted(each)) continue;
    if (each.text.size() > most_held) {
      add_held();
      add(std::span(&each, 1), read_at);
      continue;
    }
    held_text_ += each.text;
    held_.push_back({each, each.text.size(), read_at});
  }
}

void answer_tokens::add_held() {
  std::string_view rest = held_text_;
  for (held_delta& each : held_) {
    each.its.text = rest.substr(0, each.bytes);
    rest.remove_prefix(each.bytes);
    add(std::span(&each.its, 1), each.read_at);
  }
  held_.clear();
  held_text_.clear();
  if (held_text_.capacity() > kept_bytes) held_text_.shrink_to_fit(), held_.shrink_to_fit();
}

void answer_tokens::add(const proxy::delta& each) {
  if (each.kind == proxy::delta_kind::call) end_call(each);
  count_elsewhere(channel_of(each).counter.add(each.text), current());
}

// Returns the counter for the text to which a delta belongs, and moves the counter to the end of the list.
answer_tokens::channel& answer_tokens::channel_of(const proxy::delta& its) {
  const auto is_its = [&its](const channel& each) {
    return each.kind == its.kind && each.choice == its.choice && each.part == its.part;
  };
  if (!channels_.empty() && is_its(channels_.back())) return channels_.back();
  const auto known = std::find_if(channels_.begin(), channels_.end(), is_its);
  if (known != channels_.end()) {
    std::rotate(known, known + 1, channels_.end());
  } else if (channels_.size() < max_channels) {
    channels_.push_back({its.kind, its.choice, its.part, {}});
  } else {
    std::rotate(channels_.begin(), channels_.begin() + 1, channels_.end());
    channel& reused = channels_.back();
    count_elsewhere(reused.counter.end(), current());
    reused.kind = its.kind, reused.choice = its.choice, reused.part = its.part;
  }
  return channels_.back();
}

// If the name of a new call arrives, the arguments of the previous call are complete. The index alone does not show
// this, because some providers use one index for several calls.
void answer_tokens::end_call(const proxy::delta& name) {
  for (channel& each : channels_)
    if (each.kind == proxy::delta_kind::call_arguments && each.choice == name.choice && each.part == name.part)
      count_elsewhere(each.counter.end(), current());
}

// Counts the text so far as if the answer ended here. The last pieces are counted again when they are complete.
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
  const auto counted = [this, into, round = round_](std::uint64_t tokens) {
    if (round == round_ && into != tally::first) counted_.all += tokens;
    if (round == round_ && into != tally::all) counted_.first += tokens;
    if (--waiting_ > 0) return;
    if (const auto call = std::exchange(when_counted_, nullptr)) return call();
    settled_.wake();
  };
  ++waiting_;
  bool is_taken = false;
  try {
    is_taken = elsewhere_(std::move(much), counted);
  } catch (...) {  // the answer gets no token count, because a failed count is not repeated
    --waiting_;
    is_complete_ = false;
    throw;
  }
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
  // counted_.first and counted_.all both include texts that another thread is still counting.
  if (!is_first_over_) counted_.first = counted_.all;
}

std::optional<std::uint64_t> answer_tokens::so_far() const {
  if (waiting_ > 0 || !is_complete_) return std::nullopt;
  std::uint64_t tokens = counted_.all;
  for (const channel& each : channels_) tokens += each.counter.tokens();
  return tokens;
}

void answer_tokens::restart() {
  ++round_;
  channels_.clear();
  held_.clear();
  held_text_.clear();
  first_read_at_.reset();
  counted_ = {};
  is_first_over_ = false;
  is_complete_ = true;
}

boost::asio::awaitable<void> answer_tokens::all_counted() {
  while (waiting_ > 0) co_await settled_.wait();
}

std::optional<counted_tokens> answer_tokens::result() const {
  if (!is_complete_) return std::nullopt;
  return counted_;
}

}  // namespace photofinish::gateway

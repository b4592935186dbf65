#include "proxy/upstream_call.hpp"

#include "proxy/aws/aws_credentials.hpp"
#include "proxy/aws/sigv4.hpp"
#include "proxy/http/http_head.hpp"
#include "proxy/loop/at_once.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/read_refusal.hpp"

#include <chrono>
#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

namespace {

// The time limit for reading the body of an error answer. The status is already known, and the next target has to wait
// until the body is read.
constexpr std::chrono::seconds refusal_patience{1};

// How many bytes of a body are hashed in one turn of the event loop. Hashing them takes a fraction of a millisecond.
constexpr std::size_t most_hashed_in_a_turn = 256u << 10;

failure cancelled() { return {.kind = failure_kind::cancelled, .origin = failure_origin::gateway}; }

failure encoded_answer(std::string_view encoding) {
  return bad_stream("the answer is compressed (" + std::string(encoding.substr(0, 40)) +
                    ") although the request asked for an uncompressed answer");
}

failure oversized_event(std::size_t limit) {
  return bad_stream("an event is larger than " + std::to_string(limit) + " bytes");
}

failure oversized_answer(std::size_t limit) {
  return bad_stream("an answer in one piece is larger than " + std::to_string(limit) + " bytes");
}

std::chrono::sys_seconds wall_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

bool is_encoded(const response_head& head) {
  const std::string_view encoding = head.field("content-encoding");
  return !encoding.empty() && !equals_ignoring_case(encoding, "identity");
}

}  // namespace

upstream_call::upstream_call(const provider& target, secret key, prepared_request request,
                             std::unique_ptr<dialect_stream> stream, std::unique_ptr<exchange> over, alarms& clock,
                             finisher& finish, std::shared_ptr<const redactor> secrets, memory_share memory)
    : exchange_(std::move(over)),
      clock_(clock),
      stream_(std::move(stream)),
      parser_(target.limits.max_event_bytes),
      memory_(std::move(memory)),
      finisher_(finish),
      target_(target),
      key_(std::move(key)),
      secrets_(std::move(secrets)),
      request_(std::make_unique<prepared_request>(std::move(request))) {
  summary_.is_unstreamed = request_->is_unstreamed;
}

asio::awaitable<result<void>> upstream_call::open() {
  const bool has_room = memory_.grow_to(request_->body.held_bytes(), memory_use::running);
  if (!has_room) co_return no_memory_for("a request of this size");
  if (target_.key.auth == auth_style::aws) co_await sign();
  if (is_closed_) co_return cancelled();
  auto head = co_await exchange_->start(request_->head, request_->body.pieces());
  request_.reset();  // the request was sent, or will never be sent, so its memory is freed
  memory_.shrink_to(0);
  note_connection();
  if (is_closed_) co_return cancelled();
  if (!head) co_return cleaned(std::move(head).error());
  read_at_ = clock_.now();
  summary_.headroom = read_rate_headroom(head->fields, wall_seconds());
  if (head->status == 200 && is_encoded(*head)) co_return encoded_answer(head->field("content-encoding"));
  const answer_kind kind = stream_->on_head(*head);
  if (kind == answer_kind::refusal) co_return co_await read_refusal(*head);
  expect(kind);
  co_return result<void>{};
}

// Signs the request if the key consists of AWS credentials. Any other key is already in the request's head.
asio::awaitable<void> upstream_call::sign() {
  const auto by = read_aws_credentials(key_);
  if (!by) co_return;
  const auto loop = co_await asio::this_coro::executor;
  sha256 sum;
  std::size_t hashed = 0;
  for (std::string_view piece : request_->body.pieces()) {
    while (!piece.empty()) {
      const std::string_view part = piece.substr(0, most_hashed_in_a_turn - hashed);
      sum.add(part);
      piece.remove_prefix(part.size());
      hashed += part.size();
      if (hashed < most_hashed_in_a_turn) continue;
      hashed = 0;
      co_await next_turn(loop);
      if (is_closed_) co_return;
    }
  }
  const std::string& host = target_.url.host;
  const std::string_view region = target_.key.aws_region.empty() ? aws_region_of(host) : target_.key.aws_region;
  sign_request(request_->head, sum.hex(), *by, {region, aws_service_of(host)}, wall_seconds());
}

void upstream_call::expect(answer_kind kind) {
  summary_.is_unstreamed = kind == answer_kind::whole && stream_->is_streamable();
  has_bytes_ = kind == answer_kind::bytes || kind == answer_kind::frames;
  if (kind == answer_kind::whole) whole_ = std::make_unique<std::string>();
  if (kind == answer_kind::frames) frames_ = std::make_unique<frame_reader>(target_.limits.max_event_bytes);
}

// Reads the whole body of an error answer, within limits, because the body contains the reason.
asio::awaitable<failure> upstream_call::read_refusal(const response_head& head) {
  std::string body;
  alarm limit(clock_, [this] { exchange_->cancel(); });
  limit.arm(clock_.now() + refusal_patience);
  while (body.size() < max_error_bytes) {
    auto bytes = co_await exchange_->next();
    if (is_closed_) co_return cancelled();
    if (!bytes || bytes->empty()) break;
    body += bytes->substr(0, max_error_bytes - body.size());
  }
  if (is_encoded(head)) body.clear();  // only the status of a compressed error answer is used
  co_return cleaned(proxy::read_refusal(head, body));
}

asio::awaitable<void> upstream_call::readable() {
  return exchange_ ? exchange_->readable() : at_once();
}

std::optional<result<stream_event>> upstream_call::read() {
  if (is_closed_ || !exchange_) return cancelled();
  auto bytes = exchange_->read();
  if (!bytes) return std::nullopt;
  if (!*bytes) return cleaned(std::move(*bytes).error());
  read_at_ = clock_.now();
  has_spoken_ = false;
  if (whole_) return (*bytes)->empty() ? end_whole() : take_whole(**bytes);
  if ((*bytes)->empty()) {
    auto last = end_body();
    if (!last) return cleaned(std::move(last).error());
    ready_ = *last;
  } else if (auto taken = take(**bytes); !taken) {
    return cleaned(std::move(taken).error());
  }
  return poll();
}

std::optional<result<stream_event>> upstream_call::poll() {
  while (true) {
    if (!ready_.empty()) return give(ready_.front());
    if (is_closed_ || !exchange_) return std::nullopt;
    if (auto event = parser_.next()) {
      auto said = stream_->on_event(*event, read_at_);
      if (!said) return cleaned(std::move(said).error());
      ready_ = *said;
      continue;
    }
    if (parser_.is_oversized()) return oversized_event(target_.limits.max_event_bytes);
    if (has_whole_) {
      if (auto taken = take_next_of_whole(); !taken) return cleaned(std::move(taken).error());
      continue;
    }
    if (frames_) {
      const auto taken = take_frame();
      if (!taken) return cleaned(taken.error());
      if (*taken) continue;
    }
    const std::string_view bytes = exchange_->poll();
    if (bytes.empty()) return await_more();
    if (whole_) return take_whole(bytes);
    if (auto taken = take(bytes); !taken) return cleaned(std::move(taken).error());
  }
}

result<std::span<const stream_event>> upstream_call::end_body() {
  if (frames_) return stream_->on_body_end(frames_->unfinished(), read_at_);
  stream_->name_unfinished(parser_.unfinished_name());
  auto last = stream_->on_body_end(parser_.unfinished_data(), read_at_);
  if (last) return last;
  return error_from_bare(parser_.bare_json()).value_or(std::move(last).error());
}

// Decodes the next frame. Returns false if no complete frame has arrived.
result<bool> upstream_call::take_frame() {
  const auto frame = frames_->next();
  if (!frame && !frames_->fault().empty()) return bad_stream(frames_->fault());
  if (!frame) return false;
  auto said = stream_->on_frame(*frame, read_at_);
  if (!said) return std::move(said).error();
  ready_ = *said;
  return true;
}

// Handles received bytes, which belong to text events, to binary frames, or to a body that is forwarded unchanged.
result<void> upstream_call::take(std::string_view bytes) {
  if (!has_bytes_) {
    parser_.feed(bytes);
    return {};
  }
  if (frames_) return frames_->feed(bytes), result<void>();
  auto said = stream_->on_bytes(bytes, read_at_);
  if (!said) return std::move(said).error();
  ready_ = *said;
  return {};
}

std::optional<result<stream_event>> upstream_call::take_whole(std::string_view bytes) {
  const std::size_t most = stream_->max_whole_bytes(target_.limits.max_event_bytes);
  for (; !bytes.empty(); bytes = exchange_->poll()) {
    if (bytes.size() > most - whole_->size()) return oversized_answer(most);
    whole_->append(bytes);
  }
  if (auto seen = stream_->see_whole(*whole_); !seen) return cleaned(std::move(seen).error());
  return await_more();
}

std::optional<result<stream_event>> upstream_call::end_whole() {
  auto taken = stream_->on_whole(std::move(*whole_));
  whole_.reset();
  if (!taken) return cleaned(std::move(taken).error());
  has_whole_ = true;
  return poll();
}

// Reads the next part of an answer that is not a stream. The dialect converts the part to text, which may be much
// longer than the answer, for example if a small body contains many choices.
result<void> upstream_call::take_next_of_whole() {
  auto said = stream_->next_of_whole(read_at_);
  const bool has_room = memory_.follow(stream_->held_bytes(), memory_use::running);
  has_whole_ = said.has_value() && has_room;
  if (!said) return std::move(said).error();
  if (!has_room) return no_memory_for("an answer of this size");
  ready_ = *said;
  return {};
}

// Called before the attempt waits for more bytes. If the parser stores many bytes during the wait, these bytes are
// counted in the memory budget.
std::optional<result<stream_event>> upstream_call::await_more() {
  std::size_t kept = parser_.held_bytes() + (whole_ ? whole_->size() : 0);
  // stream_->held_bytes() counts the event that was decoded from the last frame
  if (frames_) kept += frames_->held_bytes() + stream_->held_bytes();
  // If a read completes no event, its bytes are only copied. They belong to a long event, or to an answer that is not a
  // stream. Such reads are kept small.
  exchange_->read_little(!has_spoken_ && kept <= memory_share::uncounted);
  const bool is_counted = kept > memory_share::uncounted || memory_.held() > 0;
  if (is_counted && !memory_.follow(kept, memory_use::running)) return no_memory_for("an event of this size");
  return std::nullopt;
}

bool upstream_call::keep_unread() {
  if (!ready_.empty()) return false;
  std::size_t kept = parser_.keep_unread() + (exchange_ ? exchange_->keep_unread() : 0) + parser_.held_bytes();
  if (frames_) kept += frames_->keep_unread() + frames_->held_bytes();
  // The bytes of this read are already in memory, so the answer continues even if the memory budget refuses them.
  (void)memory_.grow_to(kept, memory_use::running);
  return true;
}

bool upstream_call::may_have_event() const {
  const bool has_frame = frames_ && frames_->has_unread();
  return !ready_.empty() || parser_.has_unread() || has_frame ||
         (exchange_ && (has_whole_ || exchange_->has_body_here()));
}

stream_event upstream_call::give(const stream_event& ready) {
  ready_ = ready_.subspan(1);
  const stream_event event = own_words::may_be_in(ready) ? cleaned(ready) : ready;
  has_spoken_ = has_spoken_ || event.kind != event_kind::progress;
  add_to(summary_, event);
  // No event follows the event `end`. The finisher therefore reads the remaining bytes of the exchange.
  if (event.kind != event_kind::end) return event;
  if (exchange_) finisher_.take(std::move(exchange_));
  memory_.shrink_to(stream_->held_bytes());  // if the answer is not a stream, `stream_` may still hold events
  return event;
}

failure upstream_call::cleaned(failure why) const {
  if (secrets_) secrets_->redact(why);
  redact(why, secrets_in(key_));
  return why;
}

// Removes secrets from an event's texts, which the client receives and the log may contain. The attempt uses one
// redactor for all texts, because building a redactor costs far more than using it.
stream_event upstream_call::cleaned(const stream_event& event) {
  if (!own_) own_ = std::make_unique<word_cleaning>();
  return own_->words.clean(event, [this](std::string_view text) {
    if (!own_->without_key) own_->without_key.emplace(secrets_in(key_));
    return own_->without_key->redact(secrets_ ? secrets_->redact(text) : std::string(text));
  });
}

// Before the head of the response arrives, only the exchange knows whether there is a connection, and therefore whether
// the request was sent.
const stream_summary& upstream_call::summary() const {
  if (exchange_ && summary_.connection == connection_used::none) summary_.connection = exchange_->connection();
  return summary_;
}

void upstream_call::note_connection() noexcept {
  summary_.first_byte_at = exchange_->first_byte_at();
  summary_.connection = exchange_->connection();
}

void upstream_call::close() noexcept {
  is_closed_ = true;
  ready_ = {};
  if (!exchange_) return;
  note_connection();
  exchange_->cancel();
}

}  // namespace photofinish::proxy

#include "gateway/probes/probe_attempt.hpp"

#include "gateway/api/chat/chat_api.hpp"
#include "gateway/attempts/retryable_rejection.hpp"
#include "proxy/failures/network_failures.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/tokens/byte_pairs.hpp"

#include <array>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

probe_attempt::probe_attempt(proxy::outbound& over, race_builder builder, probe_attempt_request wanted)
    : over_(over),
      builder_(std::move(builder)),
      wanted_(std::move(wanted)),
      tokens_([](std::string text, std::function<void(std::uint64_t)> counted) {
        // the count may be slow, because no client waits for it
        return counted(proxy::count_tokens(text)), true;
      }),
      limit_(over_.alarms(), [this] {
        answer_.is_late = true;
        call_->close();
      }) {}

probe_attempt::~probe_attempt() = default;

asio::awaitable<probe_attempt_answer> probe_attempt::run() {
  const proxy::upstream_stream wanted = wanted_.chosen.provider->behaves.stream;
  answer_.started_at = over_.alarms().now();
  const bool is_whole = wanted == proxy::upstream_stream::never;
  call_ = make(is_whole ? proxy::answer_shape::in_one_piece : proxy::answer_shape::streamed);
  limit_.arm(answer_.started_at + wanted_.patience);
  if (is_cancelled_) call_->close();
  auto opened = co_await call_->open();
  const bool is_running = !answer_.is_late && !is_cancelled_;
  if (!opened && is_running && wanted == proxy::upstream_stream::automatic && refuses_stream(opened.error())) {
    answer_.has_refused_stream = true;
    call_->close();
    call_ = make(proxy::answer_shape::in_one_piece);
    answer_.started_at = over_.alarms().now();
    auto again = co_await call_->open();
    opened = std::move(again);
  }
  if (opened) co_await read_all();
  else answer_.why = opened.error();
  end();
  co_return std::move(answer_);
}

void probe_attempt::cancel() noexcept {
  is_cancelled_ = true;
  if (call_) call_->close();
}

std::unique_ptr<proxy::upstream> probe_attempt::make(proxy::answer_shape shape) {
  const auto build = [this, shape] {
    return builder_.attempt(wanted_.chosen, {wanted_.asked, wanted_.id}, {shape}).upstream;
  };
  if (!builder_.lacks_key(wanted_.chosen)) return build();
  return builder_.attempt_after_key(*wanted_.chosen.provider, 0, build);
}

asio::awaitable<void> probe_attempt::read_all() {
  while (true) {
    co_await call_->readable();
    for (auto event = call_->read(); event; event = call_->poll()) {
      if (!*event) {
        answer_.why = event->error();
        co_return;
      }
      const bool is_end = (*event)->kind == proxy::event_kind::end;
      tokens_.add((*event)->deltas, (*event)->read_at);
      note_first_token();
      if (is_end) co_return;
    }
    if (call_->summary().text_bytes > most_probe_text) {
      answer_.why = proxy::bad_stream("the answer has more tokens than requested");
      co_return;
    }
  }
}

void probe_attempt::note_first_token() {
  const auto& first = call_->summary().first_token_at;
  if (first && !std::exchange(has_spoken_, true) && wanted_.on_first_token) wanted_.on_first_token(*first);
}

void probe_attempt::end() {
  limit_.disarm();
  answer_.ended_at = over_.alarms().now();
  answer_.summary = call_->summary();
  if (answer_.why && answer_.is_late) {
    const std::string what = answer_.summary.first_token_at ? "the answer did not end" : "no first token";
    answer_.why = proxy::network_failure(
        proxy::failure_kind::timeout, what + " within " + std::to_string(wanted_.patience.count() / 1000) + " s");
  } else if (answer_.why && is_cancelled_) {
    answer_.why = proxy::cancelled_failure();
  }
  tokens_.finish();
  if (!answer_.why) answer_.counted = tokens_.result();
  call_->close();
}

std::variant<parsed_request, std::string> make_probe_request(proxy::outbound& over, const target_name& target,
                                                             std::string_view prompt, std::size_t max_output) {
  const std::string body = R"({"model":)" + proxy::json_quote(target.text()) +
                           R"(,"stream":true,"max_completion_tokens":)" + std::to_string(max_output) +
                           R"(,"messages":[{"role":"user","content":)" + proxy::json_quote(prompt) + "}]}";
  auto read = chat_api().read(body, over.parser());
  if (const auto* error = std::get_if<api_error>(&read)) return error->message;
  return std::get<parsed_request>(std::move(read));
}

std::optional<race_candidate> find_probe_candidate(const config& settings, const target_name& target) {
  const auto provider = settings.providers.find(target.provider);
  if (provider == settings.providers.end()) return std::nullopt;
  const std::array targets{target};
  race_candidate made{&provider->second, target, key_for(provider->second, {}, settings, targets), target.text()};
  return made;
}

}  // namespace photofinish::gateway

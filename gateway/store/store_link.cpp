#include "gateway/store/store_link.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The time limit for connecting to the store, as a multiple of the timeout. DNS, TCP and TLS each need one or two round
// trips. No request waits while the gateway connects.
constexpr int connect_factor = 5;
constexpr std::size_t read_bytes = 16u << 10;
constexpr std::size_t script_name_length = 40;

bool is_script_name(const store_reply& reply) {
  return reply.kind == reply_kind::text && reply.text.size() == script_name_length;
}

// Returns true if the first word of the reply to the command ROLE means that the server is a primary.
bool is_primary(const store_reply& role) {
  return role.kind == reply_kind::list && !role.list.empty() && role.list.front().text == "master";
}

}  // namespace

store_link::store_link(proxy::network& net, proxy::tls_context* tls, std::chrono::milliseconds timeout)
    : net_(net), tls_(tls), timeout_(timeout), limit_(net.clock, [this] {
        is_late_ = true;
        if (stream_) stream_->abort();
      }) {}

asio::awaitable<std::optional<store_trouble>> store_link::open(redis_place place, bool must_be_primary) {
  auto trouble = co_await connect(place);
  if (!trouble) trouble = co_await greet(place, must_be_primary);
  co_return trouble;
}

asio::awaitable<std::optional<store_trouble>> store_link::connect(redis_place place) {
  if (is_cancelled_) co_return store_trouble{store_error::connect, "cancelled"};
  proxy::dial_target target{.host = place.host, .port = place.port, .tls = tls_};
  target.connect_timeout = target.tls_timeout = timeout_ * connect_factor;
  dial_ = std::make_unique<proxy::dial>(net_, std::move(target));
  auto connected = co_await dial_->run();
  dial_.reset();
  if (!connected) {
    const bool is_tls = connected.error().kind == proxy::failure_kind::tls;
    std::string detail(to_string(connected.error().kind));
    if (!connected.error().detail.empty()) detail += ": " + connected.error().detail;
    co_return store_trouble{is_tls ? store_error::tls : store_error::connect, std::move(detail)};
  }
  stream_.emplace(*std::move(connected));
  if (is_cancelled_) stream_->abort();
  co_return std::nullopt;
}

asio::awaitable<std::optional<store_trouble>> store_link::greet(const redis_place& place, bool must_be_primary) {
  std::vector<store_command> commands;
  if (!place.password.empty() && place.user.empty()) commands.push_back({"AUTH", place.password.reveal()});
  else if (!place.password.empty()) commands.push_back({"AUTH", place.user, place.password.reveal()});
  if (place.database != 0) commands.push_back({"SELECT", std::to_string(place.database)});
  const std::size_t before = commands.size();
  for (std::size_t each = 0; each < script_count; ++each)
    commands.push_back({"SCRIPT", "LOAD", std::string(text_of(static_cast<store_script>(each)))});
  if (must_be_primary) commands.push_back({"ROLE"});
  answer said = co_await exchange(commands);
  if (auto* trouble = std::get_if<store_trouble>(&said)) co_return std::move(*trouble);
  const replies& all = std::get<replies>(said);
  for (const store_reply& each : all)
    if (each.kind == reply_kind::error) co_return trouble_in(each, place.password);
  if (must_be_primary && !is_primary(all.back()))
    co_return store_trouble{store_error::not_ready, "the server that the sentinels name is a replica"};
  for (std::size_t each = 0; each < script_count; ++each) {
    if (!is_script_name(all[before + each]))
      co_return store_trouble{store_error::protocol, "SCRIPT LOAD returned no hash"};
    scripts_[each] = all[before + each].text;
  }
  co_return std::nullopt;
}

asio::awaitable<store_link::answer> store_link::exchange(const std::vector<store_command>& commands) {
  if (!stream_ || !stream_->is_open()) co_return store_trouble{store_error::connect, "closed"};
  // `is_asked_` is still true if an exception ended the previous call. The replies to that call may still arrive, and a
  // new call could mistake them for its own.
  if (std::exchange(is_asked_, true)) co_return store_trouble{store_error::protocol, "a call was interrupted"};
  limit_.arm(net_.clock.now() + timeout_);
  answer said = co_await talk(commands);
  limit_.disarm();
  is_asked_ = false;
  if (std::holds_alternative<store_trouble>(said)) stream_->abort();
  co_return said;
}

asio::awaitable<store_link::answer> store_link::talk(const std::vector<store_command>& commands) {
  const std::string text = written(commands);
  const std::array<std::string_view, 1> pieces{text};
  auto sent = co_await stream_->write(pieces);
  if (!sent) co_return broken(sent.error());
  replies all;
  std::array<char, read_bytes> bytes;
  while (all.size() < commands.size()) {
    auto count = co_await stream_->read_some(bytes);
    if (!count) co_return broken(count.error());
    if (*count == 0) co_return store_trouble{store_error::connect, "the store closed the connection"};
    if (!reader_.feed({bytes.data(), *count}))
      co_return store_trouble{store_error::protocol, "a reply is not valid RESP, or is too large"};
    while (auto reply = reader_.next()) all.push_back(*std::move(reply));
    if (reader_.is_broken())
      co_return store_trouble{store_error::protocol, "a reply is not valid RESP, or is too large"};
  }
  if (all.size() > commands.size())
    co_return store_trouble{store_error::protocol, "the store sent more replies than it received commands"};
  co_return all;
}

store_trouble store_link::broken(const proxy::failure& why) const {
  if (is_late_) return {store_error::timeout, "no answer within " + std::to_string(timeout_.count()) + " ms"};
  return {store_error::connect, std::string(to_string(why.kind)) + (why.detail.empty() ? "" : ": " + why.detail)};
}

void store_link::cancel() noexcept {
  is_cancelled_ = true;
  if (dial_) dial_->cancel();
  if (stream_) stream_->abort();
}

}  // namespace photofinish::gateway

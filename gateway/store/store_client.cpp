#include "gateway/store/store_client.hpp"

#include "proxy/failures/sanitized_text.hpp"

#include <spdlog/spdlog.h>

#include <charconv>
#include <chrono>

namespace photofinish::gateway {

namespace asio = boost::asio;

store_client::store_client(store_network& net, const store_settings& settings, metrics::store_facts& facts,
                           std::string meanwhile)
    : net_(net), settings_(settings), place_(*parse_redis_url(settings.url.reveal()).place), facts_(facts),
      meanwhile_(std::move(meanwhile)) {}

namespace {

constexpr std::chrono::minutes refusals_repeat{10};
constexpr std::size_t most_shown_refusals = 20;

// Returns the names of a command's keys, for the log. A command that runs a script may have several keys. The script's
// error does not show which of them has the wrong type.
std::string keys_of(const store_command& asked) {
  constexpr std::size_t longest = 400;
  std::size_t first = 1, count = 1;
  if (asked.size() > 2 && (asked[0] == "EVALSHA" || asked[0] == "EVAL")) {
    first = 3;
    std::from_chars(asked[2].data(), asked[2].data() + asked[2].size(), count);
  }
  std::string keys;
  for (std::size_t at = first; at < asked.size() && at < first + count && keys.size() < longest; ++at)
    keys += (keys.empty() ? "" : ", ") + asked[at];
  return keys.empty() ? asked.front() : proxy::shown_text(std::string_view(keys).substr(0, longest));
}

}  // namespace

asio::awaitable<std::optional<store_link::replies>> store_client::call(commands make, denial_rule denials) {
  proxy::alarms& clock = net_.parts().clock;
  while (!is_cancelled_ && breaker_.lets_through(clock.now())) {
    const proxy::instant begun = clock.now();
    store_link::answer said = co_await try_once(make, denials);
    facts_.calls.observe(clock.now() - begun);
    if (auto* all = std::get_if<store_link::replies>(&said)) {
      note_success();
      co_return std::move(*all);
    }
    link_.reset();
    if (is_cancelled_) break;
    breaker_.failed(clock.now());
    note(std::get<store_trouble>(said));
  }
  co_return std::nullopt;
}

asio::awaitable<store_link::answer> store_client::try_once(const commands& make, denial_rule denials) {
  auto trouble = co_await connect();
  if (trouble) co_return *std::move(trouble);
  const std::vector<store_command> wanted = make(link_->scripts());
  store_link::answer said = co_await link_->exchange(wanted);
  if (const auto* all = std::get_if<store_link::replies>(&said))
    if (auto of_all = trouble_of(wanted, *all, denials)) co_return *std::move(of_all);
  co_return said;
}

asio::awaitable<std::optional<store_trouble>> store_client::connect() {
  if (link_) co_return std::nullopt;
  proxy::tls_context* tls = nullptr;
  if (place_.is_tls) {
    auto made = net_.parts().tls.for_ca_file(settings_.ca_file);
    if (!made) co_return store_trouble{store_error::tls, made.error().detail};
    tls = *made;
  }
  redis_place place = place_;
  if (settings_.sentinel) {
    auto unknown = co_await find_primary(tls, place);
    if (unknown) co_return unknown;
  }
  link_ = std::make_unique<store_link>(net_.parts(), tls, settings_.timeout);
  auto trouble = co_await link_->open(std::move(place), settings_.sentinel.has_value());
  co_return trouble;
}

// Searches for the primary server before each connection, because the primary may have changed. The sentinel that named
// the last primary is asked first.
asio::awaitable<std::optional<store_trouble>> store_client::find_primary(proxy::tls_context* tls, redis_place& into) {
  const std::vector<std::string>& addresses = settings_.sentinel->addresses;
  std::optional<store_trouble> last;
  for (std::size_t each = 0; each < addresses.size() && !is_cancelled_; ++each) {
    const redis_place at = *parse_sentinel_address(addresses[next_sentinel_ % addresses.size()]);
    link_ = std::make_unique<store_link>(net_.parts(), tls, settings_.timeout);
    last = co_await ask_sentinel(at, into);
    link_.reset();
    if (!last) break;
    last->detail = "sentinel at " + at.shown() + ": " + last->detail;
    ++next_sentinel_;
  }
  if (is_cancelled_) last = store_trouble{store_error::connect, "cancelled"};
  co_return last;
}

asio::awaitable<std::optional<store_trouble>> store_client::ask_sentinel(const redis_place& at, redis_place& into) {
  auto trouble = co_await link_->connect(at);
  if (trouble) co_return trouble;
  std::vector<store_command> question;
  if (!settings_.sentinel->password.empty()) question.push_back({"AUTH", settings_.sentinel->password.reveal()});
  question.push_back({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", settings_.sentinel->master});
  store_link::answer said = co_await link_->exchange(question);
  if (auto* broken = std::get_if<store_trouble>(&said)) co_return std::move(*broken);
  for (const store_reply& each : std::get<store_link::replies>(said))
    if (each.kind == reply_kind::error) co_return trouble_in(each, settings_.sentinel->password);
  const store_reply& found = std::get<store_link::replies>(said).back();
  if (found.kind == reply_kind::nil)
    co_return store_trouble{store_error::not_ready, "the sentinel knows no primary of that name"};
  const bool is_pair = found.kind == reply_kind::list && found.list.size() == 2;
  const auto place = is_pair ? read_redis_place(found.list[0].text, found.list[1].text) : std::nullopt;
  if (!place) co_return store_trouble{store_error::protocol, "the sentinel's reply contains no host or no port"};
  into.host = place->host;
  into.port = place->port;
  co_return std::nullopt;
}

std::string store_client::shown() const {
  return settings_.sentinel ? "the sentinels' " + settings_.sentinel->master : place_.shown();
}

// Returns an error that concerns the whole store. An error that concerns only one command is counted and logged, but
// not returned, because the caller handles it.
std::optional<store_trouble> store_client::trouble_of(const std::vector<store_command>& asked,
                                                      const store_link::replies& all,
                                                      denial_rule denials) {
  for (std::size_t each = 0; each < all.size(); ++each) {
    if (all[each].kind != reply_kind::error) continue;
    store_trouble trouble = trouble_in(all[each], place_.password);
    const bool is_denial = trouble.kind == store_error::permission && denials == denial_rule::reply;
    if (trouble.kind != store_error::refused && !is_denial) return trouble;
    note_refusal(asked[each], trouble);
  }
  return std::nullopt;
}

void store_client::note_refusal(const store_command& asked, const store_trouble& trouble) {
  const proxy::instant now = net_.parts().clock.now();
  ++facts_.errors[static_cast<std::size_t>(trouble.kind)];
  if (trouble.kind == store_error::refused) refused_at_ = now;
  if (now - refusals_since_ >= refusals_repeat) {
    refusals_since_ = now;
    shown_refusals_.clear();
  }
  std::string about = keys_of(asked);
  if (shown_refusals_.size() >= most_shown_refusals || !shown_refusals_.insert(about).second) return;
  spdlog::warn("the store at {} refused a command about {}: {}. Gateways do not share these values", shown(), about,
               trouble.detail);
}

// Logs an error of the store only if it differs from the last logged error. Otherwise the same line would appear every
// second.
void store_client::note(const store_trouble& trouble) {
  ++facts_.errors[static_cast<std::size_t>(trouble.kind)];
  if (!breaker_.is_open()) return;
  facts_.is_up = false;
  if (!std::exchange(is_shown_away_, true)) away_since_ = net_.parts().clock.now();
  std::string text = std::string(store_error_words[static_cast<std::size_t>(trouble.kind)]) + ": " + trouble.detail;
  if (text == shown_trouble_) return;
  const bool is_local = settings_.on_failure == store_failure_rule::local;
  std::string_view holds = is_local ? "each gateway uses its share of the limits and of the remaining budgets"
                                    : "requests with limits or a budget are refused";
  if (!meanwhile_.empty()) holds = meanwhile_;
  spdlog::warn("the store at {} cannot be used ({}); {}. The gateway tries again every second", shown(), text, holds);
  shown_trouble_ = std::move(text);
}

void store_client::note_success() {
  breaker_.worked();
  facts_.is_up = true;
  if (!std::exchange(is_shown_away_, false)) return;
  const auto away = std::chrono::round<std::chrono::seconds>(net_.parts().clock.now() - away_since_);
  spdlog::info("the store at {} answers again, after {} s", shown(), away.count());
  shown_trouble_.clear();
}

void store_client::cancel() noexcept {
  is_cancelled_ = true;
  if (link_) link_->cancel();
}

}  // namespace photofinish::gateway

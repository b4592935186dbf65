#include "gateway/credentials/jwks_keeper.hpp"

#include "gateway/credentials/credential_rules.hpp"
#include "gateway/credentials/fetch_budget.hpp"
#include "proxy/failures/foreign_text.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/url.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds key_set_patience{10};
constexpr std::size_t longest_trouble = 300;

std::chrono::nanoseconds less_a_tenth(std::chrono::nanoseconds of, double chance) {
  return of - std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(of.count()) * chance / 10));
}

}  // namespace

// One source, and what is held of it.
struct jwks_keeper::kept {
  kept(std::shared_ptr<const held_key_set> first, std::unique_ptr<credential_io> over, proxy::alarms& clock,
       std::function<void()> renew, std::function<void()> end)
      : held(std::move(first)), io(std::move(over)), due(clock, std::move(renew)), end_of_keys(clock, std::move(end)) {}

  std::shared_ptr<const held_key_set> held;
  std::unique_ptr<credential_io> io;
  proxy::alarm due, end_of_keys;
  std::optional<proxy::instant> came_at;
  fetch_budget for_unknown_keys{unknown_key_fetches, unknown_key_pause};
  bool is_advanced = false;    // `due` was brought forward for an unknown key, and that fetch is paid for
  proxy::instant began_at{};   // the start of the last fetch
  std::string body;            // of the last fetch that brought keys
  std::size_t failures = 0;  // in a row
  std::string shown_trouble;
  std::string issuer;  // its name, for the log
  bool is_asking = false;
  bool is_gone = false;  // no longer configured
};

jwks_keeper::jwks_keeper(asio::any_io_executor loop, proxy::alarms& clock, make_io io, publish on_board,
                         std::uint64_t seed)
    : loop_(std::move(loop)),
      clock_(clock),
      make_io_(std::move(io)),
      on_board_(std::move(on_board)),
      random_(seed) {}

jwks_keeper::~jwks_keeper() = default;

void jwks_keeper::adopt(const config& settings) {
  if (is_stopping_) return;
  std::vector<std::shared_ptr<kept>> next, fresh;
  const auto find = [](auto& among, const jwks_source& source) {
    return std::find_if(among.begin(), among.end(), [&](const auto& each) { return each->held->source == source; });
  };
  for (const jwt_issuer& each : settings.jwt) {
    if (find(next, each.jwks) != next.end()) continue;  // two issuers may share their keys
    const auto known = find(kept_, each.jwks);
    if (known != kept_.end()) next.push_back(*known);
    else fresh.push_back(next.emplace_back(make(each.jwks)));
    next.back()->issuer = each.name;
  }
  for (const auto& each : kept_) {
    if (find(next, each->held->source) != next.end()) continue;
    each->is_gone = true;
    each->due.disarm(), each->end_of_keys.disarm();
    each->io->cancel();
  }
  kept_ = std::move(next);
  for (const auto& each : fresh) ask(each);
  show();
}

std::shared_ptr<jwks_keeper::kept> jwks_keeper::make(const jwks_source& source) {
  held_key_set none;
  none.source = source;
  const auto place = std::make_shared<std::weak_ptr<kept>>();  // its alarms are made before it is
  const auto renew = [this, place] {
    if (const auto self = place->lock()) ask(self);
  };
  const auto end = [this, place] {
    if (const auto self = place->lock()) end_keys(*self);
  };
  auto made =
      std::make_shared<kept>(std::make_shared<const held_key_set>(std::move(none)), make_io_(), clock_, renew, end);
  *place = made;
  return made;
}

void jwks_keeper::ask_again(const jwks_source& source) {
  for (const auto& each : kept_) {
    if (each->held->source != source || each->failures > 0 || each->held->tries == 0) continue;
    if (each->is_asking || each->is_advanced) continue;
    const proxy::instant when = std::max(clock_.now(), each->for_unknown_keys.next());
    if (each->due.is_armed() && each->due.when() <= when) continue;  // the scheduled fetch comes first
    each->for_unknown_keys.spend(when);
    if (when <= clock_.now()) {
      ask(each);
    } else {
      each->is_advanced = true;
      each->due.arm(when);
    }
  }
}

void jwks_keeper::ask(const std::shared_ptr<kept>& of) {
  if (of->is_asking || of->is_gone || is_stopping_) return;
  of->is_asking = true;
  of->is_advanced = false;
  of->began_at = clock_.now();
  of->due.disarm();
  const auto ended = [this, of](const std::exception_ptr& bug) {
    if (bug) proxy::report_bug("the asking for keys", bug);
    of->is_asking = false;
    --asking_;
    if (bug && !of->is_gone && !is_stopping_) of->due.arm(clock_.now() + pause_after(++of->failures, chance()));
    ended_.wake();
  };
  try {
    proxy::spawn(loop_, "the asking for keys", ask_now(of), ended);
  } catch (...) {  // it never began
    of->is_asking = false;
    throw;
  }
  ++asking_;
}

asio::awaitable<void> jwks_keeper::ask_now(std::shared_ptr<kept> of) {
  const jwks_source& source = of->held->source;
  credential_request request{.at = source.at, .head = {}, .patience = key_set_patience, .via = source.via,
                             .ca_file = source.ca_file};
  request.head.method = "GET";
  request.head.path = source.path;
  request.head.fields = {{"accept", "application/json"}};
  auto said = co_await of->io->ask(std::move(request));
  if (!of->is_gone && !is_stopping_) take(*of, std::move(said));
}

void jwks_keeper::take(kept& of, proxy::result<credential_answer> said) {
  auto next = std::make_shared<held_key_set>(*of.held);
  ++next->tries;
  next->tried_at = clock_.now();
  next->next_fetch_at = of.for_unknown_keys.next();
  std::variant<key_set, std::string> read = key_set();
  if (!said) read = said.error().detail;
  else if (said->status != 200) read = "status " + std::to_string(said->status);
  else read = read_key_set(said->body);
  if (auto* problem = std::get_if<std::string>(&read)) {
    refuse(of, *next, std::move(*problem));
  } else {
    if (!next->keys || !next->trouble.empty())
      spdlog::info("keys of the identity provider '{}' fetched: {}", of.issuer, std::get<key_set>(read).size());
    if (!next->keys || said->body != of.body)  // the same keys stay the same object: callers need no new verification
      next->keys = std::make_shared<const key_set>(std::get<key_set>(std::move(read)));
    of.body = std::move(said->body);
    next->began_at = of.began_at;
    next->trouble.clear();
    of.shown_trouble.clear();
    of.failures = 0;
    of.came_at = clock_.now();
    of.end_of_keys.arm(clock_.now() + key_set_life);
    of.due.arm(clock_.now() + less_a_tenth(between_key_sets, chance()));
  }
  of.held = std::move(next);
  show();
}

void jwks_keeper::refuse(kept& of, held_key_set& next, std::string why) {
  next.trouble = proxy::clean_text(why, longest_trouble);
  if (next.trouble != of.shown_trouble)  // what stays as it was is not said every minute
    spdlog::warn("the keys of the identity provider '{}' cannot be fetched from {}{}: {}{}", of.issuer,
                 proxy::to_string(next.source.at), next.source.path.substr(0, next.source.path.find('?')), next.trouble,
                 next.keys ? "; those that it had count for 24 h" : "; its callers are answered 503");
  of.shown_trouble = next.trouble;
  of.due.arm(clock_.now() + pause_after(++of.failures, chance()));
}

void jwks_keeper::end_keys(kept& of) {
  spdlog::error("the keys of the identity provider '{}' could not be fetched for 24 h: they count no more, and its "
                "callers are answered 503", of.issuer);
  auto next = std::make_shared<held_key_set>(*of.held);
  next->keys = nullptr;
  of.held = std::move(next);
  show();
}

std::vector<jwks_keeper::age> jwks_keeper::ages() const {
  std::vector<age> all;
  for (const auto& each : kept_) {
    all.push_back({each->issuer, std::nullopt});
    if (each->came_at) all.back().since = clock_.now() - *each->came_at;
  }
  return all;
}

void jwks_keeper::show() {
  jwks_board board;
  for (const auto& each : kept_) board.push_back(each->held);
  on_board_(std::make_shared<const jwks_board>(std::move(board)));
}

asio::awaitable<void> jwks_keeper::stop() {
  is_stopping_ = true;
  for (const auto& each : kept_) {
    each->due.disarm(), each->end_of_keys.disarm();
    each->io->cancel();
  }
  while (asking_ > 0) co_await ended_.wait();
}

}  // namespace photofinish::gateway

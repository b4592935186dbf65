#include "proxy/net/name_cache.hpp"

#include "proxy/failures/network_failures.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace photofinish::proxy {
namespace {

using namespace std::chrono_literals;
namespace ip = boost::asio::ip;

constexpr auto min_ttl = 5s;
constexpr auto max_ttl = 300s;
constexpr auto max_stale = 1h;     // an expired address is better than none, but only for a limited time (RFC 8767)
constexpr auto refusal_life = 1s;  // a failed lookup is stored for one second only, so that a repaired name soon works
// When the query for one address family has been answered, the lookup waits this long for the other family (RFC 8305,
// section 3).
constexpr auto resolution_delay = 50ms;

failure dns_failure(const std::string& host, const std::string& detail) {
  return network_failure(failure_kind::dns, "cannot resolve " + host + ": " + detail);
}

std::optional<address_list> without_query(const std::string& host) {
  boost::system::error_code ec;  // the text is classified before make_address() is called, because make_address() alone
                                 // would try IPv6 first
  const bool is_v6 = host.find(':') != std::string::npos;
  const ip::address literal = is_v6 ? ip::make_address(host, ec) : ip::address(ip::make_address_v4(host, ec));
  if (!ec) return address_list{literal};
  if (host != "localhost" && !host.ends_with(".localhost")) return std::nullopt;  // RFC 6761
  return address_list{ip::address_v6::loopback(), ip::address_v4::loopback()};
}

// Returns v6 v4 v6 v4 ..., or v4 v6 v4 v6 ....
address_list alternate(const address_list& found, bool v4_first) {
  address_list first, second, all;
  for (const auto& address : found) (address.is_v4() == v4_first ? first : second).push_back(address);
  for (std::size_t at = 0; at < std::max(first.size(), second.size()); ++at) {
    if (at < first.size()) all.push_back(first[at]);
    if (at < second.size()) all.push_back(second[at]);
  }
  return all;
}

}  // namespace

// A lookup of one name for both address families at the same time.
struct name_cache::look_up {
  look_up(alarms& clock, std::function<void()> publish) : grace(clock, std::move(publish)) {}

  int unanswered = 2;
  address_list found;
  std::chrono::seconds ttl{max_ttl};
  dns_outcome outcome = dns_outcome::no_such_name;  // why there is no address; used only if neither family has one
  std::string detail;
  alarm grace;
};

struct name_cache::entry {
  std::string host;
  address_list known;
  instant expires{};
  bool v4_first = false;
  std::optional<failure> refusal;
  instant refused_until{};
  std::unique_ptr<look_up> running;
  std::vector<waiter*> waiting;
};

void name_cache::waiter::cancel() noexcept {
  is_cancelled_ = true;
  if (queue_ == nullptr) return;
  std::erase(queue_->waiting, this);
  queue_ = nullptr;
  wakeup_.wake();
}

void name_cache::waiter::answer(result<address_list> known) {
  answer_ = std::move(known);
  queue_ = nullptr;
  wakeup_.wake();
}

name_cache::name_cache(boost::asio::io_context& loop, alarms& clock, const dns_options& options)
    : clock_(clock), channel_(loop, clock, options) {}

name_cache::~name_cache() { stop(); }

boost::asio::awaitable<result<address_list>> name_cache::resolve(std::string host, waiter& waiting) {
  if (waiting.is_cancelled_ || is_stopped_) co_return cancelled_failure();
  if (auto known = without_query(host)) co_return std::move(*known);
  auto& name = names_[host];
  if (!name) name = std::make_unique<entry>(), name->host = host;
  if (auto known = from_memory(*name)) co_return std::move(*known);

  waiting.answer_.reset();
  waiting.queue_ = name.get();
  name->waiting.push_back(&waiting);
  if (!name->running) ask(host, *name);
  // From here on, only `waiting` may be used: the cache may be destroyed before this coroutine resumes.
  while (!waiting.is_cancelled_ && !waiting.answer_) co_await waiting.wakeup_.wait();
  if (waiting.is_cancelled_) co_return cancelled_failure();
  co_return std::move(*waiting.answer_);
}

void name_cache::prefer(const std::string& host, const boost::asio::ip::address& good) {
  const auto found = names_.find(host);
  if (found == names_.end() || found->second->v4_first == good.is_v4()) return;
  entry& name = *found->second;
  name.v4_first = good.is_v4();
  name.known = alternate(name.known, name.v4_first);
}

std::optional<result<address_list>> name_cache::from_memory(entry& name) {
  const instant now = clock_.now();
  const bool is_refused = name.refusal && now < name.refused_until;
  if (!name.known.empty() && now < name.expires + max_stale) {
    if (now >= name.expires && !name.running && !is_refused) ask(name.host, name);
    // ask() may end the lookup before it returns, and the old addresses may then be gone
    if (!name.known.empty()) return name.known;
  }
  if (is_refused) return *name.refusal;
  return std::nullopt;
}

void name_cache::ask(const std::string& host, entry& name) {
  name.running = std::make_unique<look_up>(clock_, [this, &name] { publish(name); });
  // If a query needs no network, ask() calls its callback before it returns. The lookup may therefore end during the
  // second query.
  channel_.ask(host, dns_family::v6, [this, &name](dns_answer answer) { answered(name, std::move(answer)); });
  channel_.ask(host, dns_family::v4, [this, &name](dns_answer answer) { answered(name, std::move(answer)); });
}

void name_cache::answered(entry& name, dns_answer answer) {
  look_up& query = *name.running;
  --query.unanswered;
  if (answer.outcome == dns_outcome::found) {
    query.ttl = std::min(query.ttl, answer.ttl);
    query.found.insert(query.found.end(), answer.addresses.begin(), answer.addresses.end());
  } else if (query.detail.empty() || answer.outcome != dns_outcome::no_such_name) {
    query.outcome = answer.outcome;
    query.detail = answer.detail;
  }
  if (query.unanswered > 0) {
    if (!query.found.empty()) query.grace.arm(clock_.now() + resolution_delay);
    return;
  }
  if (query.found.empty()) refuse(name);
  else publish(name);
  name.running.reset();
}

void name_cache::publish(entry& name) {
  name.known = alternate(name.running->found, name.v4_first);
  name.expires = clock_.now() + std::clamp<std::chrono::seconds>(name.running->ttl, min_ttl, max_ttl);
  name.refusal.reset();
  for (waiter* each : std::exchange(name.waiting, {})) each->answer(name.known);
}

// Ends a lookup that found no address. If the name server could not be reached, the old answer stays in use. If the
// name server reported that the name does not exist, the old answer is dropped.
void name_cache::refuse(entry& name) {
  const look_up& query = *name.running;
  if (query.outcome == dns_outcome::no_such_name) name.known.clear();
  const bool is_ours = query.outcome == dns_outcome::cancelled;
  const failure why = is_ours ? cancelled_failure() : dns_failure(name.host, query.detail);
  name.refusal = why;
  name.refused_until = clock_.now() + refusal_life;
  for (waiter* each : std::exchange(name.waiting, {})) {
    if (name.known.empty()) each->answer(why);
    else each->answer(name.known);
  }
}

void name_cache::stop() noexcept {
  is_stopped_ = true;
  channel_.stop();  // ends all lookups, and therefore all waits
}

}  // namespace photofinish::proxy

// Stores one value for each source and renews it before it expires. All readers share one fetch. If fetches fail
// repeatedly, the pauses between them grow, and the old value is used until it expires. Single-threaded: it runs on the
// housekeeper's thread, or on a test's thread.
#pragma once

#include "gateway/credentials/credential_rules.hpp"
#include "gateway/credentials/obtain.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// The life of a fetched value and the time until the next fetch, counted from now.
struct refresh_times {
  std::chrono::nanoseconds next_fetch;
  std::optional<std::chrono::nanoseconds> life;  // the life of the value; not set if it does not expire
};

// The type T defines three types and a name. T::value has a `source` and the number of `tries`. T::answer is the result
// of a fetch. T::state is additional data for each source. T::task is the name of a fetch in bug reports.
template <class T>
class refreshing_cache {
 public:
  using value = typename T::value;
  using answer = typename T::answer;
  using source_type = decltype(value::source);
  using board = std::vector<std::shared_ptr<const value>>;
  // Makes an object for the input and output of one source. Each source has its own object, so that the sources do not
  // wait for each other.
  using make_io = std::function<std::unique_ptr<credential_io>()>;
  using publish = std::function<void(std::shared_ptr<const board>)>;

  // The clock must outlive this object.
  refreshing_cache(boost::asio::any_io_executor loop, proxy::alarms& clock, make_io io, publish on_board,
                   std::uint64_t seed)
      : loop_(std::move(loop)),
        clock_(clock),
        make_io_(std::move(io)),
        publish_(std::move(on_board)),
        random_(seed) {}
  refreshing_cache(const refreshing_cache&) = delete;
  refreshing_cache& operator=(const refreshing_cache&) = delete;
  virtual ~refreshing_cache() = default;  // destroy this object only after stop()

  // Cancels all fetches and waits until they have ended. No fetch is started after this.
  boost::asio::awaitable<void> stop() {
    is_stopping_ = true;
    for (const auto& each : entries_) silence(*each);
    while (fetches_ > 0) co_await ended_.wait();
  }

 protected:
  // The data of one source. Coroutines share it with the cache, because a new configuration may remove the source while
  // it is being fetched.
  struct entry : T::state, std::enable_shared_from_this<entry> {
    entry(refreshing_cache& owner, std::shared_ptr<const value> first)
        : held(std::move(first)),
          io(owner.make_io_()),
          next_fetch(owner.clock_, [this, &owner] { owner.fetch(this->shared_from_this()); }),
          end(owner.clock_, [this, &owner] { owner.expire(*this); }) {}

    std::shared_ptr<const value> held;  // the current value, which is never null
    std::unique_ptr<credential_io> io;
    proxy::alarm next_fetch, end;
    proxy::instant began_at{};       // the time when the last fetch began
    std::size_t failures = 0;        // the number of failed fetches in a row
    std::vector<std::string> users;  // the configuration entries that use this source; their names are shown in the log
    bool is_fetching = false;
    bool is_gone = false;  // true if the configuration no longer names the source
  };

  struct user {
    source_type from;
    std::string name;
  };

  // Fetches a value. The arguments outlive the call.
  virtual boost::asio::awaitable<answer> load(const source_type& from, credential_io& io) = 0;
  // Applies a fetched answer to `next`, which is a copy of the current value. Returns nothing if the fetch failed.
  virtual std::optional<refresh_times> accept(entry& item, value& next, answer given) = 0;
  virtual void end_value(entry& item, value& next) = 0;  // called if the value has expired because all fetches failed

  // Sets the configuration entries and the sources that they use. Only these sources are fetched from now on. Sources
  // that were already in use keep their values.
  void keep(const std::vector<user>& users) {
    if (is_stopping_) return;
    std::vector<std::shared_ptr<entry>> next, fresh;
    for (const user& each : users) {
      auto known = find(next, each.from);
      if (!known) {
        known = find(entries_, each.from);
        if (!known) known = fresh.emplace_back(create(each.from));
        known->users.clear();
        next.push_back(known);
      }
      known->users.push_back(each.name);
    }
    for (const auto& each : entries_) {
      if (find(next, each->held->source)) continue;
      each->is_gone = true;
      silence(*each);
    }
    entries_ = std::move(next);
    for (const auto& each : fresh) fetch(each);
    show();
  }

  // Starts to fetch the value of a source. Does nothing if a fetch of this source is already running, because all
  // readers share the fetched value.
  void fetch(const std::shared_ptr<entry>& item) {
    if (item->is_fetching || item->is_gone || is_stopping_) return;
    item->is_fetching = true;
    item->began_at = now();
    item->next_fetch.disarm();
    const auto ended = [this, item](const std::exception_ptr& bug) {
      if (bug) proxy::report_bug(T::task, bug);
      item->is_fetching = false;
      --fetches_;
      if (bug && !item->is_gone && !is_stopping_) back_off(*item);
      ended_.wake();
    };
    try {
      proxy::spawn(loop_, T::task, run(item), ended);
    } catch (...) {  // the fetch could not be started
      item->is_fetching = false;
      throw;
    }
    ++fetches_;
  }

  std::shared_ptr<entry> find(const source_type& from) const { return find(entries_, from); }
  const std::vector<std::shared_ptr<entry>>& entries() const { return entries_; }
  proxy::instant now() const { return clock_.now(); }
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }

 private:
  static std::shared_ptr<entry> find(const std::vector<std::shared_ptr<entry>>& entries, const source_type& from) {
    const auto has_source = [&from](const auto& each) { return each->held->source == from; };
    const auto place = std::find_if(entries.begin(), entries.end(), has_source);
    return place == entries.end() ? nullptr : *place;
  }

  std::shared_ptr<entry> create(const source_type& from) {
    value none;
    none.source = from;
    return std::make_shared<entry>(*this, std::make_shared<const value>(std::move(none)));
  }

  boost::asio::awaitable<void> run(std::shared_ptr<entry> item) {
    const std::shared_ptr<const value> before = item->held;  // keeps the source alive during the fetch
    answer given = co_await load(before->source, *item->io);
    if (item->is_gone || is_stopping_) co_return;
    value next = *item->held;
    ++next.tries;
    if (const auto times = accept(*item, next, std::move(given))) {
      item->failures = 0;
      item->end.disarm();
      if (times->life) item->end.arm(now() + *times->life);
      item->next_fetch.arm(now() + times->next_fetch);
    } else {
      back_off(*item);
    }
    replace(*item, std::move(next));
  }

  void expire(entry& item) {
    value next = *item.held;
    end_value(item, next);
    replace(item, std::move(next));
  }

  void replace(entry& item, value next) {
    item.held = std::make_shared<const value>(std::move(next));
    show();
  }

  void back_off(entry& item) { item.next_fetch.arm(now() + pause_after(++item.failures, chance())); }

  void silence(entry& item) {
    item.next_fetch.disarm();
    item.end.disarm();
    item.io->cancel();
  }

  void show() {
    auto shown = std::make_shared<board>();
    for (const auto& each : entries_) shown->push_back(each->held);
    publish_(std::move(shown));
  }

  boost::asio::any_io_executor loop_;
  proxy::alarms& clock_;
  make_io make_io_;
  publish publish_;
  std::mt19937_64 random_;
  std::vector<std::shared_ptr<entry>> entries_;
  std::size_t fetches_ = 0;
  bool is_stopping_ = false;
  proxy::signal ended_;
};

}  // namespace photofinish::gateway

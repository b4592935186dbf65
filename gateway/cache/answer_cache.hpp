// Stores complete answers by their requests, for a limited time and in limited memory. Also lists running races whose
// answers other requests may share. The process has one such object, which any thread may use. A look-up holds a lock,
// but no lock is needed to copy an answer's bytes.
#pragma once

#include "gateway/access/caller_digest.hpp"
#include "gateway/cache/recorded_answer.hpp"
#include "gateway/config/config.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/memory/memory_budget.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class answer_cache {
 public:
  // The maximum size of one answer, which is about 60,000 tokens in streamed events.
  static constexpr std::size_t longest_answer = 16u << 20;
  // The caches of all routes together may use max_memory divided by this number.
  static constexpr std::size_t share_of_memory = 8;

  explicit answer_cache(proxy::memory_budget& memory) : memory_(memory) {}

  struct found {
    std::shared_ptr<recorded_answer> answer;
    std::chrono::seconds age;
  };
  // Returns the stored answer to a question. If `most` is set, an older answer is not returned.
  std::optional<found> find(const digest& question, std::optional<std::chrono::seconds> most, proxy::instant now);

  struct kept_by {
    std::string_view route;
    const digest& owner;
    const cache_settings& limits;
  };
  // Stores a complete answer. It replaces an older answer to the same question. If the limits of the route are reached,
  // the oldest answers are removed. If the new answer's owner already has at least half of the route's bytes or
  // entries, only answers of this owner are removed.
  void keep(const digest& question, const kept_by& by, std::shared_ptr<recorded_answer> answer, proxy::instant now);

  // Lists a race whose answer other requests may share. Returns false if another race for the same question is already
  // running. led_answer calls this function.
  bool lead(const digest& race, const std::shared_ptr<recorded_answer>& answer);
  // Returns a reader of the answer of a running race for this question. Returns null if no such race is running.
  std::unique_ptr<answer_reader> follow(const digest& race, const boost::asio::any_io_executor& of_reader);
  void landed(const digest& race, const recorded_answer* answer);

  void drop_expired(proxy::instant now);
  std::size_t bytes() const;
  std::size_t size() const;

 private:
  struct pool;
  struct entry {
    digest question, owner;
    std::shared_ptr<recorded_answer> answer;
    std::size_t bytes;
    proxy::instant stored_at, expires_at;
    pool* of;
    std::list<entry*>::iterator place;  // the entry's position in its owner's list of entries
  };
  using entries = std::list<entry>;
  // Removed answers. They are freed after the lock is released, because this may take long.
  using gone = std::vector<std::shared_ptr<recorded_answer>>;
  struct owned {
    std::list<entry*> oldest_first;
    std::size_t bytes = 0;
  };
  struct pool {  // the stored answers of one route
    entries oldest_first;
    std::size_t bytes = 0;
    std::map<digest, owned> owners;
  };

  void drop(entries::iterator which, gone& into);
  void drop_expired(pool& of, proxy::instant now, gone& into);
  bool make_room(pool& in, const kept_by& by, std::size_t bytes, gone& into);
  pool& fullest();

  proxy::memory_budget& memory_;
  mutable std::mutex guard_;
  std::map<std::string, pool, std::less<>> pools_;
  std::map<digest, entries::iterator> by_question_;
  std::size_t bytes_ = 0;

  std::mutex flights_guard_;
  std::map<digest, std::shared_ptr<recorded_answer>> flights_;
};

// Lists a race whose answer other requests may share, as long as this object exists. The destructor notifies the
// readers if the race ended without an answer. leads() returns false if another race for the same question is already
// running.
class led_answer {
 public:
  led_answer(answer_cache& cache, const digest& race, std::shared_ptr<recorded_answer> answer);
  led_answer(const led_answer&) = delete;
  led_answer& operator=(const led_answer&) = delete;
  ~led_answer();

  bool leads() const { return leads_; }

 private:
  answer_cache& cache_;
  const digest race_;
  std::shared_ptr<recorded_answer> answer_;
  // The error that readers get if the race ends without an answer. It is allocated in advance, because memory may be
  // short later.
  api_error unled_;
  const bool leads_;  // must be the last member: an exception after the race was listed would leave the race in the
                      // list forever
};

}  // namespace photofinish::gateway

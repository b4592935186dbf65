// Defines the keys and commands for queries that one gateway sends to other gateways. Also defines the keys and
// commands for the figures that all gateways write while a live page is open. All key names begin with PREFIX:stats:,
// because the documentation grants the store's users write access to such keys. [pure]
#pragma once

#include "gateway/store/store_reply.hpp"
#include "proxy/words/enum_words.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

enum class query_kind : std::uint8_t { stats, races, advice };
constexpr auto words_of(query_kind) {
  using enum query_kind;
  return proxy::enum_words<query_kind, 3>{{{stats, "stats"}, {races, "races"}, {advice, "advice"}}};
}

// A query that a gateway sends to one gateway or to all gateways. Each gateway that gets the query answers once.
struct fleet_query {
  std::string id = {};                  // a random id
  query_kind kind = query_kind::stats;
  std::string gateway = {};             // the only gateway that should answer; empty if all gateways should answer
  std::chrono::seconds window{};        // the period of the statistics; 0 for all stored statistics
  std::size_t count = 0;                // the maximum number of races in the answer
  // The name of the client who sent the query. Empty if that client may see the races of all clients.
  std::string caller = {};
  bool sees_all = false;
  std::chrono::sys_seconds at{};

  bool operator==(const fleet_query&) const = default;
};

class fleet_query_commands {
 public:
  // After this time, any gateway removes a query from the store.
  static constexpr std::chrono::seconds query_life{30};
  static constexpr std::chrono::seconds answer_life{10};
  // The time for which gateways continue to write figures after a live page has last requested them.
  static constexpr std::chrono::seconds watched_for{5};
  static constexpr std::chrono::seconds figures_life{5};
  static constexpr std::size_t longest_answer = 1u << 20;      // the maximum size of one gateway's answer, in bytes
  static constexpr std::size_t longest_figures = 64u << 10;    // the maximum size of one gateway's figures, in bytes
  static constexpr std::size_t most_queries = 100;

  explicit fleet_query_commands(std::string prefix) : prefix_(std::move(prefix)) {}

  store_command ask(const fleet_query& query) const;
  store_command read_queries() const;
  store_command remove_query(const std::string& id) const;
  store_command answer(const std::string& id, const std::string& run, const std::string& page) const;
  store_command read_answer(const std::string& id, const std::string& run) const;

  // Sets a key with a short time to live. While this key exists, each gateway writes its figures every second.
  store_command watch() const;
  store_command read_watch() const;
  store_command write_figures(const std::string& run, const std::string& figures) const;
  store_command read_figures(const std::string& run) const;

 private:
  std::string answer_name(const std::string& id, const std::string& run) const {
    return prefix_ + ":stats:answers:" + id + ":" + run;
  }
  std::string figures_name(const std::string& run) const { return prefix_ + ":stats:figures:" + run; }

  std::string prefix_;
};

// Reads the queries in a reply. Skips invalid queries, because the contents of the store are untrusted.
std::vector<fleet_query> queries_in(const store_reply& reply);

}  // namespace photofinish::gateway

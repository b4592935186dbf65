// Keeps the keys of identity providers: asks for each set ahead of need, once for all workers, and again when a token
// names a key that is not known. Single-threaded: the housekeeper's thread, or a test's.
#pragma once

#include "gateway/access/jwt/jwks_board.hpp"
#include "gateway/config/config.hpp"
#include "gateway/credentials/obtain.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace photofinish::gateway {

// A key that its issuer has taken back counts so long, at most; one that is new is known so early.
inline constexpr std::chrono::minutes between_key_sets{10};
// A set whose issuer cannot be reached, or answers nonsense, counts so long.
inline constexpr std::chrono::hours key_set_life{24};

class jwks_keeper {
 public:
  using make_io = std::function<std::unique_ptr<credential_io>()>;  // one for each: they do not wait for each other
  using publish = std::function<void(std::shared_ptr<const jwks_board>)>;

  // What is borrowed outlives it.
  jwks_keeper(boost::asio::any_io_executor loop, proxy::alarms& clock, make_io io, publish on_board,
              std::uint64_t seed);
  ~jwks_keeper();  // stopped before

  // From now on it keeps what this configuration names; what stays as it was keeps its keys.
  void adopt(const config& settings);

  // A token names a key that is not known. Fetches the keys now, or as soon as the issuer's fetch_budget allows. Does
  // nothing while a fetch runs, or after a failed fetch, which is repeated anyway.
  void ask_again(const jwks_source& source);

  // How long ago each issuer's keys came, by its name; none: never.
  struct age {
    std::string issuer;
    std::optional<std::chrono::nanoseconds> since;
  };
  std::vector<age> ages() const;

  // Afterwards nothing is asked any more.
  boost::asio::awaitable<void> stop();

 private:
  struct kept;

  std::shared_ptr<kept> make(const jwks_source& source);
  void ask(const std::shared_ptr<kept>& of);
  boost::asio::awaitable<void> ask_now(std::shared_ptr<kept> of);
  void take(kept& of, proxy::result<credential_answer> said);
  void refuse(kept& of, held_key_set& next, std::string why);
  void end_keys(kept& of);
  void show();
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  boost::asio::any_io_executor loop_;
  proxy::alarms& clock_;
  make_io make_io_;
  publish on_board_;
  std::mt19937_64 random_;
  std::vector<std::shared_ptr<kept>> kept_;  // shared with what is asked for
  std::size_t asking_ = 0;
  bool is_stopping_ = false;
  proxy::signal ended_;
};

}  // namespace photofinish::gateway

// Keeps the keys that expire: asks for each ahead of its end, once for all workers, and again when a provider refused
// it. It decides when; what is asked is obtain.hpp's. Single-threaded: the housekeeper's thread, or a test's.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/credentials/credential_board.hpp"
#include "gateway/credentials/obtain.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace photofinish::gateway {

class credential_keeper {
 public:
  // One for each source: they do not wait for each other.
  using make_io = std::function<std::unique_ptr<credential_io>()>;
  using publish = std::function<void(std::shared_ptr<const credential_board>)>;

  // What is borrowed outlives it.
  credential_keeper(boost::asio::any_io_executor loop, proxy::alarms& clock, make_io io, publish on_board,
                    std::uint64_t seed);
  ~credential_keeper();  // stopped before

  // From now on it keeps what this configuration names; what stays as it was keeps its key.
  void adopt(const config& settings);

  // The key with that number was refused. Where a newer one is there, or is asked for already, or is asked for again
  // after a failure, nothing is done.
  void renew(const proxy::credential_source& source, std::uint64_t serial);

  // Afterwards nothing is asked any more.
  boost::asio::awaitable<void> stop();

 private:
  struct kept;

  std::shared_ptr<kept> make(const proxy::credential_source& source);
  void ask(const std::shared_ptr<kept>& of);
  boost::asio::awaitable<void> ask_now(std::shared_ptr<kept> of);
  void take(kept& of, obtained_credential got);
  void schedule(kept& of, milliseconds pause);
  void end_key(kept& of);
  void show();
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  boost::asio::any_io_executor loop_;
  proxy::alarms& clock_;
  make_io make_io_;
  publish on_board_;
  std::mt19937_64 random_;
  std::vector<std::shared_ptr<kept>> kept_;  // shared with what is asked for
  std::uint64_t serial_ = 0;
  std::size_t asking_ = 0;
  bool is_stopping_ = false;
  proxy::signal ended_;
};

// "give google_credentials, set GOOGLE_APPLICATION_CREDENTIALS, or run where Google's metadata server is"
std::string_view credential_advice(const proxy::credential_source& source);

}  // namespace photofinish::gateway

// The DNS of one worker: a name's addresses, asked for once however many wait, and remembered for their TTL.
// Waiting can be cancelled at once; the look-up goes on and fills the cache.
#pragma once

#include "proxy/failures/result.hpp"
#include "proxy/loop/alarms.hpp"
#include "proxy/loop/wakeup.hpp"
#include "proxy/net/dns_channel.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::proxy {

using address_list = std::vector<boost::asio::ip::address>;

// To end it: stop(), run the loop until is_idle(), destroy. Nothing of it ever blocks.
class name_cache {
 private:
  struct entry;

 public:
  // One wait for one name. It lives until resolve() has returned.
  class waiter {
   public:
    explicit waiter(boost::asio::io_context& loop) : wakeup_(loop) {}
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { cancel(); }

    // Ends the wait in a later turn of the loop, or the next one before it starts. Idempotent.
    void cancel() noexcept;

   private:
    friend class name_cache;
    void answer(result<address_list> known);

    wakeup wakeup_;
    entry* queue_ = nullptr;  // where it waits
    bool is_cancelled_ = false;
    std::optional<result<address_list>> answer_;
  };

  name_cache(boost::asio::io_context& loop, alarms& clock, const dns_options& options = {});
  ~name_cache();

  // The addresses of a name, families alternating (RFC 8305), beginning with the one that last connected,
  // else IPv6. Never an empty list. An expired answer is served at once while it is asked for again. Literals
  // (IPv6 without brackets) and localhost need no query. Failures: dns, cancelled.
  boost::asio::awaitable<result<address_list>> resolve(std::string host, waiter& waiting);

  // A connection to `host` came about there: its family goes first from now on, which spares the next dials
  // the wait for a family that is dead on this network.
  void prefer(const std::string& host, const boost::asio::ip::address& good);

  void stop() noexcept;  // waits end with `cancelled`
  bool is_idle() const { return channel_.is_idle(); }

 private:
  struct look_up;

  std::optional<result<address_list>> from_memory(entry& name);
  void ask(const std::string& host, entry& name);
  void answered(entry& name, dns_answer answer);
  void publish(entry& name);
  void refuse(entry& name);

  alarms& clock_;
  dns_channel channel_;
  std::map<std::string, std::unique_ptr<entry>> names_;  // as many as the configuration has hosts
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy

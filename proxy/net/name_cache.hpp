// The DNS cache of one worker. A name is looked up once for all waiters, and its addresses are cached for their TTL. A
// wait can be cancelled immediately; the look-up then continues and fills the cache.
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

// The cache. To end it, call stop(), run the loop until is_idle(), then destroy it. None of its functions blocks.
class name_cache {
 private:
  struct entry;

 public:
  // One wait for one name. The object must live until resolve() has returned.
  class waiter {
   public:
    explicit waiter(boost::asio::io_context& loop) : wakeup_(loop) {}
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { cancel(); }

    // Ends the wait in a later turn of the loop. If there is no wait, the next one ends before it starts. Idempotent.
    void cancel() noexcept;

   private:
    friend class name_cache;
    void answer(result<address_list> known);

    wakeup wakeup_;
    entry* queue_ = nullptr;  // the cache entry that this waiter waits for
    bool is_cancelled_ = false;
    std::optional<result<address_list>> answer_;
  };

  name_cache(boost::asio::io_context& loop, alarms& clock, const dns_options& options = {});
  ~name_cache();

  // Returns the addresses of a name, with alternating families (RFC 8305). The first address has the family that
  // connected last, or IPv6 if none has. The list is never empty. An expired answer is returned immediately while it is
  // refreshed. Literals (IPv6 without brackets) and localhost need no query. Failures: dns, cancelled.
  boost::asio::awaitable<result<address_list>> resolve(std::string host, waiter& waiting);

  // Reports that a connection to `host` succeeded at this address. The address's family comes first from now on. Later
  // dials therefore do not wait for a family that does not work on this network.
  void prefer(const std::string& host, const boost::asio::ip::address& good);

  void stop() noexcept;  // ends all waits with `cancelled`
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
  std::map<std::string, std::unique_ptr<entry>> names_;  // at most as many names as the configuration has hosts
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy

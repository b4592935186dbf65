// The DNS cache of one worker. If several requests wait for the same name, the name is looked up once. Addresses are
// cached for their TTL. A wait can be cancelled immediately. The lookup then continues and its result is cached.
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

// To end a cache, call stop(), run the event loop until is_idle(), then destroy the cache. No function of the class
// blocks.
class name_cache {
 private:
  struct entry;

 public:
  // Waits for the addresses of one name. The object must live until resolve() has returned.
  class waiter {
   public:
    explicit waiter(boost::asio::io_context& loop) : wakeup_(loop) {}
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { cancel(); }

    // Ends the wait in a later turn of the event loop. If there is no wait, the next wait ends before it starts.
    // Repeated calls have no effect.
    void cancel() noexcept;

   private:
    friend class name_cache;
    void answer(result<address_list> known);

    wakeup wakeup_;
    entry* queue_ = nullptr;  // the name for which this object waits
    bool is_cancelled_ = false;
    std::optional<result<address_list>> answer_;
  };

  name_cache(boost::asio::io_context& loop, alarms& clock, const dns_options& options = {});
  ~name_cache();

  // Returns the addresses of a name, with IPv4 and IPv6 addresses alternating (RFC 8305). The first address has the
  // family with which a connection last succeeded, or is IPv6 if none has succeeded. The list is never empty. An
  // expired answer is returned immediately while a new lookup runs. Literal addresses (IPv6 without brackets) and
  // localhost need no query. Failures: dns, cancelled.
  boost::asio::awaitable<result<address_list>> resolve(std::string host, waiter& waiting);

  // Reports that a connection to `host` at this address succeeded. From now on, addresses of the same family come
  // first. Later connections then do not wait for a family that does not work on this network.
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
  std::map<std::string, std::unique_ptr<entry>> names_;  // the known names; at most one for each host in the
                                                         // configuration
  bool is_stopped_ = false;
};

}  // namespace photofinish::proxy

// The objects that one thread needs to send requests to providers: alarms, DNS, TLS, open connections, and a read
// buffer. To end an outbound, wait until all connections are returned, co_await stop(), run the event loop until no
// work is left, then destroy the object.
#pragma once

#include "proxy/http/finisher.hpp"
#include "proxy/loop/timer_alarms.hpp"
#include "proxy/net/name_cache.hpp"
#include "proxy/net/network.hpp"
#include "proxy/net/tls_context.hpp"
#include "proxy/pool/connection_pool.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace photofinish::proxy {

class chunk_memory;
class http2_pool;
class tolerant_parser;

class outbound {
 public:
  explicit outbound(boost::asio::io_context& loop);
  outbound(const outbound&) = delete;
  outbound& operator=(const outbound&) = delete;
  ~outbound();

  // Stops all members. Each member is stopped before the members that it uses.
  boost::asio::awaitable<void> stop();

  proxy::alarms& alarms() { return alarms_; }
  connection_pool& pool() { return pool_; }
  http2_pool& http2() { return *http2_; }
  proxy::finisher& finisher() { return finisher_; }
  // Returns the buffer that all streams of this thread share. It may be used for one synchronous read at a time. 64
  // bytes after its end are readable.
  std::span<char> scratch() { return {scratch_.data(), scratch_bytes}; }
  // Returns the thread's JSON parser. It stores one text at a time, which must be read in the same turn of the event
  // loop.
  tolerant_parser& parser() { return *parser_; }
  chunk_memory& chunks() { return *chunks_; }

 private:
  static constexpr std::size_t scratch_bytes = 64u << 10;
  static constexpr std::size_t json_padding = 64;

  std::vector<char> scratch_;
  std::unique_ptr<tolerant_parser> parser_;
  std::unique_ptr<chunk_memory> chunks_;
  timer_alarms alarms_;
  name_cache names_;
  tls_contexts tls_;
  network network_;
  connection_pool pool_;
  std::unique_ptr<http2_pool> http2_;
  proxy::finisher finisher_;
};

}  // namespace photofinish::proxy

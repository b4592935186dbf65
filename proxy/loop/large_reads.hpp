// Limits large reads. A peer whose last read was large must wait for a slot before the next read. Each peer is limited
// per turn of the loop (docs/decisions/0011). This class limits all large readers together, so that one pass of the
// loop stays short (docs/decisions/0065).
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/io_context.hpp>

#include <array>
#include <cstddef>
#include <list>

namespace photofinish::proxy {

// Each loop has one, created at its first use and destroyed with the loop, together with the waiting readers.
// Single-threaded.
class large_reads final : public boost::asio::execution_context::service {
 public:
  // A client's bytes are copied, which costs less than parsing a provider's bytes. Clients and providers therefore have
  // separate queues.
  enum class peer { client, provider };

  // Large reads per pass of the loop, of both kinds together. Each takes 0.1 to 0.2 ms, so all of them take about as
  // long as the rest of a busy pass.
  static constexpr std::size_t in_a_pass = 8;
  // If more than in_a_pass * part readers wait, a pass serves one in `part` of them. The wait then grows with the
  // logarithm of their number.
  static constexpr std::size_t part = 64;
  // In bytes. A read of this size makes the next read of the same request or answer a large one. A flood is read in
  // such amounts, whereas a stream of tokens brings far less at a time.
  static constexpr std::size_t large = 16u << 10;

  static inline boost::asio::execution_context::id id;

  explicit large_reads(boost::asio::execution_context& loop) : service(loop) {}

  // Waits for a slot on that loop. It returns immediately if this pass has slots left, otherwise after all earlier
  // waiters. It cannot be cancelled, so the reader must check afterwards whether there is still something to read.
  static boost::asio::awaitable<void> wait(boost::asio::any_io_executor loop, peer whose);

  // Used after a loop stood still. unbind() lifts the limit, so that all current and new waiters read in this pass.
  // bind() restores it. If several callers have lifted the limit, the last bind() restores it.
  static void unbind(boost::asio::io_context& loop);
  static void bind(boost::asio::io_context& loop);

 private:
  using waiting = std::list<boost::asio::any_completion_handler<void()>>;

  void shutdown() override;
  bool takes_one(peer whose);
  void mark(const boost::asio::any_io_executor& loop);
  void begin_pass(const boost::asio::any_io_executor& loop);
  void call_next(const boost::asio::any_io_executor& loop);
  std::size_t waiting_count() const { return waiting_[0].size() + waiting_[1].size(); }

  std::array<waiting, 2> waiting_;  // keyed by peer; a connection has at most one entry, so max_connections limits them
  std::size_t next_ = 0;            // the queue that is served next if both have waiters
  std::size_t taken_ = 0;           // slots used in this pass
  int unbound_ = 0;                 // number of unbind() calls that are still in force
  bool is_marked_ = false;
};

}  // namespace photofinish::proxy

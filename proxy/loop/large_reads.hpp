// Limits large reads: a peer whose last read was large must wait for a slot before the next read. Each peer is limited
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

// Each loop has one object of this class. It is created at its first use and destroyed with the loop, together with the
// waiting readers. Single-threaded.
class large_reads final : public boost::asio::execution_context::service {
 public:
  // The kind of a reader's peer. Each kind has its own queue, because copying a client's bytes costs less than
  // parsing a provider's bytes.
  enum class peer { client, provider };

  // The number of large reads in one pass of the loop, of both kinds together. Each read takes 0.1 to 0.2 ms, so all of
  // them take about as long as the rest of a busy pass.
  static constexpr std::size_t in_a_pass = 8;
  // If more than in_a_pass * part readers wait, a pass serves one reader in `part`. The wait then grows with the
  // logarithm of the number of readers.
  static constexpr std::size_t part = 64;
  // The size of a large read in bytes. A read of this size makes the next read of the same request or answer a large
  // one. A flood arrives in such amounts, whereas a stream of tokens arrives in far smaller ones.
  static constexpr std::size_t large = 16u << 10;

  static inline boost::asio::execution_context::id id;

  explicit large_reads(boost::asio::execution_context& loop) : service(loop) {}

  // Waits for a slot on that loop. Returns immediately if this pass has slots left, otherwise after all readers
  // that began to wait earlier. The wait cannot be cancelled, so the reader must check afterwards whether there is
  // still something to read.
  static boost::asio::awaitable<void> wait(boost::asio::any_io_executor loop, peer whose);

  // These functions are used after a loop stood still. unbind() lifts the limit, so that all current and new waiters
  // read in this pass. bind() restores it. If several callers have lifted the limit, the last bind() restores it.
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

  std::array<waiting, 2> waiting_;  // waiting readers by kind of peer; max_connections limits their number
  std::size_t next_ = 0;            // the queue that is served next if both have waiters
  std::size_t taken_ = 0;           // the number of slots that are used in this pass
  int unbound_ = 0;                 // number of unbind() calls that no bind() has ended yet
  bool is_marked_ = false;
};

}  // namespace photofinish::proxy

// Limits large reads: if the last read of a request or answer was large, its next read must wait for a slot. Each peer
// is already limited per turn of the event loop (docs/decisions/0011). This class limits all large readers together, so
// that one pass of the loop stays short (docs/decisions/0065).
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

// Each event loop has one object of this class. The object is created when it is first used. It is destroyed together
// with the loop and the waiting readers. Only the loop's thread may use it.
class large_reads final : public boost::asio::execution_context::service {
 public:
  // The kind of peer whose bytes are read. Each kind has its own queue, because copying a client's bytes costs less
  // than parsing a provider's bytes.
  enum class peer { client, provider };

  // The number of large reads in one pass of the event loop, for clients and providers together. Each read takes 0.1 to
  // 0.2 ms, so that all of them take about as long as the other work in a busy pass.
  static constexpr std::size_t in_a_pass = 8;
  // If more than in_a_pass * part readers wait, the number of reads per pass grows with the number of waiting readers:
  // one of every `part` readers is served. The waiting time then grows only with the logarithm of the number of
  // readers.
  static constexpr std::size_t part = 64;
  // The size of a large read in bytes. After a read of this size, the next read of the same request or answer must wait
  // for a slot. Only floods of data arrive in reads of this size. Streams of tokens arrive in much smaller reads.
  static constexpr std::size_t large = 16u << 10;

  static inline boost::asio::execution_context::id id;

  explicit large_reads(boost::asio::execution_context& loop) : service(loop) {}

  // Waits for a slot on the given event loop. Returns immediately if this pass has free slots. Otherwise returns after
  // all readers that began to wait earlier. The wait cannot be cancelled, so the reader must check afterwards whether
  // there is still something to read.
  static boost::asio::awaitable<void> wait(boost::asio::any_io_executor loop, peer whose);

  // Call these functions if the event loop was stopped for a long time. unbind() removes the limit, so that all readers
  // can read in this pass. bind() restores the limit. If several callers have called unbind(), only the last call of
  // bind() restores the limit.
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
  std::size_t next_ = 0;            // the queue to serve next if both queues have readers
  std::size_t taken_ = 0;           // number of slots used in this pass
  int unbound_ = 0;                 // number of unbind() calls without a matching bind() call
  bool is_marked_ = false;
};

}  // namespace photofinish::proxy

// Whose turn it is to read much, of peers that have just brought much. Each peer is bounded in a turn of the loop
// (docs/decisions/0011); here those that flood are bounded all together, so that a pass of the loop over what is ready
// stays short (docs/decisions/0065).
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

// One for each loop, made at its first use; it goes with it, and with it those that still wait. Single-threaded.
class large_reads final : public boost::asio::execution_context::service {
 public:
  // A client's is copied, and costs less than a provider's, which is parsed: each waits for its own kind.
  enum class peer { client, provider };

  // In a pass of the loop, of both kinds. Each takes 0.1 to 0.2 ms: together about as long as all else of a busy pass.
  static constexpr std::size_t in_a_pass = 8;
  // Where more than eight times as many wait, a pass has this part of them: the wait grows by their number's logarithm.
  static constexpr std::size_t part = 64;
  // In bytes: what makes the next read of the same request or answer a large one. A flood is read by so much, and a
  // stream of tokens brings far less at once.
  static constexpr std::size_t large = 16u << 10;

  static inline boost::asio::execution_context::id id;

  explicit large_reads(boost::asio::execution_context& loop) : service(loop) {}

  // Waits for its turn on that loop: at once while there are some left in this pass, behind those who came before
  // otherwise. It cannot be cancelled: afterwards the reader looks whether there is still something to read.
  static boost::asio::awaitable<void> wait(boost::asio::any_io_executor loop, peer whose);

  // For a loop that stood still: unbind() lifts the bound, so all that wait, or come to, read in this pass. bind() sets
  // it again; where several have lifted it, the last bind() does.
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

  std::array<waiting, 2> waiting_;  // by peer; one entry a connection at most, so max_connections bounds them
  std::size_t next_ = 0;            // whose turn it is, where both wait
  std::size_t taken_ = 0;           // in this pass
  int unbound_ = 0;                 // how many times
  bool is_marked_ = false;
};

}  // namespace photofinish::proxy

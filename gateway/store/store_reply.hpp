// Writes commands to the store, and reads its replies (RESP2) with the parser of hiredis. The replies are untrusted.
// Therefore the number of elements, the depth and the size of replies are limited. [pure but for hiredis]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace photofinish::gateway {

enum class reply_kind : std::uint8_t { nil, status, text, integer, list, error };

struct store_reply {
  reply_kind kind = reply_kind::nil;
  std::string text = {};  // the text of a reply that is a status, a string or an error
  std::int64_t integer = 0;
  std::vector<store_reply> list = {};

  // Returns the reply as an integer. The store sends integers either as numbers or as text. Returns nothing if the
  // reply is not an integer.
  std::optional<std::int64_t> number() const;
};

using store_command = std::vector<std::string>;  // the words of a command; the first word is its name

// Returns the bytes of the commands as they are sent.
std::string written(const std::vector<store_command>& commands);

class reply_reader {
 public:
  // The maximum number of elements in one reply, in all its lists together.
  static constexpr std::size_t most_elements = 10'000;
  // The maximum number of received bytes of an incomplete reply.
  static constexpr std::size_t most_bytes = 4u << 20;

  reply_reader();
  ~reply_reader();

  // Adds bytes that the store has sent. Returns false if the bytes are not valid RESP2 or exceed a limit. After that,
  // the reader accepts no more bytes.
  bool feed(std::string_view bytes);
  // Returns the next complete reply. Returns nothing if the reply has not arrived completely, or if the reader has
  // rejected the bytes.
  std::optional<store_reply> next();
  bool is_broken() const { return is_broken_; }

 private:
  struct release {
    void operator()(redisReader* reader) const noexcept;
  };

  std::unique_ptr<redisReader, release> reader_;
  std::size_t pending_ = 0;   // the number of bytes that were received after the last complete reply
  std::size_t elements_ = 0;  // the number of elements in the incomplete reply
  bool is_broken_ = false;
};

}  // namespace photofinish::gateway

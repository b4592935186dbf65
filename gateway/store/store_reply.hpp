// Writes commands to a store, and reads the store's replies (RESP2) with the reader of hiredis. The store's bytes are
// untrusted, so the counts, the depth and the size of replies are limited. [pure but for hiredis]
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
  std::string text = {};  // the text of a status, string or error reply
  std::int64_t integer = 0;
  std::vector<store_reply> list = {};

  // Returns the reply as a whole number, which the store sends as an integer or as text. Returns nothing for any other
  // reply.
  std::optional<std::int64_t> number() const;
};

using store_command = std::vector<std::string>;  // the words of a command; the first word is its name

// Returns the bytes to send for the commands.
std::string written(const std::vector<store_command>& commands);

class reply_reader {
 public:
  static constexpr std::size_t most_elements = 10'000;       // the largest number of elements in all lists of one reply
  // The largest number of received bytes of an incomplete reply.
  static constexpr std::size_t most_bytes = 4u << 20;

  reply_reader();
  ~reply_reader();

  // Reads bytes from the store. Returns false if they are not RESP2 or exceed a limit. After that, the reader accepts
  // no more bytes.
  bool feed(std::string_view bytes);
  // Returns the next complete reply. Returns nothing if it has not arrived yet, or if the reader has refused the bytes.
  std::optional<store_reply> next();
  bool is_broken() const { return is_broken_; }

 private:
  struct release {
    void operator()(redisReader* reader) const noexcept;
  };

  std::unique_ptr<redisReader, release> reader_;
  std::size_t pending_ = 0;   // the number of received bytes since the last complete reply
  std::size_t elements_ = 0;  // the number of elements in the unfinished reply
  bool is_broken_ = false;
};

}  // namespace photofinish::gateway

// Commands to a store, and its replies (RESP2) as hiredis' reader parses them. The store's bytes are untrusted: counts,
// depth and size are bounded. [pure but for hiredis]
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
  std::string text = {};  // the text of a status, a string or an error
  std::int64_t integer = 0;
  std::vector<store_reply> list = {};

  // A whole number, sent as an integer or as text. Returns nothing for any other reply.
  std::optional<std::int64_t> number() const;
};

using store_command = std::vector<std::string>;  // the command's name comes first

// Returns the commands' bytes, one command after the other.
std::string written(const std::vector<store_command>& commands);

class reply_reader {
 public:
  static constexpr std::size_t most_elements = 10'000;       // elements of all lists of one reply
  static constexpr std::size_t most_bytes = 4u << 20;        // received bytes that are not a whole reply yet

  reply_reader();
  ~reply_reader();

  // Returns false if the bytes are not RESP2 or exceed a bound. Nothing more is read then.
  bool feed(std::string_view bytes);
  // The next whole reply. Empty if it has not arrived yet, or if the bytes were refused.
  std::optional<store_reply> next();
  bool is_broken() const { return is_broken_; }

 private:
  struct release {
    void operator()(redisReader* reader) const noexcept;
  };

  std::unique_ptr<redisReader, release> reader_;
  std::size_t pending_ = 0;   // bytes since the last whole reply
  std::size_t elements_ = 0;  // elements of the unfinished reply
  bool is_broken_ = false;
};

}  // namespace photofinish::gateway

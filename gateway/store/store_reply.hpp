// What a store answers (RESP2), read by hiredis' reader; and what it is asked. A store's bytes are a stranger's:
// counts, depth and size are bounded. [pure but for hiredis]
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
  std::string text = {};  // of a status, a text and an error
  std::int64_t integer = 0;
  std::vector<store_reply> list = {};

  // A whole number, as an integer or as text; none where it is anything else.
  std::optional<std::int64_t> number() const;
};

using store_command = std::vector<std::string>;  // the command's name first

// As they are sent: one behind another.
std::string written(const std::vector<store_command>& commands);

class reply_reader {
 public:
  static constexpr std::size_t most_elements = 10'000;       // of all lists of one reply
  static constexpr std::size_t most_bytes = 4u << 20;        // that have come, and are no whole reply yet

  reply_reader();
  ~reply_reader();

  // False: these bytes are not what a store answers, or too many. Nothing more is read then.
  bool feed(std::string_view bytes);
  // The next whole reply; none: it has not come yet, or the bytes were refused.
  std::optional<store_reply> next();
  bool is_broken() const { return is_broken_; }

 private:
  struct release {
    void operator()(redisReader* reader) const noexcept;
  };

  std::unique_ptr<redisReader, release> reader_;
  std::size_t pending_ = 0;   // bytes since the last whole reply
  std::size_t elements_ = 0;  // of the reply that is being read
  bool is_broken_ = false;
};

}  // namespace photofinish::gateway

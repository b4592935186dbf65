#include "gateway/store/store_reply.hpp"
#include "gateway/store/store_trouble.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

using std::string_view_literals::operator""sv;

std::vector<store_reply> read_in_pieces(std::string_view bytes, std::size_t piece) {
  reply_reader reader;
  std::vector<store_reply> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (auto reply = reader.next()) all.push_back(*std::move(reply));
  }
  return all;
}

TEST(StoreReply, IsReadHoweverItIsCut) {
  constexpr std::string_view bytes = "+OK\r\n:42\r\n$5\r\na\r\nbc\r\n$-1\r\n*2\r\n$1\r\nx\r\n*1\r\n:7\r\n-ERR no\r\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, bytes.size()}) {
    const auto all = read_in_pieces(bytes, piece);
    ASSERT_EQ(all.size(), 6u) << piece;
    EXPECT_EQ(all[0].kind, reply_kind::status);
    EXPECT_EQ(all[1].number(), 42);
    EXPECT_EQ(all[2].text, "a\r\nbc");
    EXPECT_EQ(all[3].kind, reply_kind::nil);
    ASSERT_EQ(all[4].list.size(), 2u);
    EXPECT_EQ(all[4].list[0].text, "x");
    EXPECT_EQ(all[4].list[1].list.at(0).number(), 7);
    EXPECT_EQ(all[5].kind, reply_kind::error);
  }
}

TEST(StoreReply, WhatIsNotSuchOrHasNoEndIsRefused) {
  for (const std::string_view bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "*2147483647\r\n", "*10001\r\n", "$x\r\n", "*-7\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "*9000\r\n*2000\r\n"}) {
    reply_reader reader;
    reader.feed(bytes);
    EXPECT_FALSE(reader.next()) << bytes;
    EXPECT_TRUE(reader.is_broken()) << bytes;
  }
  reply_reader endless;
  endless.feed("$2000000000\r\n");
  const std::string much(64u << 10, 'x');
  std::size_t taken = 0;
  while (endless.feed(much) && taken <= 2 * reply_reader::most_bytes) taken += much.size(), endless.next();
  EXPECT_LE(taken, reply_reader::most_bytes);
}

TEST(StoreReply, ManyRepliesInARowAreNotTooMuch) {
  reply_reader reader;
  const std::string one = "$100000\r\n" + std::string(100'000, 'x') + "\r\n";
  for (int each = 0; each < 100; ++each) {
    ASSERT_TRUE(reader.feed(one));
    ASSERT_TRUE(reader.next());
  }
}

TEST(StoreReply, ANumberIsExactAsText) {
  store_reply text{.kind = reply_kind::text, .text = "9007199254740995"};
  EXPECT_EQ(text.number(), 9'007'199'254'740'995);
  for (const char* other : {"", "1x", "1.5", "99999999999999999999"}) {
    text.text = other;
    EXPECT_FALSE(text.number()) << other;
  }
}

TEST(StoreReply, CommandsAreWrittenAsTheyAre) {
  EXPECT_EQ(written({{"SET", "a b", std::string("\0\r\n", 3)}, {"PING"}}),
            "*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$3\r\n\0\r\n\r\n*1\r\n$4\r\nPING\r\n"sv);
}

TEST(StoreTrouble, IsOfTheStoreOrOfOneCommand) {
  const auto kind_of = [](std::string text) { return trouble_in({.kind = reply_kind::error, .text = text}).kind; };
  EXPECT_EQ(kind_of("WRONGPASS invalid username-password pair"), store_error::auth);
  EXPECT_EQ(kind_of("NOAUTH Authentication required."), store_error::auth);
  EXPECT_EQ(kind_of("NOPERM this user has no permissions"), store_error::permission);
  EXPECT_EQ(kind_of("OOM command not allowed when used memory > 'maxmemory'."), store_error::full);
  EXPECT_EQ(kind_of("READONLY You can't write against a read only replica."), store_error::not_ready);
  EXPECT_EQ(kind_of("NOSCRIPT No matching script."), store_error::scripts);
  EXPECT_EQ(kind_of("WRONGTYPE Operation against a key"), store_error::refused);
  // Redis up to 6.2 adds text before and after the error text of a script.
  const std::string in_script = "ERR Error running script (call to f_0a1b): @user_script:6: @user_script: 6: ";
  EXPECT_EQ(kind_of(in_script + "-READONLY You can't write against a read only replica."), store_error::not_ready);
  EXPECT_EQ(kind_of(in_script + "-MISCONF Redis is configured to save RDB snapshots"), store_error::full);
  EXPECT_EQ(kind_of(in_script + "-OOM command not allowed when used memory > 'maxmemory'."), store_error::full);
  EXPECT_EQ(kind_of(in_script + "-BUSY Redis is busy running a script."), store_error::not_ready);
  EXPECT_EQ(kind_of(in_script + "NOPERM this user has no permissions to run the 'incrby' command"),
            store_error::permission);
  EXPECT_EQ(kind_of(in_script + "The user executing the script can't run this command or subcommand"),
            store_error::permission);
  EXPECT_EQ(kind_of(in_script + "-WRONGTYPE Operation against a key holding the wrong kind of value"),
            store_error::refused);
  EXPECT_EQ(kind_of("ERR Error running script (call to f_0a1b): READONLY"), store_error::refused) << "no place in it";
  const store_trouble shown = trouble_in({.kind = reply_kind::error, .text = "ERR \x1b[2J" + std::string(5000, 'a')});
  EXPECT_LE(shown.detail.size(), 160u);
  EXPECT_EQ(shown.detail.find('\x1b'), std::string::npos);
}

// If a command is unknown, servers repeat its arguments in the error.
TEST(StoreTrouble, IsShownWithoutThePasswordThatTheStoreRepeats) {
  const store_reply echo{.kind = reply_kind::error,
                         .text = "ERR unknown command 'AUTH', with args beginning with: 'h\xc3\xa4mlich-0123456789'"};
  EXPECT_EQ(trouble_in(echo, proxy::secret("h\xc3\xa4mlich-0123456789")).detail,
            "ERR unknown command 'AUTH', with args beginning with: '[redacted]'");
}

}  // namespace
}  // namespace photofinish::gateway

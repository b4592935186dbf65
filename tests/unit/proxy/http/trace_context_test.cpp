#include "proxy/http/trace_context.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

const std::string trace = "0af7651916cd43dd8448eb211c80319c", parent = "b7ad6b7169203331";

TEST(TraceContext, ATraceparentIsAsTheStandardHasIt) {
  EXPECT_TRUE(is_traceparent("00-" + trace + "-" + parent + "-01"));
  EXPECT_TRUE(is_traceparent("cc-" + trace + "-" + parent + "-01-what-the-future-brings"));
  for (const std::string& bad :
       {std::string(), "00-" + trace + "-" + parent, "00-" + trace + "-" + parent + "-01-more",
        "ff-" + trace + "-" + parent + "-01", "cc-" + trace + "-" + parent + "-01.more",
        "00-" + std::string(32, '0') + "-" + parent + "-01", "00-" + trace + "-" + std::string(16, '0') + "-01",
        "00-0AF7651916cd43dd8448eb211c80319c-" + parent + "-01", "00-" + trace + "_" + parent + "-01",
        "cc-" + trace + "-" + parent + "-01-" + std::string(500, 'x'), "cc-" + trace + "-" + parent + "-01-\r\nx: 1"})
    EXPECT_FALSE(is_traceparent(bad)) << bad;
}

TEST(TraceContext, ATraceparentIsReadAndWritten) {
  const auto read = read_traceparent("00-" + trace + "-" + parent + "-01");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->trace, (trace_id{0x0af7651916cd43dd, 0x8448eb211c80319c}));
  EXPECT_EQ(read->span, 0xb7ad6b7169203331u);
  EXPECT_TRUE(read->is_sampled);
  EXPECT_EQ(to_traceparent(*read), "00-" + trace + "-" + parent + "-01");
  EXPECT_FALSE(read_traceparent("00-" + trace + "-" + parent + "-fe")->is_sampled);  // only the lowest bit of the flags has a meaning
  EXPECT_EQ(to_traceparent(*read_traceparent("cc-" + trace + "-" + parent + "-03-more")),
            "00-" + trace + "-" + parent + "-01");
  EXPECT_FALSE(read_traceparent("ff-" + trace + "-" + parent + "-01"));
  EXPECT_EQ(to_hex(span_id{1}), "0000000000000001");
}

TEST(TraceContext, ATracestateIsBounded) {
  EXPECT_TRUE(is_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
  EXPECT_FALSE(is_tracestate(""));
  EXPECT_FALSE(is_tracestate("rojo"));
  EXPECT_FALSE(is_tracestate("a=" + std::string(511, 'b')));
  EXPECT_FALSE(is_tracestate("a=b\r\nx: 1"));
  std::string many = "a=b";
  for (int count = 0; count < 32; ++count) many += ",a=b";
  EXPECT_FALSE(is_tracestate(many));
}

}  // namespace
}  // namespace photofinish::proxy
